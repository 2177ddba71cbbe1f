import {
  AbortMultipartUploadCommand, CopyObjectCommand, DeleteObjectCommand, GetObjectCommand, ListMultipartUploadsCommand,
  ListObjectsV2Command, PutObjectCommand, type S3Client
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import { performance } from 'node:perf_hooks'
import type { ByteRange, Content } from '../../../types/storage.js'
import { assertBytes } from '../../content.js'
import { InvalidOptionError, StorageError, StorageTimeoutError } from '../../errors.js'
import { discard } from '../../streams.js'
import { incompleteError, isNotFound, statusOf, storeError } from './store-errors.js'
import { createStoreTime, type StoreTime } from './store-time.js'
import { streamedBody } from './streamed-body.js'

/** A small object. */
export interface SmallObject {
  readonly text: string
  readonly etag: string
  readonly modifiedAt: Date | undefined
}

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: Date
}

export interface ListedUpload {
  readonly key: string
  readonly id: string
  readonly startedAt: Date
}

/** An object is only written if it has this ETag, or if there is none. */
export type Condition = { readonly etag: string } | 'absent'

/**
 * The requests to the object store. Each has a deadline, which also applies to a part of an upload and to a body that makes no
 * progress. They reject with `StorageError` or `StorageTimeoutError`; a request that rejected may still take effect.
 */
export interface ObjectStore {
  now (): StoreTime
  /** Resolves to `null` if there is no such object. */
  get (key: string): Promise<SmallObject | null>
  /** Resolves to the ETag. */
  put (key: string, text: string, condition?: Condition): Promise<string>
  /** The bytes of an object of this size, or a range of them; `null` if there is no such object. */
  open (key: string, size: number, range?: ByteRange): Promise<Readable | null>
  /** Stores content of any size. Resolves to its size. Rejects with the error of `content`, and then leaves nothing behind. */
  upload (key: string, content: Content): Promise<number>
  /** `size`: of the object. */
  copy (from: string, to: string, size: number): Promise<void>
  /** That there is no such object is not an error. */
  remove (key: string): Promise<void>
  list (prefix: string): AsyncIterable<ListedObject>
  uploads (prefix: string): AsyncIterable<ListedUpload>
  abortUpload (upload: ListedUpload): Promise<void>
  /** A URL that an object can be fetched from for this time in milliseconds. */
  urlOf (key: string, expiresIn: number): Promise<string>
  /** Whether ETags are sent in quotation marks from now on. */
  quoteETags (areQuoted: boolean): void
}

export interface ObjectStoreOptions {
  readonly client: S3Client
  readonly bucket: string
  readonly requestTimeout: number
  /** Makes the URLs of `urlOf`. */
  readonly urlClient?: S3Client
}

interface CallOptions {
  readonly abortSignal: AbortSignal
}

interface Measurable {
  readonly middlewareStack: { add (middleware: never, options: { step: 'deserialize', name: string, priority: 'high' }): void }
}

const PART_BYTES = 5 * 1024 * 1024
const UPLOAD_QUEUE = 2
/** `Upload` copies whatever it has into each part. */
const MAX_CHUNK_BYTES = 256 * 1024
/** CopyObject takes no larger ones. */
const MAX_COPY_BYTES = 5 * 1024 ** 3
/** Records and lists of versions are far smaller. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024
const CUT_OFF_ATTEMPTS = 3

export function createObjectStore ({ client, bucket: Bucket, requestTimeout, urlClient = client }: ObjectStoreOptions): ObjectStore {
  const time = createStoreTime()
  let quoted = (etag: string) => etag

  /** Has the store's time read from the answer to a command. */
  function measured<Command extends Measurable> (command: Command): Command {
    const middleware = (next: (args: unknown) => Promise<{ response: unknown }>) => async (args: unknown) => {
      const start = performance.now()
      const result = await next(args)
      const { headers } = result.response as { headers?: Record<string, string> }
      time.answered(headers?.date, start)
      return result
    }
    command.middlewareStack.add(middleware as never, { step: 'deserialize', name: 'storeTime', priority: 'high' })
    return command
  }

  /** Runs one operation, which ends when it is aborted. */
  async function run<Result> (operation: string, call: (options: CallOptions) => Promise<Result>, onLate: (result: Result) => void = () => {}): Promise<Result> {
    const controller = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const timedOut = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new StorageTimeoutError(operation, requestTimeout))
        controller.abort()
      }, requestTimeout)
    })
    const calling = call({ abortSignal: controller.signal })
    try {
      return await Promise.race([calling, timedOut])
    } catch (error) {
      calling.then(onLate, () => {})
      throw storeError(operation, error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function getOnce (key: string): Promise<SmallObject | null> {
    return await run('GetObject', async options => {
      const { Body, ContentLength, ETag, LastModified } = await client.send(measured(new GetObjectCommand({ Bucket, Key: key })), options).catch(nullIfNotFound) ?? {}
      if (Body === undefined) return null
      const body = Body as Readable
      options.abortSignal.addEventListener('abort', () => discard(body), { once: true })
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        length += chunk.length
        if (length > MAX_SMALL_BYTES) throw new StorageError(`${key} is too large to be what it should be`, { retryable: false })
        chunks.push(chunk)
      }
      if (length !== ContentLength || ETag === undefined) throw incompleteError('GetObject')
      return { text: Buffer.concat(chunks).toString(), etag: ETag.replaceAll('"', ''), modifiedAt: LastModified }
    })
  }

  async function remove (key: string): Promise<void> {
    await run('DeleteObject', async options => await client.send(measured(new DeleteObjectCommand({ Bucket, Key: key })), options).catch(nullIfNotFound))
  }

  /** What `Upload` sends has our deadlines. It would replace the first failure by that of ending the upload. */
  function uploadClient (onFailure: (error: unknown) => void): S3Client {
    async function send (command: Measurable) {
      try {
        return await run(command.constructor.name.replace(/Command$/, ''), async options => await client.send(measured(command) as never, options))
      } catch (error) {
        onFailure(error)
        throw error
      }
    }
    return Object.create(client, { send: { value: send } })
  }

  async function upload (key: string, content: Content): Promise<number> {
    const source = countedSource(content)
    let first: unknown
    try {
      await new Upload({ client: uploadClient(error => { first ??= error }), partSize: PART_BYTES, queueSize: UPLOAD_QUEUE, params: { Bucket, Key: key, Body: Readable.from(source.chunks, { highWaterMark: 1 }) } }).done()
    } catch (error) {
      if (source.failure) throw source.failure.error
      // It may have been stored, and only the answer lost. That is not relied on: the parts of an upload are aborted by now.
      remove(key).catch(() => {})
      throw storeError('PutObject', first ?? error)
    }
    return source.size()
  }

  return {
    upload,
    remove,

    now: time.now,

    async get (key) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await getOnce(key)
        } catch (error) {
          if (!isCutOff(error) || attempt === CUT_OFF_ATTEMPTS) throw error
        }
      }
    },

    async put (key, text, condition) {
      if (Buffer.byteLength(text) > MAX_SMALL_BYTES) throw new StorageError(`${key} would be larger than ${MAX_SMALL_BYTES} bytes`, { retryable: false })
      const { ETag } = await run('PutObject', async options => await client.send(measured(new PutObjectCommand({
        Bucket,
        Key: key,
        Body: Buffer.from(text),
        ContentType: 'application/json',
        ...(condition === 'absent' && { IfNoneMatch: '*' }),
        ...(typeof condition === 'object' && { IfMatch: quoted(condition.etag) })
      })), options))
      if (ETag === undefined) throw new StorageError('it sent no ETag', { retryable: false })
      return ETag.replaceAll('"', '')
    },

    async open (key, size, range) {
      const length = range ? range.end - range.start + 1 : size
      const found = await run('GetObject', async options => await client.send(measured(new GetObjectCommand({
        Bucket,
        Key: key,
        ...(range && { Range: `bytes=${range.start}-${range.end}` })
      })), options).catch(nullIfNotFound), late => { if (late?.Body) discard(late.Body as Readable) })
      if (!found?.Body) return null
      const source = found.Body as Readable
      if (found.ContentLength !== length) {
        discard(source)
        throw new StorageError(`an object has another size than it should: ${found.ContentLength} instead of ${length} bytes`, { retryable: false })
      }
      return streamedBody(source, length, requestTimeout)
    },

    async copy (from, to, size) {
      if (size > MAX_COPY_BYTES) throw new StorageError('staged content of more than 5 GiB cannot be copied', { retryable: false })
      await run('CopyObject', async options => await client.send(measured(new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}` })), options))
    },

    async * list (prefix) {
      let StartAfter: string | undefined
      for (;;) {
        const { Contents = [], IsTruncated } = await run('ListObjectsV2', async options => await client.send(measured(new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter })), options))
        for (const { Key, Size = 0, LastModified } of Contents) if (Key !== undefined && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
        StartAfter = Contents.at(-1)?.Key
        if (!IsTruncated || StartAfter === undefined) return
      }
    },

    async * uploads (prefix) {
      let next: { KeyMarker?: string | undefined, UploadIdMarker?: string | undefined } = {}
      for (;;) {
        const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker } = await run('ListMultipartUploads', async options => await client.send(measured(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...next })), options))
        for (const { Key, UploadId, Initiated } of Uploads) if (Key !== undefined && UploadId !== undefined && Initiated) yield { key: Key, id: UploadId, startedAt: Initiated }
        if (!IsTruncated || NextKeyMarker === undefined || (NextKeyMarker === next.KeyMarker && NextUploadIdMarker === next.UploadIdMarker)) return
        next = { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
      }
    },

    async abortUpload ({ key, id }) {
      await run('AbortMultipartUpload', async options => await client.send(measured(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: id })), options).catch(nullIfNotFound))
    },

    async urlOf (key, expiresIn) {
      const { getSignedUrl } = await presigner()
      return await getSignedUrl(urlClient, new GetObjectCommand({ Bucket, Key: key }), { expiresIn: Math.floor(expiresIn / 1000), signingDate: new Date(time.now().earliest) })
    },

    quoteETags (areQuoted) {
      quoted = areQuoted ? etag => `"${etag}"` : etag => etag
    }
  }
}

/** An optional dependency, which only this needs. */
export async function presigner () {
  try {
    return await import('@aws-sdk/s3-request-presigner')
  } catch (cause) {
    throw new InvalidOptionError('redirectDownloads', 'needs the package @aws-sdk/s3-request-presigner: install it', { cause })
  }
}

function nullIfNotFound (error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

function isCutOff (error: unknown): boolean {
  return error instanceof StorageError && error.retryable && statusOf(error) === undefined
}

/** Copies the chunks, because their owner may reuse the buffers. Keeps the error of the content, which is not the store's. */
function countedSource (content: Content) {
  let size = 0
  const source = {
    failure: undefined as { readonly error: unknown } | undefined,
    size: () => size,
    chunks: chunks()
  }
  return source

  async function * chunks (): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of isUint8Array(content) ? [content] : content) {
        assertBytes(chunk)
        for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
          const copied = Buffer.from(chunk.subarray(start, start + MAX_CHUNK_BYTES))
          size += copied.length
          yield copied
        }
      }
    } catch (error) {
      source.failure = { error }
      throw error
    }
  }
}
