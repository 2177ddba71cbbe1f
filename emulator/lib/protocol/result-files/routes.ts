import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import fresh from 'fresh'
import { combineRanges, parse as parseRange } from 'range-parser'
import type { ResultFiles } from './files.js'

const WHOLE = { code: 0, ranges: [] }

/**
 * Serves result files: GET with ranges and conditions. HEAD gives 404, a wrong signature 403, an expired URL 410.
 * Source: docs/document-server-protocol.md#result-files
 */
export function resultRoutes (app: FastifyInstance, files: ResultFiles): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/cache/files/*',
    handler (request, reply) {
      if (request.method === 'HEAD') return plain(reply, 404, 'Not Found')
      const file = files.find(request.raw.url ?? '')
      if (file === 'forbidden') return plain(reply, 403, 'Forbidden')
      if (file === 'expired') return plain(reply, 410, 'Gone')
      // Source: observed, here and below, where other servers answer 404, 412 and 416.
      if (file === 'missing') return reply.code(400).send('')

      const size = file.bytes.length
      const { headers } = request
      const modified = new Date(file.modifiedAt).toUTCString()
      const etag = `W/"${size.toString(16)}-${file.modifiedAt.toString(16)}"`
      reply.headers({
        'Content-Disposition': 'attachment',
        'Content-Type': file.mediaType,
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'public, max-age=0',
        'Last-Modified': modified,
        ETag: etag
      })
      if (isPreconditionFailed(headers, etag, modified)) return reply.code(400).send('')
      if (fresh(headers, { etag, 'last-modified': modified })) {
        return reply.code(304).removeHeader('Content-Type').send()
      }
      const range = rangeOf(headers, etag, modified)
      const { code, ranges } = range === undefined ? WHOLE : parseRange(size, range)
      if (code !== 0 && ranges.length === 0) return reply.code(400).header('Content-Range', `bytes */${size}`).send('')
      const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, size)
      const [part, ...others] = combineRanges(ranges)
      if (part === undefined || others.length > 0) return reply.send(bytes)
      return reply.code(206)
        .header('Content-Range', `bytes ${part.start}-${part.end}/${size}`)
        .send(bytes.subarray(part.start, part.end + 1))
    }
  })
}

/** The requested range, unless `If-Range` names another version of the file. */
function rangeOf (
  { range, 'if-range': condition }: IncomingHttpHeaders,
  etag: string,
  modified: string
): string | undefined {
  if (range === undefined || !/^ *bytes=./.test(range)) return undefined
  if (typeof condition !== 'string') return range
  const isSame = condition.includes('"') ? condition.includes(etag) : isSince(condition, modified)
  return isSame ? range : undefined
}

/** The client requires another version of the file. */
function isPreconditionFailed (
  { 'if-match': tags, 'if-unmodified-since': since }: IncomingHttpHeaders,
  etag: string,
  modified: string
): boolean {
  if (tags !== undefined) return !hasTag(tags, etag)
  return since !== undefined && Date.parse(since) < Date.parse(modified)
}

function hasTag (tags: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return tags.trim() === '*' || tags.split(',').some(tag => opaque(tag) === opaque(etag))
}

function isSince (date: string, modified: string): boolean {
  return Date.parse(modified) <= Date.parse(date)
}

function plain (reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text)
}
