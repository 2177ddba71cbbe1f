import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand, type CompletedPart, CompleteMultipartUploadCommand, CopyObjectCommand,
  CreateMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand, ListMultipartUploadsCommand,
  ListObjectsV2Command, PutObjectCommand, type S3Client, UploadPartCommand
} from '@aws-sdk/client-s3'
import type { ByteRange, Content } from '../../../types/storage.js'
import { StorageError, StorageTimeoutError } from '../../errors.js'
import { unlessAborted } from '../../util/limits.js'
import { bytesOf, discard } from '../../util/streams.js'
import { type Part, partsOf, streamedBody } from './bodies.js'
import { type Command, createDirectRequests } from './direct-requests.js'
import { incompleteError, isNotFound, statusOf, storeError } from './store-errors.js'
import { createStoreTime } from './store-time.js'

export type ObjectStore = ReturnType<typeof createObjectStore>
export type SmallObject = NonNullable<Awaited<ReturnType<ObjectStore['get']>>>

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: Date
}

/** The object is only written if it has this ETag, or does not exist. */
export type Condition = { readonly etag: string } | 'absent'

interface ObjectStoreOptions {
  readonly client: S3Client
  readonly bucket: string
  readonly requestTimeout: number
  /** Makes the URLs of `urlOf`. */
  readonly urlClient: S3Client
}

const PARTS_AT_ONCE = 2
/** CopyObject accepts no larger objects. */
const MAX_COPY_BYTES = 5 * 1024 ** 3
/** Records and lists of versions are far smaller. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024
const CUT_OFF_ATTEMPTS = 3

/**
 * The requests to the object store. Each has a deadline, which also applies to a part of an upload and to a body that
 * makes no progress. They reject with `StorageError` or `StorageTimeoutError`; a request that rejected may still take
 * effect.
 */
export function createObjectStore ({ client, bucket: Bucket, requestTimeout, urlClient }: ObjectStoreOptions) {
  const time = createStoreTime()
  const requests = createDirectRequests(client, Bucket, time)
  const urls = urlClient === client ? requests : createDirectRequests(urlClient, Bucket, time)
  let areETagsQuoted = false

  /** Runs one operation, which ends when it is aborted. */
  async function run<Result> (operation: string, call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController()
    const { signal } = controller
    const timeUp = () => controller.abort(new StorageTimeoutError(operation, requestTimeout))
    const timer = setTimeout(timeUp, requestTimeout)
    try {
      return await unlessAborted(call(signal), signal)
    } catch (error) {
      throw storeError(operation, signal.aborted ? signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function send<Output> (operation: string, command: Command<Output>): Promise<Output> {
    return await run(operation, async signal => await requests.send(command, signal))
  }

  /** Like `send`, for a command that has nothing to do if the object or upload does not exist. */
  async function sendIfFound (operation: string, command: Command<unknown>): Promise<void> {
    await run(operation, async signal => await requests.send(command, signal).catch(nullIfNotFound))
  }

  /** An object or a range of it; `null` if it does not exist. Nobody reads the body after the signal is aborted. */
  async function found (Key: string, signal: AbortSignal, range?: ByteRange) {
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new GetObjectCommand({ Bucket, Key, Range })
    const { Body, ContentLength: length = -1, ETag, LastModified, checksum } =
      await requests.send(command, signal).catch(nullIfNotFound) ?? {}
    if (Body === undefined) return null
    const source = Body as Readable
    signal.addEventListener('abort', () => discard(source), { once: true })
    if (signal.aborted) discard(source)
    return { source, length, etag: ETag, modifiedAt: LastModified, checksum }
  }

  async function getOnce (key: string) {
    return await run('GetObject', async signal => {
      const object = await found(key, signal)
      if (!object) return null
      const { source, length, etag, modifiedAt, checksum } = object
      if (length > MAX_SMALL_BYTES || etag === undefined) {
        discard(source)
        throw etag === undefined
          ? incompleteError()
          : new StorageError(`${key} is too large to be what it should be`, { retryable: false })
      }
      const bytes = await bytesOf(streamedBody(source, length, requestTimeout, checksum))
      return { text: bytes.toString(), etag: etag.replaceAll('"', ''), modifiedAt }
    })
  }

  async function remove (Key: string): Promise<void> {
    await sendIfFound('DeleteObject', new DeleteObjectCommand({ Bucket, Key }))
  }

  async function uploadParts (Key: string, first: Part, others: AsyncGenerator<Part, void>): Promise<void> {
    const ChecksumAlgorithm = await client.config.requestChecksumCalculation() === 'WHEN_SUPPORTED'
      ? 'CRC32'
      : undefined
    const { UploadId } = await send(
      'CreateMultipartUpload',
      new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm })
    )
    const Parts: CompletedPart[] = []
    const sending = new Set<Promise<void>>()
    let failure: { readonly error: unknown } | undefined
    async function sendPart (PartNumber: number, Body: Buffer): Promise<void> {
      const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body })
      const { ETag, ChecksumCRC32 } = await send('UploadPart', command)
      Parts[PartNumber - 1] = { PartNumber, ETag, ChecksumCRC32 }
    }

    try {
      let number = 1
      for (let part: Part | void = first; part && !failure; part = (await others.next()).value) {
        const one: Promise<void> = sendPart(number++, part.bytes)
          .catch(error => { failure ??= { error } })
          .finally(() => sending.delete(one))
        sending.add(one)
        if (sending.size === PARTS_AT_ONCE) await Promise.race(sending)
      }
      await Promise.all(sending)
      if (failure) throw failure.error
      await send(
        'CompleteMultipartUpload',
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
      )
    } catch (error) {
      await Promise.all(sending)
      if (UploadId !== undefined) await abortUpload(Key, UploadId).catch(() => {}) // the sweep does it
      throw error
    }
  }

  async function abortUpload (Key: string, UploadId: string): Promise<void> {
    await sendIfFound('AbortMultipartUpload', new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }

  return {
    now: time.now,

    /** Resolves to `null` if the object does not exist. */
    async get (key: string) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await getOnce(key)
        } catch (error) {
          if (!isCutOff(error) || attempt === CUT_OFF_ATTEMPTS) throw error
        }
      }
    },

    /** Resolves to the ETag. */
    async put (Key: string, text: string, condition?: Condition): Promise<string> {
      const Body = Buffer.from(text)
      if (Body.length > MAX_SMALL_BYTES) {
        throw new StorageError(`${Key} would be larger than ${MAX_SMALL_BYTES} bytes`, { retryable: false })
      }
      const { ETag } = await send(
        'PutObject',
        new PutObjectCommand({
          Bucket,
          Key,
          Body,
          ContentType: 'application/json',
          ...(condition === 'absent' && { IfNoneMatch: '*' }),
          ...(typeof condition === 'object' && { IfMatch: areETagsQuoted ? `"${condition.etag}"` : condition.etag })
        })
      )
      if (ETag === undefined) throw new StorageError('it sent no ETag', { retryable: false })
      return ETag.replaceAll('"', '')
    },

    /** The bytes of an object of this size, or a range of them; `null` if the object does not exist. */
    async open (key: string, size: number, range?: ByteRange): Promise<Readable | null> {
      const length = range ? range.end - range.start + 1 : size
      const object = await run('GetObject', async signal => await found(key, signal, range))
      if (!object) return null
      if (object.length !== length) {
        discard(object.source)
        throw new StorageError(
          `an object has another size than it should: ${object.length} instead of ${length} bytes`,
          { retryable: false }
        )
      }
      return streamedBody(object.source, length, requestTimeout, object.checksum)
    },

    /**
     * Stores content of any size. Resolves to its size. If reading `content` fails, rejects with that error and leaves
     * nothing behind.
     */
    async upload (Key: string, content: Content): Promise<number> {
      const source = partsOf(content)
      try {
        const first = (await source.parts.next()).value as Part
        const ContentType = 'application/octet-stream'
        if (first.isLast) {
          await send('PutObject', new PutObjectCommand({ Bucket, Key, Body: first.bytes, ContentType }))
        } else {
          await uploadParts(Key, first, source.parts)
        }
      } catch (error) {
        source.parts.return().catch(() => {}) // nobody reads the content any more
        if (source.failure) throw source.failure.error
        // The object may have been stored although the answer was lost. That is not relied on: the upload has been
        // aborted by now.
        remove(Key).catch(() => {})
        throw error
      }
      return source.size
    },

    /** `size`: the size of the object, to which this resolves. */
    async copy (from: string, Key: string, size: number): Promise<number> {
      if (size > MAX_COPY_BYTES) {
        throw new StorageError('staged content of more than 5 GiB cannot be copied', { retryable: false })
      }
      const CopySource = `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}`
      await send('CopyObject', new CopyObjectCommand({ Bucket, Key, CopySource }))
      return size
    },

    /** Ignores a missing object. */
    remove,

    async * list (Prefix: string): AsyncGenerator<ListedObject> {
      let StartAfter: string | undefined
      for (;;) {
        const command = new ListObjectsV2Command({ Bucket, Prefix, StartAfter })
        const { Contents = [], IsTruncated } = await send('ListObjectsV2', command)
        for (const { Key, Size = 0, LastModified } of Contents) {
          if (Key !== undefined && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
        }
        StartAfter = Contents.at(-1)?.Key
        if (!IsTruncated || StartAfter === undefined) return
      }
    },

    async * uploads (Prefix: string) {
      let next: { readonly KeyMarker?: string, readonly UploadIdMarker?: string | undefined } = {}
      for (;;) {
        const command = new ListMultipartUploadsCommand({ Bucket, Prefix, ...next })
        const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker } =
          await send('ListMultipartUploads', command)
        for (const { Key, UploadId, Initiated } of Uploads) {
          if (Key !== undefined && UploadId !== undefined && Initiated) {
            yield { key: Key, id: UploadId, startedAt: Initiated }
          }
        }
        const isSame = NextKeyMarker === next.KeyMarker && NextUploadIdMarker === next.UploadIdMarker
        if (!IsTruncated || NextKeyMarker === undefined || isSame) return
        next = { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
      }
    },

    abortUpload,

    /** A URL that an object can be fetched from. `expiresIn`: milliseconds. */
    async urlOf (key: string, expiresIn: number): Promise<string> {
      return await urls.urlOf(key, Math.floor(expiresIn / 1000), time.now().earliest)
    },

    /** Whether ETags are sent in quotation marks from now on. */
    quoteETags (areQuoted: boolean): void {
      areETagsQuoted = areQuoted
    }
  }
}

function nullIfNotFound (error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

function isCutOff (error: unknown): boolean {
  return error instanceof StorageError && error.retryable && statusOf(error) === undefined
}
