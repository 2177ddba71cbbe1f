import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Fastify from 'fastify'

/** @import { FastifyRequest } from 'fastify' */

const FOLDERS = ['contents', 'documents']
const BLOB = `/:folder(^${FOLDERS.join('|')}$)/:id(^[0-9a-f-]{36}$)`
/** A blob's file begins with its ETag in quotation marks, so that one write replaces both. */
const ETAG_BYTES = 38

/**
 * The second service: keeps blobs, and has the two properties that a storage needs of it. A PUT is all or nothing,
 * durable once it is answered, and conditional: `If-Match` and `If-None-Match: *`, RFC 9110.
 * @param {{ directory: string, token: string }} options One process may use a directory at a time.
 */
export async function createBlobService ({ directory, token }) {
  const app = Fastify({ exposeHeadRoutes: false })
  const inTurn = turns()
  const incoming = join(directory, 'incoming')
  await rm(incoming, { recursive: true, force: true }) // what the last process had begun
  for (const name of ['incoming', ...FOLDERS]) await mkdir(join(directory, name), { recursive: true })

  app.addHook('onRequest', async ({ headers }, reply) => {
    if (headers.authorization !== `Bearer ${token}`) return reply.code(401).send()
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null)) // the route reads it

  app.get('/documents', async () => await readdir(join(directory, 'documents')))

  app.get(BLOB, async (request, reply) => {
    const file = await openBlob(pathOf(request))
    if (file === null) return reply.code(404).send()
    const { handle, etag, size } = file
    reply.headers({ etag, 'content-type': 'application/octet-stream' })
    // An open file stays readable when its name is gone: a download that has begun ends with the bytes that it began
    // with.
    const range = rangeIn(request)
    if (range === null) return reply.header('content-length', size).send(handle.createReadStream({ start: ETAG_BYTES }))
    const { start, end } = range
    if (start <= end && end < size) {
      reply.code(206).headers({ 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${size}` })
      return reply.send(handle.createReadStream({ start: ETAG_BYTES + start, end: ETAG_BYTES + end }))
    }
    await handle.close()
    return reply.code(416).send()
  })

  app.put(BLOB, async (request, reply) => {
    const path = pathOf(request)
    const temporary = join(incoming, randomUUID())
    const etag = `"${randomUUID()}"`
    try {
      await pipeline(withEtag(etag, request.raw), createWriteStream(temporary, { flush: true }))
      const isStored = await inTurn(path, async () => {
        if (!await isAsExpected(path, request)) return false
        await rename(temporary, path)
        await flush(dirname(path))
        return true
      })
      return isStored ? reply.code(204).header('etag', etag).send() : reply.code(412).send()
    } finally {
      await rm(temporary, { force: true })
    }
  })

  app.delete(BLOB, async (request, reply) => {
    const path = pathOf(request)
    const isDeleted = await inTurn(path, async () => {
      if (!await isAsExpected(path, request)) return false
      await rm(path, { force: true })
      await flush(dirname(path))
      return true
    })
    return reply.code(isDeleted ? 204 : 412).send()
  })

  return app

  /** @param {FastifyRequest} request */
  function pathOf (request) {
    const { folder, id } = /** @type {{ folder: string, id: string }} */ (request.params)
    return join(directory, folder, id)
  }
}

/** @param {string} path */
async function openBlob (path) {
  const handle = await open(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!handle) return null
  const { buffer } = await handle.read(Buffer.alloc(ETAG_BYTES), 0, ETAG_BYTES, 0)
  return { handle, etag: buffer.toString(), size: (await handle.stat()).size - ETAG_BYTES }
}

/**
 * Whether a blob is what the conditions of the request demand.
 * @param {string} path
 * @param {FastifyRequest} request
 */
async function isAsExpected (path, { headers }) {
  const file = await openBlob(path)
  await file?.handle.close()
  if (headers['if-none-match'] !== undefined && file !== null) return false
  return headers['if-match'] === undefined || headers['if-match'] === file?.etag
}

/** @param {FastifyRequest} request */
function rangeIn ({ headers: { range } }) {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  return start === undefined || end === undefined ? null : { start: Number(start), end: Number(end) }
}

/**
 * @param {string} etag
 * @param {AsyncIterable<Uint8Array>} content
 */
async function * withEtag (etag, content) {
  yield Buffer.from(etag)
  yield * content
}

/**
 * Makes the names in a directory durable.
 * @param {string} directory
 */
async function flush (directory) {
  if (process.platform === 'win32') return // Windows cannot, and need not
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Runs what concerns the same path one after the other. */
function turns () {
  /** @type {Map<string, Promise<unknown>>} */
  const last = new Map()

  return /** @type {(path: string, run: () => Promise<boolean>) => Promise<boolean>} */ async (path, run) => {
    const turn = (last.get(path) ?? Promise.resolve()).then(run, run)
    last.set(path, turn)
    try {
      return await turn
    } finally {
      if (last.get(path) === turn) last.delete(path)
    }
  }
}
