import type { FastifyInstance, FastifyReply } from 'fastify'
import { combineRanges, parse as parseRange } from 'range-parser'
import type { ResultFiles } from './files.js'

const WHOLE = { code: 0, ranges: [] }

/**
 * Serves result files: GET with ranges. HEAD gives 404, a wrong signature 403, an expired URL 410.
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
      // Source: observed, here and below, where other servers answer 404 and 416.
      if (file === 'missing') return reply.code(400).send('')

      const size = file.bytes.length
      const { range = '' } = request.headers
      reply.headers({
        'Content-Disposition': 'attachment',
        'Content-Type': file.mediaType,
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'public, max-age=0',
        'Last-Modified': new Date(file.modifiedAt).toUTCString(),
        ETag: `W/"${size.toString(16)}-${file.modifiedAt.toString(16)}"`
      })
      const { code, ranges } = /^ *bytes=./.test(range) ? parseRange(size, range) : WHOLE
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

function plain (reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text)
}
