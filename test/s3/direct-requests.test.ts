import { S3Client } from '@aws-sdk/client-s3'
import { createHash } from 'node:crypto'
import http from 'node:http'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { crc32 } from 'node:zlib'
import { s3Storage, type S3Storage, type S3StorageOptions } from '../../lib/storage/s3/index.js'
import { BUCKET, type MemoryS3, memoryS3, type MemoryS3Request } from './memory-store.js'
import { textOf } from '../kit/s3.js'

// Small requests are sent without the middleware of the SDK, in a store that verifies their signatures.

t.setTimeout(300_000)

const ID = { accessKeyId: 'access', secretAccessKey: 'secret/+' }

interface Tested {
  readonly storage: S3Storage
  readonly store: MemoryS3
  readonly client: S3Client
  /** How many requests the middleware of the SDK has prepared since the last call. */
  preparedBySdk (): number
}

interface TestedOptions {
  readonly options?: Partial<S3StorageOptions>
  readonly client?: (store: MemoryS3) => NonNullable<ConstructorParameters<typeof S3Client>[0]>
  readonly prepare?: (client: S3Client) => void
}

async function tested (t: Test, { options, prepare = () => {}, ...given }: TestedOptions = {}): Promise<Tested> {
  const store = await memoryS3(t)
  store.secrets.set(ID.accessKeyId, ID.secretAccessKey)
  let count = 0
  const client = new S3Client({
    region: 'eu-central-1',
    credentials: ID,
    endpoint: store.endpoint,
    forcePathStyle: true,
    ...given.client?.(store)
  })
  const { endpointProvider } = client.config
  client.config.endpointProvider = (...given) => { // the client's middleware calls it
    count++
    return endpointProvider(...given)
  }
  prepare(client)
  const storage = s3Storage({ client, bucket: BUCKET, sweepInterval: false, ...options })
  t.teardown(async () => {
    await storage.close()
    client.destroy()
  })
  await storage.ready()
  store.requests.length = 0
  count = 0
  return {
    storage,
    store,
    client,
    preparedBySdk () {
      const before = count
      count = 0
      return before
    }
  }
}

/**
 * Makes, changes, reads and removes a document. Resolves to the requests for it, without what differs from one to the
 * next.
 */
async function useDocument ({ storage, store }: Tested): Promise<string> {
  store.requests.length = 0
  const { fileId, revision } = (await storage.createAs('Übersicht #1', 'txt', Buffer.from('old')))!
  await storage.replace(fileId, Buffer.from('content'), { ifRevision: revision })
  await storage.state.set(fileId, { a: 'ü' }, null)
  if (await textOf(storage, fileId) !== 'content') throw new Error('the content is another one')
  await storage.remove(fileId)
  return JSON.stringify(store.requests.map(shape), null, 1).replaceAll(String(store.port), 'PORT')
}

function shape ({ method, url, headers }: MemoryS3Request): unknown {
  const same = Object.entries(headers).map((
    [name, value]
  ) => [
    name,
    /^(amz-sdk-invocation-id|x-amz-date|x-amz-content-sha256|x-amz-checksum-crc32|content-length|if-match)$/.test(name)
      ? '…'
      : value.replace(/Signature=\w+/, '')
  ])
  return { method, url: url.replace(/[0-9a-f-]{36}/, '…'), headers: Object.fromEntries(same.sort()) }
}

const addMiddleware = (client: S3Client) => { client.middlewareStack.add(next => async args => await next(args), { step: 'build', name: 'ofTheApplication' }) }

const CLIENTS: Record<string, TestedOptions> = {
  'path style': {},
  'virtual hosts, and an agent of the application': {
    client: ({ port }) => ({
      endpoint: `http://store.test:${port}`,
      forcePathStyle: false,
      requestHandler: {
        httpAgent: new http.Agent({
          keepAlive: true,
          lookup: (_host, _options, callback) => {
            callback(null, [{ address: '127.0.0.1', family: 4 }])
          }
        })
      }
    })
  },
  'an endpoint with a path': { client: ({ endpoint }) => ({ endpoint: `${endpoint}/gateway/` }) },
  'a session token': { client: () => ({ credentials: { ...ID, sessionToken: 'token/+=' } }) },
  'checksums only where they are required': { client: () => ({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }) },
  'a prefix that has to be encoded': { options: { prefix: 'a b/ü+\'(1)!*/%41/' } }
}

for (const [name, options] of Object.entries(CLIENTS)) {
  t.test(`${name}: requests are those of the SDK, and accepted`, async t => {
    const [direct, bySdk] = [await tested(t, options), await tested(t, { ...options, prepare: addMiddleware })]
    t.equal(await useDocument(direct), await useDocument(bySdk))
    t.ok(bySdk.preparedBySdk() > 0)
    const { fileId } = await direct.storage.create('txt', Buffer.from('content'))
    direct.preparedBySdk()
    t.ok(await direct.storage.state.set(fileId, 1, null))
    t.equal(await textOf(direct.storage, fileId), 'content')
    t.equal(await direct.storage.state.get(fileId).then(found => found?.value), 1)
    t.equal(direct.preparedBySdk(), 0, 'the SDK has prepared nothing')
    t.ok(direct.store.requests.length > 10)
  })
}

t.test('the client sends everything where the application takes part in its requests', async t => {
  let logged = 0
  const log = () => { logged++ }
  class OwnClient extends S3Client {
    override send = ((...given: Parameters<S3Client['send']>) => S3Client.prototype.send.apply(this, given)) as S3Client['send']
  }
  const smithy: Pick<S3Client, 'send'> = Object.getPrototypeOf(S3Client.prototype)
  const { send } = smithy
  t.teardown(() => {
    smithy.send = send
  })
  const instrument = () => {
    smithy.send = Object.assign(function (this: S3Client, ...given: Parameters<typeof send>) {
      return send.apply(this, given)
    }, { __wrapped: true }) as unknown as typeof send
  }
  const cases: Record<string, TestedOptions> = {
    middleware: { prepare: addMiddleware },
    'a logger': { client: () => ({ logger: { trace: log, debug: log, info: log, warn: log, error: log } }) },
    'a send of its own': {
      prepare: client => {
        client.send = OwnClient.prototype.send.bind(client) as S3Client['send']
      }
    },
    'a strategy for repeats that knows no tokens': {
      client: () => ({
        retryStrategy: {
          mode: 'own',
          retry: async (next: (args: unknown) => Promise<unknown>, args: unknown) => await next(args)
        } as never
      })
    },
    instrumentation: { prepare: instrument }
  }
  for (const [name, options] of Object.entries(cases)) {
    const one = await tested(t, options)
    const { fileId } = await one.storage.create('txt', Buffer.from('content'))
    one.preparedBySdk()
    one.store.requests.length = 0
    t.equal(await textOf(one.storage, fileId), 'content', name)
    t.equal(one.store.requests.length, 2, name)
    t.ok(one.preparedBySdk() >= 2, name)
  }
  t.ok(logged > 0)
})

t.test('credentials are those of the moment, and refused ones are replaced', async t => {
  let number = 0
  const one = await tested(t, {
    client: ({ secrets }) => ({
      credentials: async () => {
        const id = { accessKeyId: `access${++number}`, secretAccessKey: `secret${number}` }
        secrets.clear()
        secrets.set(id.accessKeyId, id.secretAccessKey)
        return { ...id, sessionToken: 'token', expiration: new Date(Date.now() + 1000) } // they are renewed long before
      }
    })
  })
  const { fileId } = await one.storage.create('txt', Buffer.from('content'))
  for (let round = 0; round < 20; round++) t.equal(await textOf(one.storage, fileId), 'content')
  t.ok(new Set(one.store.requests.map(({ headers }) => headers.authorization!.split('/')[0])).size > 2)
})

t.test('what is not answered with success is the first try of the client', async t => {
  for (const maxAttempts of [1, 3]) {
    const { storage, store } = await tested(t, { client: () => ({ maxAttempts }) })
    const { fileId } = await storage.create('txt', Buffer.from('content'))
    const failing = async (fault: ReturnType<MemoryS3['onRequest']>, count = Infinity) => {
      store.requests.length = 0
      store.onRequest = () => store.requests.length <= count ? fault : undefined
      const result = await storage.stat(fileId).catch((error: unknown) => error)
      store.onRequest = () => undefined
      return result
    }
    t.match(await failing({ status: 503, code: 'SlowDown' }), {
      code: 'FST_EDITOR_STORAGE',
      retryable: true,
      cause: { name: 'SlowDown', status: 503, attempts: maxAttempts }
    })
    t.equal(store.requests.length, maxAttempts)
    t.match(await failing('reset'), { code: 'FST_EDITOR_STORAGE', retryable: true, cause: { attempts: maxAttempts } })
    t.match(await failing({ status: 403, code: 'AccessDenied' }), {
      code: 'FST_EDITOR_STORAGE',
      retryable: false,
      cause: { name: 'AccessDenied', attempts: 1 }
    })
    t.equal(store.requests.length, 1)
    if (maxAttempts === 1) continue
    t.match(await failing({ status: 503 }, 1), { fileId })
    t.equal(store.requests.length, 2)
    t.match(await failing('reset', 1), { fileId })

    const future = new Date(Date.now() + 3_600_000)
    store.onRequest = ({ headers }) =>
      headers['x-amz-date']! < timeOf(future.getTime() - 60_000)
        ? { status: 403, code: 'RequestTimeTooSkewed', headers: { date: future.toUTCString() } }
        : { headers: { date: future.toUTCString() } }
    store.requests.length = 0
    for (let round = 0; round < 3; round++) t.match(await storage.stat(fileId), { fileId })
    t.equal(store.requests.length, 1 + 3, 'the client has corrected its clock')
  }
})

t.test('a conditional write whose answer is lost was made, and a conflict is one', async t => {
  const { storage, store } = await tested(t)
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  let version = await storage.state.set(fileId, 0, null)
  for (const fault of ['lost', 'reset', { status: 503 }] as const) {
    let left = 1
    store.onRequest = ({ method }) => method === 'PUT' && left-- > 0 ? fault : undefined
    version = await storage.state.set(fileId, fault, version)
    t.ok(version)
    t.match(await storage.state.get(fileId), { value: fault, version })
  }
  const other = s3Storage({
    client: new S3Client({ region: 'us-east-1', credentials: ID, endpoint: store.endpoint, forcePathStyle: true }),
    bucket: BUCKET,
    sweepInterval: false
  })
  t.teardown(async () => await other.close())
  t.ok(await other.state.set(fileId, 'of another', version))
  t.equal(await storage.state.set(fileId, 'late', version), null)
  t.match(await storage.state.get(fileId), { value: 'of another' })
})

t.test('bodies are compared with the checksums of their answers', async t => {
  const one = await tested(t, { client: () => ({ maxAttempts: 1 }) })
  const { storage, store } = one
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  const answered = async (headers: Record<string, string>) => {
    store.requests.length = 0
    one.preparedBySdk()
    store.onRequest = ({ key }) => key.startsWith('contents/') ? { headers } : undefined
    return await textOf(storage, fileId).catch((error: unknown) => error)
  }
  const sha256 = createHash('sha256').update('content').digest('base64')
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32('content'))
  t.equal(await answered({ 'x-amz-checksum-crc32': crc.toString('base64') }), 'content')
  t.equal(one.preparedBySdk(), 0)
  t.match(await answered({ 'x-amz-checksum-crc32': 'AAAAAA==' }), { code: 'FST_EDITOR_STORAGE', retryable: true, message: /another checksum/ })
  t.equal(await answered({ 'x-amz-checksum-crc32': 'AAAAAA==-2' }), 'content', 'of the parts')
  t.equal(await answered({ 'x-amz-checksum-sha256': sha256 }), 'content')
  t.equal(store.requests.length, 2, 'the client has taken over the answer')
  t.match(await answered({ 'x-amz-checksum-sha256': sha256.replace(/^./, character => character === 'A' ? 'B' : 'A') }), { code: 'FST_EDITOR_STORAGE' })
  store.onRequest = ({ key }) => key.startsWith('records/') ? { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } } : undefined
  await t.rejects(storage.stat(fileId), { code: 'FST_EDITOR_STORAGE', message: /another checksum/ })
})

t.test('URLs are valid for whoever has them, also those of a client with middleware', async t => {
  for (const options of Object.values(CLIENTS).filter(({ client }) => !client?.({ endpoint: '', port: 0 } as MemoryS3).requestHandler)) {
    const made: string[] = []
    for (const prepare of [() => {}, addMiddleware]) {
      const { storage, store } = await tested(t, { ...options, options: { ...options.options, redirectDownloads: { expiresIn: 60_000 } }, prepare })
      const { fileId } = await storage.create('txt', Buffer.from('content'))
      const { url } = (await storage.downloadUrl!(fileId))!
      t.equal(await (await fetch(url)).text(), 'content')
      made.push(url.split(/[?&]/).filter(part => /^X-Amz-(Expires|SignedHeaders|Algorithm|Security-Token|Credential)=/.test(part)).sort().join(' '))
      t.equal((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'))).status, 403)
      store.secrets.clear()
      t.equal((await fetch(url)).status, 403)
    }
    t.equal(made[0], made[1])
  }
})

t.test('the content of an upload that cannot begin is closed', async t => {
  const { storage, store } = await tested(t, { client: () => ({ maxAttempts: 1 }) })
  store.onRequest = ({ method }) => method === 'POST' ? { status: 503 } : undefined
  const content = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024)))
  await t.rejects(storage.create('txt', content), { code: 'FST_EDITOR_STORAGE', message: /CreateMultipartUpload/ })
  t.ok(content.destroyed)
})

t.test('a request ends with the time limit, however often it is repeated', async t => {
  const { storage, store } = await tested(t, { options: { requestTimeout: 2000 }, client: () => ({ maxAttempts: 100 }) })
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  store.onRequest = () => ({ status: 503 })
  await t.rejects(storage.stat(fileId), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
})

function timeOf (milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[-:]|\.\d+/g, '')
}
