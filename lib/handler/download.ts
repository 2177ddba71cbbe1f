import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { parse as parseRange } from 'range-parser'
import type { ByteRange, StoredDocument, StorageReadResult, EditorStorage } from '../../types/storage.js'
import type { FileUrl } from '../store/contract.js'
import { mediaTypeOf } from '../document-server/formats.js'
import { FileNotFoundError, StorageError } from '../errors.js'
import { discard } from '../util/streams.js'
import { isHttpUrl } from '../util/url.js'
import type { Parts } from '../parts.js'
import { type HandlerRequest, untrustedContentHeaders } from './request.js'

/**
 * Serves a stored file, or redirects to the storage's own URL for it. Requires a signed URL or, without signed URLs, a
 * token, unless `authorize` grants the request.
 */
export function createDownloadHandler ({ settings: { timeouts }, credentials, storage, versions }: Parts) {
  return async function handleDownload (request: HandlerRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { fileId, version } = request.query
    if (!fileId || (version !== undefined && !VERSION.test(version))) throw new FileNotFoundError()
    if (version !== undefined) return await sendVersion(request, reply, fileId, Number(version))
    await credentials.authorizeDownload(request, fileId)
    if (storage.downloadUrl) return redirect(request, reply, await storage.downloadUrl(fileId))
    endWhenIdle(request.raw, reply.raw, timeouts.idle)
    if (wantsWholeFile(request)) return await sendFile(reply, fileId)

    const info = await storage.stat(fileId)
    if (!info) throw new FileNotFoundError()
    const validators = validatorsOf(info)
    if (fresh(request.headers, validators)) return sendNotModified(reply, validators)
    if (request.method === 'HEAD') return sendHead(reply, info)

    const range = requestedRange(request, info, validators)
    if (range === 'unsatisfiable') {
      return reply.code(416).headers({
        'content-range': `bytes */${info.size}`,
        ...validators,
        ...FILE_HEADERS
      }).send()
    }
    const part = range && await readRange(storage, info, range)
    if (part) {
      const headers = headersOf(info, range.end - range.start + 1)
      return reply.code(206).headers({ 'content-range': `bytes ${range.start}-${range.end}/${info.size}`, ...headers })
        .send(payloadOf(reply, part))
    }
    return await sendFile(reply, fileId)
  }

  async function sendFile (reply: FastifyReply, fileId: string): Promise<FastifyReply> {
    const file = await storage.read(fileId)
    if (!file) throw new FileNotFoundError()
    return reply.headers(headersOf(file.info)).send(payloadOf(reply, file.body))
  }

  async function sendVersion (request: HandlerRequest, reply: FastifyReply, fileId: string, version: number) {
    const { part = 'content' } = request.query
    if (part !== 'content' && part !== 'changes') throw new FileNotFoundError()
    await credentials.authorizeDownload(request, fileId, version)
    const content = await versions?.open(fileId, version, part)
    if (!content) throw new FileNotFoundError()
    reply.headers({
      ...untrustedContentHeaders,
      'cache-control': 'private, no-cache',
      'content-type': mediaTypeOf(content.fileType),
      'content-disposition': contentDisposition(`${fileId}-${version}.${content.fileType}`),
      'content-length': content.size
    })
    if (request.method === 'HEAD') {
      discard(content.body)
      return reply.send()
    }
    endWhenIdle(request.raw, reply.raw, timeouts.idle)
    return reply.send(payloadOf(reply, content.body))
  }
}

function redirect ({ method, headers }: HandlerRequest, reply: FastifyReply, target: FileUrl | null): FastifyReply {
  if (!target) throw new FileNotFoundError()
  if (!isHttpUrl(target.url)) {
    throw new StorageError('its downloadUrl returned no absolute http(s) URL', { retryable: false })
  }
  const validators = validatorsOf(target.info)
  if (fresh(headers, validators)) return sendNotModified(reply, validators)
  if (method === 'HEAD') return sendHead(reply, target.info) // the URL may be for GET only
  return reply.headers({
    ...untrustedContentHeaders,
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer'
  }).redirect(new URL(target.url).href, 302)
}

function sendNotModified (reply: FastifyReply, validators: Validators): FastifyReply {
  return reply.code(304).headers({ ...validators, ...FILE_HEADERS }).send()
}

function sendHead (reply: FastifyReply, info: StoredDocument): FastifyReply {
  return reply.headers(headersOf(info)).send()
}

/** Whether the file can be read before its info is known. */
function wantsWholeFile ({ method, headers }: HandlerRequest): boolean {
  return method === 'GET' && ['range', 'if-none-match', 'if-modified-since'].every(name => headers[name] === undefined)
}

/** A version number. */
const VERSION = /^[1-9]\d{0,8}$/

/** Discards the body when a hook of the application fails or sends something else: its file would stay open. */
function payloadOf ({ raw }: FastifyReply, body: Readable): Readable {
  if (raw.closed || raw.destroyed) discard(body)
  else raw.once('close', () => discard(body))
  return body
}

/** Resolves to the range of the revision it was computed for, or to `null` if another one was stored meanwhile. */
async function readRange (
  storage: Pick<EditorStorage, 'read'>, { fileId, revision }: StoredDocument, range: ByteRange
): Promise<Readable | null> {
  let file: StorageReadResult | null
  try {
    file = await storage.read(fileId, range)
  } catch (error) {
    if (error instanceof RangeError) return null // the new content is shorter
    throw error
  }
  if (!file || file.info.revision === revision) return file && file.body
  discard(file.body)
  return null
}

/** Headers of every answer that has content or could have it. */
const FILE_HEADERS = { ...untrustedContentHeaders, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }

type Validators = ReturnType<typeof validatorsOf>

/** A revision may contain any character, an entity tag may not. */
function validatorsOf ({ revision, modifiedAt }: StoredDocument) {
  return { etag: `"${hash('sha256', revision, 'base64url').slice(0, 27)}"`, 'last-modified': modifiedAt.toUTCString() }
}

/**
 * The constants come last: V8 then copies them five times as fast. The length comes after the name: Node.js encodes a
 * Content-Disposition that follows it differently, and fails to send one that is not ASCII.
 */
function headersOf (info: StoredDocument, length = info.size): Record<string, string | number> {
  return {
    'content-type': mediaTypeOf(info.fileType),
    'content-disposition': contentDisposition(`${info.fileId}.${info.fileType}`),
    'content-length': length,
    ...validatorsOf(info),
    ...FILE_HEADERS
  }
}

/**
 * The single requested range, or `undefined` for the whole file, which also answers several ranges, as RFC 9110 allows.
 */
function requestedRange (
  { headers }: HandlerRequest, { size }: StoredDocument, { etag, 'last-modified': lastModified }: Validators
): ByteRange | undefined | 'unsatisfiable' {
  const { range, 'if-range': condition } = headers
  if (range === undefined) return undefined
  if (condition !== undefined && condition !== etag && condition !== lastModified) return undefined
  const { code, type, ranges } = parseRange(size, range)
  if (type !== 'bytes' || (code & MALFORMED) !== 0 || ranges.length > 1) return undefined
  return ranges[0] ?? (code === UNSATISFIABLE ? 'unsatisfiable' : undefined)
}

/** What range-parser finds wrong with a range: bits of its code. */
const MALFORMED = 1
const UNSATISFIABLE = 2

type ServerResponse = FastifyReply['raw']

/**
 * Destroys a response when its client has read nothing for the time limit, or at most twice as long. Time with nothing
 * to write does not count: the storage may be slow.
 */
function endWhenIdle (
  { httpVersionMajor, socket }: FastifyRequest['raw'], response: ServerResponse, limit: number
): void {
  if (httpVersionMajor > 1) { // an HTTP/2 connection is shared, but each of its streams has a timeout
    response.setTimeout(limit, () => response.destroy())
    return
  }
  let written = -1
  const timer = setInterval(() => {
    // One that has ended needs no `drain`, but its end may still be on the way to the operating system.
    const isWaiting = response.writableNeedDrain || socket.writableLength > 0
    if (isWaiting && socket.bytesWritten === written) socket.destroy()
    written = socket.bytesWritten
  }, limit).unref()
  if (response.closed || response.destroyed) clearInterval(timer)
  else response.once('close', () => clearInterval(timer))
}
