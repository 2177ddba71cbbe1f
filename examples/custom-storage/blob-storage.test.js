import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { storageConformance } from 'fastify-onlyoffice/testing'
import { createBlobService } from './blob-service.js'
import { blobStorage } from './blob-storage.js'
import { blobClient } from './blobs.js'

/**
 * A blob service with an empty directory, and a storage over it.
 * @param {(reply: import('fastify').FastifyReply) => unknown} [onWritten] Called when the entry of a document was
 *   written, before the answer is sent.
 */
async function start (onWritten) {
  const directory = await mkdtemp(join(tmpdir(), 'blobs-'))
  const token = randomUUID()
  const service = await createBlobService({ directory, token })
  if (onWritten) {
    service.addHook('onSend', async ({ method, url }, reply) => {
      if (method === 'PUT' && url.startsWith('/documents/') && reply.statusCode === 204) await onWritten(reply)
    })
  }
  const url = await service.listen()
  const blobs = blobClient({ url, token })

  return {
    service,
    blobs,
    storage: blobStorage(blobs),
    reopen: () => blobStorage(blobs),
    /** The contents have new names with every save: only their number tells whether one is left over. */
    async list () {
      const contents = await readdir(join(directory, 'contents'))
      return [
        ...(await readdir(join(directory, 'documents'))).sort(),
        ...contents.map((_, index) => `content ${index}`)
      ]
    },
    async cleanup () {
      const closed = service.close()
      service.server.closeAllConnections() // fetch() keeps some
      await closed
      await rm(directory, { recursive: true })
    }
  }
}

storageConformance({ test, create: () => start() })

test('where the answer to a write is lost, the storage finds out that it was made', async t => {
  let isLost = false
  const { storage, list, cleanup } = await start(reply => { if (isLost) reply.raw.destroy() })
  t.after(cleanup)
  const { fileId, revision } = await storage.create('txt', Buffer.from('old'))
  const before = await list()

  isLost = true
  const info = await storage.replace(fileId, Buffer.from('new'), { ifRevision: revision })
  assert.deepEqual(await storage.stat(fileId), info)
  assert.equal(await textOf(storage, fileId), 'new')
  assert.deepEqual(await list(), before, 'nothing is left over')
})

test('where others have written since, it does not claim to know, and their content stays', async t => {
  let isLost = false
  const { storage, cleanup } = await start(async reply => {
    if (!isLost) return
    isLost = false
    await storage.replace(fileId, Buffer.from('of another instance'))
    reply.raw.destroy()
  })
  t.after(cleanup)
  const { fileId } = await storage.create('txt', Buffer.from('old'))

  isLost = true
  await assert.rejects(storage.replace(fileId, Buffer.from('new')), /has changed while the blob service did not answer/)
  assert.equal(await textOf(storage, fileId), 'of another instance')
})

test('a content that was cut off is not stored', async t => {
  const { service, storage, list, cleanup } = await start()
  t.after(cleanup)
  const { fileId } = await storage.create('txt', Buffer.from('old'))
  const before = await list()
  await assert.rejects(storage.replace(fileId, (async function * () {
    yield Buffer.alloc(100_000)
    service.server.closeAllConnections()
    yield Buffer.alloc(100_000)
  })()))
  assert.equal(await textOf(storage, fileId), 'old')
  assert.deepEqual(await list(), before)
})

/**
 * @param {import('fastify-onlyoffice').Storage} storage
 * @param {string} fileId
 */
async function textOf (storage, fileId) {
  const file = await storage.read(fileId)
  return file && Buffer.concat(await file.body.toArray()).toString()
}
