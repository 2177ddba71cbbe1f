// The storage that the environment names: an object store, or a directory.
const {
  DIRECTORY = '',
  S3_ENDPOINT,
  S3_BUCKET = '',
  S3_PREFIX = '',
  S3_ACCESS_KEY = '',
  S3_SECRET_KEY = '',
  REDIRECT
} = process.env

/** Between this process and the object store, since the process was started. Bytes of bodies. */
export const traffic = { requests: 0, sent: 0, received: 0 }

export async function storage () {
  if (!S3_ENDPOINT) {
    const { fileStorage } = await import('../../dist/lib/index.js')
    return fileStorage({ directory: DIRECTORY })
  }
  // Only then: it takes memory.
  const { S3Client } = await import('@aws-sdk/client-s3')
  const { s3Storage } = await import('../../dist/lib/store/s3/index.js')
  const client = new S3Client({
    endpoint: S3_ENDPOINT,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY, secretAccessKey: S3_SECRET_KEY }
  })
  const { requestHandler } = client.config
  const handle = requestHandler.handle.bind(requestHandler)
  // Middleware would make the storage send everything through the client's.
  requestHandler.handle = async (request, options) => {
    const result = await handle(request, options)
    traffic.requests++
    traffic.sent += Number(request.headers['content-length'] ?? 0)
    traffic.received += Number(result.response.headers['content-length'] ?? 0)
    return result
  }
  return s3Storage({
    client,
    bucket: S3_BUCKET,
    prefix: S3_PREFIX,
    sweepInterval: false,
    redirectDownloads: REDIRECT === 'true'
  })
}
