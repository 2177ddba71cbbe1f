import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'

export interface TestS3 {
  readonly client: S3Client
  readonly bucket: string
  readonly prefix: string
  /** Of `s3Storage`. */
  readonly options: { readonly client: S3Client, readonly bucket: string, readonly prefix: string }
  readonly endpoint: string
  /** Another client of the same store. */
  newClient (options?: ConstructorParameters<typeof S3Client>[0]): S3Client
  /** The keys that begin with the test's prefix and this, without the prefix, sorted. */
  list (prefix?: string): Promise<string[]>
  /** Of an object, by such a key. */
  textOf (key: string): Promise<string>
}

const ENDPOINT = process.env.S3_TEST_ENDPOINT
const START_MS = 60_000
const CREDENTIALS = { accessKeyId: 'testaccess', secretAccessKey: 'testsecret' }
const BUCKET = `tests-${randomUUID()}`

/** For the `skip` option of a test: why there is no object store, else `false`. scripts/test.js starts one. */
export const noS3: string | false = ENDPOINT ? false : 'Ceph is not installed'

const known = new WeakMap<Test, TestS3>()
let bucketCreated: Promise<void> | undefined

/** The object store of this run. Each test has a prefix of its own in it, and gets the same one whenever it asks. */
export async function s3 (t: Test): Promise<TestS3> {
  if (!ENDPOINT) throw new Error('There is no object store: S3_TEST_ENDPOINT is not set. `npm test -- <file>` starts one')
  bucketCreated ??= createBucket(ENDPOINT)
  await bucketCreated
  const found = known.get(t)
  if (found) return found
  const created = onStore(t, ENDPOINT)
  known.set(t, created)
  return created
}

function onStore (t: Test, endpoint: string): TestS3 {
  const prefix = `${randomUUID()}/`
  function newClient (options: ConstructorParameters<typeof S3Client>[0] = {}): S3Client {
    const client = clientOf(endpoint, options)
    t.teardown(() => client.destroy())
    return client
  }
  const client = newClient()
  return {
    client,
    bucket: BUCKET,
    prefix,
    options: { client, bucket: BUCKET, prefix },
    endpoint,
    newClient,
    async list (start = '') {
      const keys: string[] = []
      for (let token: string | undefined; ;) {
        const page = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix + start, ContinuationToken: token }))
        keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length)))
        token = page.NextContinuationToken
        if (token === undefined) return keys.sort()
      }
    },
    textOf: async key => await (await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: prefix + key }))).Body!.transformToString()
  }
}

function clientOf (endpoint: string, options: ConstructorParameters<typeof S3Client>[0]): S3Client {
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CREDENTIALS, ...options })
}

/** The store is started together with the tests. */
async function createBucket (endpoint: string): Promise<void> {
  const client = clientOf(endpoint, { maxAttempts: 1 })
  const deadline = performance.now() + START_MS
  try {
    for (;;) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
        return
      } catch (error) {
        if (performance.now() > deadline || !['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
  } finally {
    client.destroy()
  }
}
