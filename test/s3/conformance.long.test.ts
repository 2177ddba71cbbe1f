import t from 'tap'
import { s3Storage } from '../../lib/store/s3/index.js'
import { storageConformance } from '../../lib/conformance/index.js'
import { noS3, s3 } from '../kit/s3.js'

t.setTimeout(300_000)

t.test('the S3 storage passes the conformance suite', { skip: noS3 }, async t => {
  let cases = 0
  const { client, bucket, prefix } = await s3(t)
  await storageConformance({
    test: (name, run) => t.test(name, run),
    create () {
      const options = { client, bucket, prefix: `${prefix}${++cases}/`, sweepInterval: false } as const
      const storage = s3Storage(options)
      return { storage, reopen: () => s3Storage(options), list: async () => await documentsIn(options) }
    }
  })
  t.ok(cases > 15)
})

/** The names of the contents that records name. */
async function documentsIn (
  { client, bucket, prefix }: { client: Parameters<typeof s3Storage>[0]['client'], bucket: string, prefix: string }
): Promise<string[]> {
  const names: string[] = []
  const { ListObjectsV2Command, GetObjectCommand } = await import('@aws-sdk/client-s3')
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}records/` }))
  for (const { Key } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    const { content } = JSON.parse(await Body!.transformToString())
    if (content) names.push(Key!)
  }
  return names.sort()
}
