import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createDocumentServer, fakeClock } from 'onlyoffice-emulator'
import { createApp } from './app.js'

const jwtSecret = randomBytes(32).toString('hex')
/** @type {import('onlyoffice-emulator').DocumentServer} */
let documentServer
const server = http.createServer()
/** @type {string} */
let address
/** @type {string} */
let directory

before(async () => {
  // A clock that jumps ahead: no test waits for a retry that comes seconds later.
  documentServer = await createDocumentServer({ jwtSecret, clock: fakeClock({ autoAdvance: true }) })
  directory = await mkdtemp(join(tmpdir(), 'documents-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
  server.on('request', createApp({ jwtSecret, documentServer: documentServer.url, address, directory }))
})

after(async () => {
  await documentServer.close() // first: it saves open documents
  server.close()
  server.closeAllConnections()
  await rm(directory, { recursive: true })
})

/** @param {string} name @param {string} text */
async function upload (name, text) {
  await fetch(`${address}/documents/${name}`, { method: 'PUT', body: text })
}

/** @param {string} name */
async function stored (name) {
  return await (await fetch(`${address}/documents/${name}`)).text()
}

/** @param {string} name @param {string} user */
async function open (name, user) {
  const response = await fetch(`${address}/documents/${name}/config?user=${user}`)
  return await documentServer.open(/** @type {import('onlyoffice-emulator').EditorConfig} */ (await response.json()))
}

test('what Ada writes is stored, and the next editor opens it under a new key', async () => {
  await upload('letter.txt', 'first draft')
  const ada = await open('letter.txt', 'Ada')
  await ada.edit('second draft')
  assert.equal(await stored('letter.txt'), 'first draft', 'nothing is stored while she writes')
  assert.equal((await ada.close()).accepted, true)
  assert.equal(await stored('letter.txt'), 'second draft')

  const bob = await open('letter.txt', 'Bob')
  assert.notEqual(bob.key, ada.key)
  assert.equal(bob.viewOnly, false)
  assert.equal(String(await bob.content()), 'second draft')
})

test('after a force save other editors still join the session', async () => {
  await upload('plan.txt', 'first draft')
  const ada = await open('plan.txt', 'Ada')
  await ada.edit('by Ada')
  assert.equal((await ada.forceSave()).accepted, true)
  assert.equal(await stored('plan.txt'), 'by Ada')

  const bob = await open('plan.txt', 'Bob')
  assert.equal(bob.key, ada.key)
  await bob.edit('by Ada and Bob')
  await ada.close()
  await bob.close()
  assert.equal(await stored('plan.txt'), 'by Ada and Bob')
})

test('a truncated saved file is not stored, and the next attempt delivers it', async () => {
  await upload('list.txt', 'first draft')
  const session = await open('list.txt', 'Ada')
  await session.edit('second draft')
  documentServer.fault('file', { type: 'reset', afterBytes: 6 })
  assert.equal((await session.close()).accepted, true)
  assert.equal(await stored('list.txt'), 'second draft')
  assert.equal(
    documentServer.sentRequests.filter(({ body }) => body?.status === 2 && body.key === session.key).length,
    2
  )
})

test('a repeated save is stored once', async () => {
  await upload('notes.txt', 'first draft')
  const session = await open('notes.txt', 'Ada')
  await session.edit('second draft')
  documentServer.fault('callback', { type: 'duplicate' })
  assert.equal((await session.close()).accepted, true)
  assert.equal((await open('notes.txt', 'Bob')).key, 'notes.txt-2')
})

test('a file at another origin and a callback from somebody else change nothing', async () => {
  await upload('report.txt', 'first draft')
  const session = await open('report.txt', 'Ada')
  await session.edit('second draft')
  const forged = await fetch(`${address}/callback/report.txt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: session.key, status: 2, url: `${documentServer.url}/healthcheck` })
  })
  assert.equal(forged.status, 403)

  const takeBack = documentServer.fault('callback', { type: 'origin', origin: 'http://127.0.0.1:9' }, {
    times: Infinity
  })
  assert.equal((await session.close()).accepted, false)
  takeBack()
  assert.equal(await stored('report.txt'), 'first draft')
  assert.equal(documentServer.forgotten.has(session.key), true, 'the document server keeps it')
})
