import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startCeph } from '../../scripts/ceph.js'

/**
 * Starts Ceph on loopback, which keeps everything in memory, with an empty bucket.
 */
export async function startObjectStore () {
  const ceph = await startCeph()
  const { endpoint, accessKeyId, secretAccessKey, region } = ceph
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
  const bucket = 'bench'
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    client,
    bucket,
    /** For a process with `storage()` of store.js. */
    environment: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY: accessKeyId,
      S3_SECRET_KEY: secretAccessKey
    },
    async stop () {
      client.destroy()
      await ceph.stop()
    }
  }
}
