import { Readable } from 'node:stream'
import createError from '@fastify/error'
import { NoContent } from '../errors.js'
import { extensionOf } from '../formats.js'
import { titleOf } from '../names.js'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */
/** @import { Parts } from './index.js' */

const MAX_UPLOAD_BYTES = 100 * 1024 * 1024

const UploadTooLarge = createError('DEMO_TOO_LARGE', `The file is larger than ${MAX_UPLOAD_BYTES / 1024 ** 2} MB`, 413)

/**
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function uploadRoutes (app, { documents }) {
  // Only this content type: other sites cannot send it without a CORS preflight, so they cannot upload.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))

  app.post('/documents', async (request, reply) => {
    const { name: given } = /** @type {{ name?: unknown }} */ (request.query)
    const name = titleOf(given, extensionOf(String(given)))
    if (!(request.body instanceof Readable)) throw new NoContent()
    const { fileId: id } = await app.editorControl().uploadDocument(uploadedBytes(request, request.body), name, {
      check: true
    })
    return reply.code(201).send(await documents.add(id, name))
  })
}

/**
 * Streams the body of a request. Throws beyond the limit; nothing of the upload is stored then.
 * @param {FastifyRequest} request
 * @param {Readable} payload
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function * uploadedBytes (request, payload) {
  if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) throw new UploadTooLarge()
  let size = 0
  // The stream is not destroyed, because the connection is needed for the response.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MAX_UPLOAD_BYTES) throw new UploadTooLarge()
    yield chunk
  }
}
