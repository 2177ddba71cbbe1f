import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import Fastify from 'fastify'
import editor, { memoryStorage } from 'fastify-onlyoffice'
import { createDocumentServer, fakeClock } from 'onlyoffice-emulator'

const jwtSecret = randomBytes(32).toString('hex')

test('an edited document is stored despite failures on the way', async t => {
  const documentServer = await createDocumentServer({ jwtSecret, clock: fakeClock({ autoAdvance: true }) })
  t.after(() => documentServer.close())
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const app = Fastify({ serverFactory: handler => server.on('request', handler) })
  await app.register(editor, {
    editorApiUrl: documentServer.editorApiUrl,
    jwtSecret: process.env.JWT_SECRET ?? jwtSecret,
    publicBaseUrl: `http://127.0.0.1:${server.address().port}`,
    storage: memoryStorage()
  })
  await app.ready()
  const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
  const fileId = await control.setDocumentFromBytes(Buffer.from('first'), 'Notes.txt')

  const session = await documentServer.open(control.config)
  await session.edit('second')
  // it arrives cut off, however often it is fetched
  documentServer.fault('file', { type: 'reset', afterBytes: 3 }, { times: 3 })
  assert.equal((await session.close()).accepted, false)
  const again = await documentServer.open((await app.editorControl().openDocument(fileId)).config)
  assert.equal((await again.close()).accepted, true)
  const { body } = await app.editorStorage.read(fileId)
  assert.equal(String(Buffer.concat(await body.toArray())), 'second')
})
