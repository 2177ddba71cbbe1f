// The storage that the environment names: an object store, or a directory.
const { DIRECTORY = '', S3_ENDPOINT, S3_BUCKET = '', S3_PREFIX = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '', REDIRECT } = process.env

/** Between this process and the object store, since the process was started. Bytes of bodies. */
export const traffic = { requests: 0, sent: 0, received: 0 }

export async function storage () {
  if (!S3_ENDPOINT) {
    const { fileStorage } = await import('../../dist/lib/index.js')
    return fileStorage({ directory: DIRECTORY })
  }
  // Only then: it takes memory.
  const { S3Client } = await import('@aws-sdk/client-s3')
  const { s3Storage } = await import('../../dist/lib/storage/s3/index.js')
  const client = new S3Client({
    endpoint: S3_ENDPOINT,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY }
  })
  client.middlewareStack.add(next => async args => {
    const result = await next(args)
    const { headers: sent } = /** @type {any} */ (args.request)
    const { headers: received } = /** @type {any} */ (result.response)
    traffic.requests++
    traffic.sent += Number(sent['content-length'] ?? 0)
    traffic.received += Number(received['content-length'] ?? 0)
    return result
  }, { step: 'deserialize', priority: 'low', name: 'traffic' })
  return s3Storage({ client, bucket: S3_BUCKET, prefix: S3_PREFIX, sweepInterval: false, redirectDownloads: REDIRECT === 'true' })
}
