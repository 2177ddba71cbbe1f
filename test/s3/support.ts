import type { S3Client } from '@aws-sdk/client-s3'
import type { Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/storage/s3/index.js'
import { s3, type TestS3 } from '../helpers/s3.js'
import { s3Proxy, type StoreProxy } from '../helpers/s3-proxy.js'

export interface ProxiedStorage {
  /** Its requests go through the proxy. */
  readonly storage: S3Storage
  /** On the same objects, without the proxy. */
  readonly direct: S3Storage
  readonly proxy: StoreProxy
  readonly store: TestS3
  readonly client: S3Client
}

/** Two storages on the same objects, one of them behind a proxy that lets requests fail. Both are ready. */
export async function proxiedStorage (t: Test, options: Partial<S3StorageOptions> = {}, clientOptions: ConstructorParameters<typeof S3Client>[0] = {}): Promise<ProxiedStorage> {
  const store = await s3(t)
  const proxy = await s3Proxy(t, store.endpoint)
  const client = store.newClient({ endpoint: proxy.endpoint, maxAttempts: 1, ...clientOptions })
  const storage = s3Storage({ ...store.options, client, sweepInterval: false, ...options })
  const direct = s3Storage({ ...store.options, sweepInterval: false })
  t.teardown(async () => await Promise.all([storage.close(), direct.close()]))
  await Promise.all([storage.ready(), direct.ready()])
  proxy.requests.length = 0
  return { storage, direct, proxy, store, client }
}

export async function textOf (storage: Pick<S3Storage, 'read'>, fileId: string): Promise<string | null> {
  const found = await storage.read(fileId)
  return found && Buffer.concat(await found.body.toArray()).toString()
}

export async function * chunksOf (...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
