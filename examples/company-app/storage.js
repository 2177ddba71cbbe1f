import { fileStorage } from 'fastify-onlyoffice'

// A directory; `postgres`, in the database; or `s3://bucket/prefix/`: then the AWS SDK takes keys, region and endpoint
// from the environment.
export async function openStorage (place, database) {
  if (place === 'postgres') {
    const { postgresStorage } = await import('fastify-onlyoffice/postgres')
    const storage = postgresStorage({ pool: database })
    return { storage, close: async () => await storage.close() }
  }
  if (!place.startsWith('s3://')) return { storage: fileStorage({ directory: place }), close: async () => {} }
  const { S3Client } = await import('@aws-sdk/client-s3')
  const { s3Storage } = await import('fastify-onlyoffice/s3')
  const { hostname: bucket, pathname } = new URL(place)
  const client = new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined })
  const storage = s3Storage({ client, bucket, prefix: pathname.slice(1) })
  return {
    storage,
    async close () {
      await storage.close()
      client.destroy()
    }
  }
}
