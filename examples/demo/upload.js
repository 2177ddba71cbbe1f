import createError from '@fastify/error'

const MAX_UPLOAD_BYTES = 100 * 1024 * 1024

const UploadTooLarge = createError('DEMO_TOO_LARGE', `The file is larger than ${MAX_UPLOAD_BYTES / 1024 ** 2} MB`, 413)

/**
 * Streams the body of a request. Throws beyond the limit; nothing of the upload is stored then.
 * @param {import('fastify').FastifyRequest} request
 * @param {import('node:stream').Readable} payload
 * @returns {AsyncGenerator<Uint8Array>}
 */
export async function * uploadedBytes (request, payload) {
  if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) throw new UploadTooLarge()
  let size = 0
  // The stream is not destroyed, because the connection is needed for the response.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MAX_UPLOAD_BYTES) throw new UploadTooLarge()
    yield chunk
  }
}
