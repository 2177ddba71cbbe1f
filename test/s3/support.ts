import type { S3Client } from '@aws-sdk/client-s3'
import type { Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/storage/s3/index.js'
import { s3, type TestS3 } from '../kit/s3.js'
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
export async function proxiedStorage (
  t: Test,
  options: Partial<S3StorageOptions> = {},
  clientOptions: ConstructorParameters<typeof S3Client>[0] = {}
): Promise<ProxiedStorage> {
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

/** Moves the time that the store tells the storage. The client signs its requests by the true time. */
export function movableStoreTime (client: S3Client) {
  interface Answer { readonly headers: Record<string, string> }
  type Next = (args: unknown) => Promise<{ readonly response: Answer }>
  let offset = 0
  const told = new WeakMap<Answer['headers'], string>()
  const moved = (next: Next) => async (args: unknown) => {
    const result = await next(args)
    const { headers } = result.response
    if (headers.date !== undefined) {
      told.set(headers, headers.date)
      headers.date = new Date(Date.parse(headers.date) + offset).toUTCString()
    }
    return result
  }
  const restore = (answer: Answer | undefined) => {
    const date = answer && told.get(answer.headers)
    if (date !== undefined) answer!.headers.date = date
  }
  const restored = (next: Next) => async (args: unknown) => {
    try {
      const result = await next(args)
      restore(result.response)
      return result
    } catch (error) {
      restore((error as { $response?: Answer }).$response)
      throw error
    }
  }
  client.middlewareStack.add(moved as never, { step: 'deserialize', priority: 'low', name: 'movedTime' })
  client.middlewareStack.add(restored as never, { step: 'finalizeRequest', priority: 'low', name: 'restoredTime' })
  return { pass (milliseconds: number) { offset += milliseconds } }
}
