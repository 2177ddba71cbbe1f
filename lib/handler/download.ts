import contentDisposition from 'content-disposition'
import type { FastifyReply } from 'fastify'
import fresh from 'fresh'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import parseRange from 'range-parser'
import type { ByteRange, FileInfo, ReadResult, Storage } from '../../types/storage.js'
import { mediaTypeOf } from '../document-server/formats.js'
import { FileNotFoundError } from '../errors.js'
import { discard } from '../readable.js'
import type { Credentials } from './credentials.js'
import { endWhenIdle } from './idle.js'
import { inert } from './responses.js'
import type { HandlerRequest } from './route.js'

interface Dependencies {
  readonly credentials: Credentials
  readonly storage: Pick<Storage, 'stat' | 'read'>
  /** Milliseconds after which a client that takes nothing is given up. */
  readonly idle: number
}

/** Serves a stored file: to the document server, or to whom the host authorizes. */
export function createDownloadHandler ({ credentials, storage, idle }: Dependencies) {
  return async function handleDownload (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { fileId } = request.query
    if (!fileId) throw new FileNotFoundError()
    await credentials.checkDownload(request, fileId)

    const info = await storage.stat(fileId)
    if (!info) throw new FileNotFoundError()
    describe(reply, info)
    if (isNotModified(request, reply)) return reply.code(304).removeHeader('content-type').removeHeader('content-disposition').send()
    if (request.method === 'HEAD') return reply.header('content-length', info.size).send()

    endWhenIdle(request, reply, idle)
    const range = requestedRange(request, reply, info)
    if (range === 'unsatisfiable') {
      return reply.code(416).removeHeader('content-disposition')
        .headers({ 'content-range': `bytes */${info.size}`, 'content-type': 'text/plain' }).send('Range Not Satisfiable')
    }
    const part = range && await readPart(storage, info, range)
    if (part) {
      return reply.code(206).headers({
        'content-range': `bytes ${range.start}-${range.end}/${info.size}`,
        'content-length': range.end - range.start + 1
      }).send(untilClosed(reply, part))
    }

    const file = await storage.read(fileId)
    if (!file) throw new FileNotFoundError()
    describe(reply, file.info)
    return reply.header('content-length', file.info.size).send(untilClosed(reply, file.body))
  }
}

/** A hook of the host may fail, or send something else: then nobody reads the file, and it would stay open. */
function untilClosed ({ raw }: FastifyReply, body: Readable): Readable {
  if (raw.closed || raw.destroyed) discard(body)
  else raw.once('close', () => discard(body))
  return body
}

/** The range of the very version it was computed for; `null` when another was stored meanwhile. */
async function readPart (storage: Pick<Storage, 'read'>, { fileId, revision }: FileInfo, range: ByteRange): Promise<Readable | null> {
  let file: ReadResult | null
  try {
    file = await storage.read(fileId, range)
  } catch (error) {
    if (error instanceof RangeError) return null // the new version is shorter
    throw error
  }
  if (!file || file.info.revision === revision) return file && file.body
  discard(file.body)
  return null
}

function describe (reply: FastifyReply, info: FileInfo): void {
  reply.headers({
    ...inert,
    'content-type': mediaTypeOf(info.extension),
    'content-disposition': contentDisposition(`${info.fileId}.${info.extension}`),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag: etagOf(info),
    'last-modified': info.modifiedAt.toUTCString()
  })
}

function isNotModified (request: HandlerRequest, reply: FastifyReply): boolean {
  return fresh(request.headers, { etag: reply.getHeader('etag'), 'last-modified': reply.getHeader('last-modified') })
}

/** One range, or the whole file: several ranges at once have no use here (RFC 9110 lets a server ignore them). */
function requestedRange (request: HandlerRequest, reply: FastifyReply, info: FileInfo): ByteRange | undefined | 'unsatisfiable' {
  const { range: header, 'if-range': condition } = request.headers
  if (header === undefined) return undefined
  if (condition !== undefined && condition !== reply.getHeader('etag') && condition !== reply.getHeader('last-modified')) return undefined
  if (isLongSuffix(header, info.size)) return undefined
  const ranges = parseRange(info.size, header)
  if (ranges === -1) return 'unsatisfiable'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  const { start, end } = ranges[0]!
  return { start, end }
}

/** The last bytes, more than there are: that is the whole file (RFC 9110), where range-parser sees a range that can't be satisfied. */
function isLongSuffix (header: string, size: number): boolean {
  const length = /^bytes=-(\d+)$/.exec(header)?.[1]
  return length !== undefined && Number(length) >= size
}

/** A revision may hold any character, an entity tag may not. */
function etagOf ({ revision }: FileInfo): string {
  return `"${createHash('sha256').update(revision).digest('base64url').slice(0, 27)}"`
}
