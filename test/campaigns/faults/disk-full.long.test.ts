import { randomBytes } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fileStorage } from '../../../lib/index.js'
import { errorOf, NEW, OLD } from '../../kit/editing.js'
import { startUpstream } from '../../kit/http.js'
import { startHost } from '../../kit/host.js'
import { zipOf } from '../../kit/packages.js'
import { asOrdinaryUser, documentsIn, onSmallDisk, runCommand } from '../../kit/storage.js'
import { startDiskService } from './disk-support.js'

const KIB = 1024
const SAVED = zipOf(randomBytes(100 * KIB))

/** A service whose documents are in this directory, and one of them in a session that has just begun. */
async function startOn (t: Test, directory: string) {
  const documentServer = await startUpstream(t, (request, response) => {
    if (request.method === 'POST') response.end('{"error":0,"users":["ada"]}') // the command info
    else response.end(SAVED)
  })
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, storage: fileStorage({ directory }), saveRetries: 0 })
  const { fileId } = await host.storage.create('docx', Buffer.from(OLD))
  const openedKey = async () => (await host.app.editorControl().openDocument(fileId)).documentKey
  const key = await openedKey()
  async function post (status: number): Promise<unknown> {
    const url = `${documentServer.origin}/cache/files/data/saved/output.docx`
    return errorOf((await host.postSignedCallback(fileId, { status, key, url, users: ['ada'], filetype: 'docx' })).body)
  }
  t.equal(await post(1), 0)

  return {
    close: () => host.app.close(),
    /** Both saves are refused, and nothing comes of it. */
    async refuses (message: string, others: readonly string[] = []) {
      for (const status of [6, 2]) {
        t.equal(await post(status), 1, `${message}: ${status} is refused`)
        t.equal(await host.storedText(fileId), OLD, 'the bytes are unchanged')
        t.equal(await openedKey(), key, 'the key stays')
        t.strictSame((await documentsIn(directory)).sort(), [`${fileId}.docx`, ...others].sort(), 'no temp file')
      }
    },
    async recovers () {
      t.equal(await post(6), 0, 'then a force save is stored')
      t.equal(await openedKey(), key)
      t.equal(await post(2), 0, 'and the finished one')
      t.not(await openedKey(), key)
      const [stored] = await (await host.storage.read(fileId))!.body.toArray()
      t.ok(SAVED.subarray(0, 1000).equals(stored.subarray(0, 1000)))
      t.equal((await host.storage.stat(fileId))?.size, SAVED.length)
      t.strictSame(await documentsIn(directory), [`${fileId}.docx`])
    }
  }
}

t.test('a full disk (ENOSPC) refuses saves and loses nothing; once there is space again they are stored', t => onSmallDisk(t, async directory => {
  const { refuses, recovers, close } = await startOn(t, directory)
  const ballast = join(directory, 'ballast')
  await writeFile(ballast, Buffer.alloc(180 * KIB))
  await refuses('room for the record, not for the document', ['ballast'])
  await writeFile(ballast, Buffer.alloc(256 * KIB)).catch(() => {})
  await refuses('no room at all', ['ballast'])
  await rm(ballast)
  await recovers()
  await close()
}))

t.test('a disk that became read-only (EROFS) refuses saves and loses nothing; once it is writable again they are stored', t =>
  onSmallDisk(t, async directory => {
    const { refuses, recovers, close } = await startOn(t, directory)
    runCommand(['mount', '-o', 'remount,ro', directory])
    await refuses('read-only')
    runCommand(['mount', '-o', 'remount,rw', directory])
    await recovers()
    await close()
  }))

t.test('a directory without permission (EACCES) refuses saves and loses nothing; once it is accessible again they are stored', async t => {
  const directory = join(t.testdir(), 'uploads')
  await mkdir(directory)
  const { refuses, recovers } = await startOn(t, directory)
  const state = join(directory, '.fastify-onlyoffice-state')
  for (const closed of [[directory], [state, join(state, 'temp')]]) {
    for (const path of closed) await chmod(path, 0o555)
    try {
      // A super-user's service is not stopped by this: it acts as another user meanwhile.
      await asOrdinaryUser(() => refuses(`closed: ${closed.length}`))
    } finally {
      for (const path of closed) await chmod(path, 0o755)
    }
  }
  await recovers()
})

t.test('a disk on which every call of one kind fails refuses saves and loses nothing; once it works again they are stored', async t => {
  const { begin, key, post, postWith, stored, listingAfterRestart } = await startDiskService(t)
  const names = ['sync', 'writeFile', 'rename', 'open']
  for (const name of names) {
    const session = await begin(name)
    for (const status of [6, 2, 2]) {
      const save = { status, key: session, filetype: 'docx' }
      t.strictSame(await postWith({ name }, name, save), { error: 1, call: name }, `every ${name} fails, status ${status}`)
      t.strictSame(await stored(name), { [`${name}.docx`]: OLD })
      t.equal(await key(name), session)
    }
    for (const status of [6, 2]) t.equal(await post(name, { status, key: session, filetype: 'docx' }), 0)
    t.strictSame(await stored(name), { [`${name}.docx`]: NEW })
    t.not(await key(name), session)
  }
  t.strictSame(await listingAfterRestart(), names.map(name => `${name}.docx`).sort())
})
