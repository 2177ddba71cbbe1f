import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand, type CompletedPart, CompleteMultipartUploadCommand, CopyObjectCommand,
  CreateMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand, ListMultipartUploadsCommand,
  ListObjectsV2Command, PutObjectCommand, type S3Client, UploadPartCommand
} from '@aws-sdk/client-s3'
import type { ByteRange, Content } from '../../../types/storage.js'
import { StorageError, StorageTimeoutError } from '../../errors.js'
import { discard } from '../../util/streams.js'
import { type Part, partsOf, streamedBody, wholeBody } from './bodies.js'
import { createDirectRequests, goingOn, type SmallAnswer, type SmallCommand } from './direct-requests.js'
import { incompleteError, isNotFound, statusOf, storeError } from './store-errors.js'
import { createStoreTime, type StoreTime } from './store-time.js'

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

interface ListedUpload {
  readonly key: string
  readonly id: string
  readonly startedAt: Date
}

/** The object is only written if it has this ETag, or does not exist. */
export type Condition = { readonly etag: string } | 'absent'

/**
 * The requests to the object store. Each has a deadline, which also applies to a part of an upload and to a body that
 * makes no progress. They reject with `StorageError` or `StorageTimeoutError`; a request that rejected may still take
 * effect.
 */
export interface ObjectStore {
  now (): StoreTime
  /** Resolves to `null` if the object does not exist. */
  get (key: string): Promise<SmallObject | null>
  /** Resolves to the ETag. */
  put (key: string, text: string, condition?: Condition): Promise<string>
  /** The bytes of an object of this size, or a range of them; `null` if the object does not exist. */
  open (key: string, size: number, range?: ByteRange): Promise<Readable | null>
  /**
   * Stores content of any size. Resolves to its size. If reading `content` fails, rejects with that error and leaves
   * nothing behind.
   */
  upload (key: string, content: Content): Promise<number>
  /** `size`: the size of the object. */
  copy (from: string, to: string, size: number): Promise<void>
  /** Ignores a missing object. */
  remove (key: string): Promise<void>
  list (prefix: string): AsyncIterable<ListedObject>
  uploads (prefix: string): AsyncIterable<ListedUpload>
  abortUpload (upload: ListedUpload): Promise<void>
  /** A URL that an object can be fetched from. `expiresIn`: milliseconds. */
  urlOf (key: string, expiresIn: number): Promise<string>
  /** Whether ETags are sent in quotation marks from now on. */
  quoteETags (areQuoted: boolean): void
}

interface ObjectStoreOptions {
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
  readonly middlewareStack: {
    add(middleware: never, options: { step: 'deserialize', name: string, priority: 'high' }): void
  }
}

const PARTS_AT_ONCE = 2
/** CopyObject accepts no larger objects. */
const MAX_COPY_BYTES = 5 * 1024 ** 3
/** Records and lists of versions are far smaller. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024
const CUT_OFF_ATTEMPTS = 3

export function createObjectStore (
  { client, bucket: Bucket, requestTimeout, urlClient = client }: ObjectStoreOptions
): ObjectStore {
  const time = createStoreTime()
  const direct = createDirectRequests(client, Bucket)
  const urls = urlClient === client ? direct : createDirectRequests(urlClient, Bucket)
  let quoted = (etag: string) => etag

  /** Makes the client read the store's time from the answer to a command. */
  function measured<Command extends Measurable> (command: Command, sentAt?: number): Command {
    const middleware = (next: (args: unknown) => Promise<{ response: unknown }>) => async (args: unknown) => {
      const start = sentAt ?? performance.now()
      sentAt = undefined // the first try only
      const result = await next(args)
      const { headers } = result.response as { headers?: Record<string, string> }
      time.answered(headers?.date, start)
      return result
    }
    command.middlewareStack.add(middleware as never, { step: 'deserialize', name: 'storeTime', priority: 'high' })
    return command
  }

  async function sent (command: SmallCommand, options: CallOptions): Promise<SmallAnswer> {
    const start = performance.now()
    const { answer, first } = await direct.attempt(command, options.abortSignal)
    if (!answer) {
      return await client.send(
        (first ? measured(goingOn(command, first), start) : measured(command)) as GetObjectCommand,
        options
      )
    }
    time.answered(answer.date, start)
    return answer
  }

  /** Runs one operation, which ends when it is aborted. */
  async function run<Result> (
    operation: string,
    call: (options: CallOptions) => Promise<Result>,
    onLate: (result: Result) => void = () => {}
  ): Promise<Result> {
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
      const { Body, ContentLength: length = -1, ETag, LastModified, checksum } =
        await sent(new GetObjectCommand({ Bucket, Key: key }), options).catch(nullIfNotFound) ?? {}
      if (Body === undefined) return null
      const body = Body as Readable
      options.abortSignal.addEventListener('abort', () => discard(body), { once: true })
      if (length > MAX_SMALL_BYTES || ETag === undefined) {
        discard(body)
        throw ETag === undefined
          ? incompleteError('GetObject')
          : new StorageError(`${key} is too large to be what it should be`, { retryable: false })
      }
      const bytes = await wholeBody(body, length, checksum)
      return { text: bytes.toString(), etag: ETag.replaceAll('"', ''), modifiedAt: LastModified }
    })
  }

  async function putBytes (
    key: string,
    bytes: Buffer,
    headers: { readonly ContentType: string, readonly IfMatch?: string, readonly IfNoneMatch?: string }
  ): Promise<string | undefined> {
    return (await run(
      'PutObject',
      async options => await sent(new PutObjectCommand({ Bucket, Key: key, Body: bytes, ...headers }), options)
    )).ETag
  }

  async function remove (key: string): Promise<void> {
    await run(
      'DeleteObject',
      async options => await sent(new DeleteObjectCommand({ Bucket, Key: key }), options).catch(nullIfNotFound)
    )
  }

  async function upload (key: string, content: Content): Promise<number> {
    const source = partsOf(content)
    try {
      const first = (await source.parts.next()).value as Part
      if (first.isLast) await putBytes(key, first.bytes, { ContentType: 'application/octet-stream' })
      else await uploadParts(key, first, source.parts)
    } catch (error) {
      source.parts.return().catch(() => {}) // nobody reads the content any more
      if (source.failure) throw source.failure.error
      // The object may have been stored although the answer was lost. That is not relied on: the upload has been
      // aborted by now.
      remove(key).catch(() => {})
      throw error
    }
    return source.size
  }

  async function uploadParts (Key: string, first: Part, others: AsyncIterable<Part>): Promise<void> {
    const ChecksumAlgorithm = await client.config.requestChecksumCalculation() === 'WHEN_SUPPORTED'
      ? 'CRC32'
      : undefined
    const { UploadId } = await run(
      'CreateMultipartUpload',
      async options =>
        await client.send(measured(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm })), options)
    )
    const Parts: CompletedPart[] = []
    const sending = new Set<Promise<void>>()
    let failure: { readonly error: unknown } | undefined
    async function send ({ number: PartNumber, bytes: Body }: Part): Promise<void> {
      const { ETag, ChecksumCRC32 } = await run(
        'UploadPart',
        async options =>
          await client.send(measured(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body })), options)
      )
      Parts[PartNumber - 1] = { PartNumber, ETag, ChecksumCRC32 }
    }
    async function sendSoon (part: Part): Promise<void> {
      const one: Promise<void> = send(part).catch(error => { failure ??= { error } }).finally(() => sending.delete(one))
      sending.add(one)
      if (sending.size === PARTS_AT_ONCE) await Promise.race(sending)
    }

    try {
      await sendSoon(first)
      for await (const part of others) {
        if (failure) break
        await sendSoon(part)
      }
      await Promise.all(sending)
      if (failure) throw failure.error
      await run(
        'CompleteMultipartUpload',
        async options =>
          await client.send(
            measured(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })),
            options
          )
      )
    } catch (error) {
      await Promise.all(sending)
      if (UploadId !== undefined) await abortUpload({ key: Key, id: UploadId }).catch(() => {}) // the sweep does it
      throw error
    }
  }

  async function abortUpload ({ key, id }: Pick<ListedUpload, 'key' | 'id'>): Promise<void> {
    await run(
      'AbortMultipartUpload',
      async options =>
        await client.send(measured(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: id })), options).catch(
          nullIfNotFound
        )
    )
  }

  return {
    upload,
    remove,
    abortUpload,

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
      if (Buffer.byteLength(text) > MAX_SMALL_BYTES) {
        throw new StorageError(`${key} would be larger than ${MAX_SMALL_BYTES} bytes`, { retryable: false })
      }
      const ETag = await putBytes(key, Buffer.from(text), {
        ContentType: 'application/json',
        ...(condition === 'absent' && { IfNoneMatch: '*' }),
        ...(typeof condition === 'object' && { IfMatch: quoted(condition.etag) })
      })
      if (ETag === undefined) throw new StorageError('it sent no ETag', { retryable: false })
      return ETag.replaceAll('"', '')
    },

    async open (key, size, range) {
      const length = range ? range.end - range.start + 1 : size
      const command = new GetObjectCommand({
        Bucket,
        Key: key,
        ...(range && { Range: `bytes=${range.start}-${range.end}` })
      })
      const found = await run(
        'GetObject',
        async options => await sent(command, options).catch(nullIfNotFound),
        late => {
          if (late?.Body) discard(late.Body as Readable)
        }
      )
      if (!found?.Body) return null
      const source = found.Body as Readable
      if (found.ContentLength !== length) {
        discard(source)
        throw new StorageError(
          `an object has another size than it should: ${found.ContentLength} instead of ${length} bytes`,
          { retryable: false }
        )
      }
      return streamedBody(source, length, requestTimeout, found.checksum)
    },

    async copy (from, to, size) {
      if (size > MAX_COPY_BYTES) {
        throw new StorageError('staged content of more than 5 GiB cannot be copied', { retryable: false })
      }
      await run(
        'CopyObject',
        async options =>
          await client.send(
            measured(
              new CopyObjectCommand({
                Bucket,
                Key: to,
                CopySource: `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`
              })
            ),
            options
          )
      )
    },

    async * list (prefix) {
      let StartAfter: string | undefined
      for (;;) {
        const { Contents = [], IsTruncated } = await run(
          'ListObjectsV2',
          async options =>
            await client.send(measured(new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter })), options)
        )
        for (const { Key, Size = 0, LastModified } of Contents) {
          if (Key !== undefined && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
        }
        StartAfter = Contents.at(-1)?.Key
        if (!IsTruncated || StartAfter === undefined) return
      }
    },

    async * uploads (prefix) {
      let next: { KeyMarker?: string | undefined, UploadIdMarker?: string | undefined } = {}
      for (;;) {
        const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker } = await run(
          'ListMultipartUploads',
          async options =>
            await client.send(measured(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...next })), options)
        )
        for (const { Key, UploadId, Initiated } of Uploads) {
          if (Key !== undefined && UploadId !== undefined && Initiated) {
            yield { key: Key, id: UploadId, startedAt: Initiated }
          }
        }
        if (
          !IsTruncated || NextKeyMarker === undefined ||
          (NextKeyMarker === next.KeyMarker && NextUploadIdMarker === next.UploadIdMarker)
        ) return
        next = { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
      }
    },

    async urlOf (key, expiresIn) {
      return await urls.urlOf(key, Math.floor(expiresIn / 1000), time.now().earliest)
    },

    quoteETags (areQuoted) {
      quoted = areQuoted ? etag => `"${etag}"` : etag => etag
    }
  }
}

function nullIfNotFound (error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

function isCutOff (error: unknown): boolean {
  return error instanceof StorageError && error.retryable && statusOf(error) === undefined
}
