// The object store of a run (`s3`), and a proxy in front of it that lets requests fail (`s3Proxy`, `proxiedStorage`).
// scripts/test.js starts the store for every run in which a test file imports this module.
import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { Test } from 'tap'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/store/s3/index.js'

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

/** One request to the object store. */
export interface StoreRequest {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  /** From 1. */
  readonly number: number
}

/** What becomes of a request; `undefined`: nothing is wrong. */
export type StoreFault =
  /** The connection is closed before the store sees the request. */
  | 'refused'
  /** The store does it, and the connection is closed instead of an answer. */
  | 'lost'
  /** The connection is closed; the store does it when the test calls `deliver`. */
  | 'late'
  /** The store does not see the request: this is the answer. */
  | { readonly status: number, readonly code?: string }
  /** The store does it: this is the answer nevertheless. */
  | { readonly doneWithStatus: number }
  /** The connection is closed after so many bytes of the body. */
  | { readonly cutAfter: number }
  /** The body stops after so many bytes, and the connection stays open. */
  | { readonly stallAfter: number }
  /** Resolves when the request may go on. */
  | { readonly until: Promise<unknown> }

export interface StoreProxy {
  readonly endpoint: string
  /** All requests so far. */
  readonly requests: StoreRequest[]
  /** Of the bodies so far, in both directions. */
  bytes: number
  /** Decides about each request. */
  onRequest: (request: StoreRequest) => StoreFault | undefined
  /** Lets the late requests arrive. */
  deliver (): Promise<void>
}

/** A proxy between a client and the object store at `endpoint`, which lets requests fail. */
export async function s3Proxy (t: Test, endpoint: string): Promise<StoreProxy> {
  const target = new URL(endpoint)
  const agent = new http.Agent({ keepAlive: true })
  const requests: StoreRequest[] = []
  const late: Array<() => Promise<unknown>> = []
  const server = http.createServer((request, response) => { serve(request, response).catch(() => request.socket.destroy()) })
  server.keepAliveTimeout = 120_000
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise(resolve => { server.close(resolve) })
    agent.destroy()
  })
  const proxy: StoreProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bytes: 0,
    onRequest: () => undefined,
    deliver: async () => { for (const send of late.splice(0)) await send() }
  }
  return proxy

  async function serve (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const seen: StoreRequest = { method, url, headers, number: requests.length + 1 }
    requests.push(seen)
    const fault = proxy.onRequest(seen)
    if (fault === 'refused') {
      request.socket.destroy()
      return
    }
    const body = await bodyOf(request)
    proxy.bytes += body.length
    if (typeof fault === 'object' && 'status' in fault) return answer(response, fault.status, fault.code)
    if (fault === 'late') {
      request.socket.destroy()
      late.push(async () => await bodyOf(await forward(request, body)))
      return
    }
    if (typeof fault === 'object' && 'until' in fault) await fault.until
    const upstream = await forward(request, body)
    if (fault === 'lost') {
      await bodyOf(upstream)
      request.socket.destroy()
    } else if (typeof fault === 'object' && 'doneWithStatus' in fault) {
      await bodyOf(upstream)
      answer(response, fault.doneWithStatus)
    } else {
      response.writeHead(upstream.statusCode!, upstream.rawHeaders)
      const limit = typeof fault === 'object' ? 'cutAfter' in fault ? fault.cutAfter : 'stallAfter' in fault ? fault.stallAfter : Infinity : Infinity
      if (limit === Infinity) {
        upstream.on('data', (chunk: Buffer) => { proxy.bytes += chunk.length })
        upstream.pipe(response)
        return
      }
      response.write((await bodyOf(upstream)).subarray(0, limit), () => { if ('cutAfter' in (fault as object)) request.socket.destroy() })
    }
  }

  async function forward ({ method, url, rawHeaders }: http.IncomingMessage, body: Buffer): Promise<http.IncomingMessage> {
    return await new Promise((resolve, reject) => {
      const request = http.request({ host: target.hostname, port: target.port, method, path: url, agent }, resolve)
      for (let index = 0; index < rawHeaders.length; index += 2) {
        if (!/^(connection|expect|transfer-encoding)$/i.test(rawHeaders[index]!)) request.setHeader(rawHeaders[index]!, rawHeaders[index + 1]!)
      }
      request.on('error', reject)
      request.end(body)
    })
  }
}

function answer (response: http.ServerResponse, status: number, code = status === 503 ? 'SlowDown' : 'InternalError'): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': text.length }).end(text)
}

async function bodyOf (message: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

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

/** Moves the store's time, as the client sees it: what it writes later is so much younger. */
export function movableStoreTime (client: S3Client) {
  interface Output { ETag?: string, LastModified?: Date, Contents?: Output[] }
  let offset = 0
  const offsets = new Map<string, number>()
  const move = (output: Output) => {
    if (output.LastModified) output.LastModified = new Date(output.LastModified.getTime() + (offsets.get(output.ETag!) ?? 0))
  }
  client.middlewareStack.add((next, { commandName }) => async args => {
    const result = await next(args)
    const output = result.output as object as Output
    if (commandName === 'PutObjectCommand') offsets.set(output.ETag!, offset)
    for (const one of [output, ...output.Contents ?? []]) move(one)
    return result
  }, { step: 'initialize', name: 'movedTime' })
  return { pass (milliseconds: number) { offset += milliseconds } }
}
