import type { FastifyInstance, FastifyReply } from 'fastify'
import parseRange from 'range-parser'
import type { ResultFiles } from './files.js'

/**
 * Serves result files: GET with ranges; HEAD gives 404, a wrong signature 403, an expired one 410.
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
      if (file === 'missing') return plain(reply, 404, 'Not Found')

      const size = file.bytes.length
      reply.headers({
        'Content-Disposition': 'attachment',
        'Content-Type': file.mediaType,
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'public, max-age=0',
        'Last-Modified': new Date(file.modifiedAt).toUTCString(),
        ETag: `W/"${size.toString(16)}-${file.modifiedAt.toString(16)}"`
      })
      const ranges = request.headers.range === undefined ? -2 : parseRange(size, request.headers.range)
      // Source: observed; 416 is what others answer.
      if (ranges === -1) return reply.code(400).header('Content-Range', `bytes */${size}`).send('')
      const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, size)
      const range = ranges === -2 || ranges.length !== 1 ? undefined : ranges[0]
      if (range === undefined) return reply.send(bytes)
      return reply.code(206)
        .header('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
        .send(bytes.subarray(range.start, range.end + 1))
    }
  })
}

function plain (reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text)
}
