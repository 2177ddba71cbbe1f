import { addAbortSignal, finished, Readable, Transform } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import {
  AbortMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand, ListMultipartUploadsCommand,
  ListObjectsV2Command, PutObjectCommand, type S3Client
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { ByteRange, StorageContent } from '../../../types/storage.js'
import { StorageError, StorageTimeoutError } from '../../errors.js'
import { unlessAborted } from '../../util/limits.js'
import { assertBytes, bytesOf, discard } from '../../util/streams.js'
import type { ObjectNames } from './names.js'
import { isNotFound, statusOf, storeError } from './store-errors.js'

export type ObjectStore = ReturnType<typeof createObjectStore>

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: Date
}

/** The object is only written if it has this ETag, or does not exist. */
export type Condition = { readonly etag: string } | 'absent'

/** A command of the client whose output has this type. */
interface Command<Output> {
  resolveMiddleware(...args: never[]): (...args: never[]) => Promise<{ readonly output: Output }>
}

/** Shared by the parts of one `s3Storage`. */
export interface S3Services {
  readonly store: ObjectStore
  readonly names: ObjectNames
}

interface ObjectStoreOptions {
  readonly client: S3Client
  readonly bucket: string
  readonly requestTimeout: number
  /** Signs the URLs of `urlOf`. */
  readonly urlClient: S3Client
}

/** Records and lists of versions are far smaller. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024
const CUT_OFF_ATTEMPTS = 3
const BUFFER_BYTES = 64 * 1024
/** A body that nobody continues to read would hold a connection for longer. */
const MAX_PAUSE_MS = 10 * 60_000

/**
 * The requests to the object store. Each has a deadline, which also applies to a part of an upload and to a body that
 * makes no progress. They reject with `StorageError` or `StorageTimeoutError`; a request that rejected may still take
 * effect.
 */
export function createObjectStore ({ client, bucket: Bucket, requestTimeout, urlClient }: ObjectStoreOptions) {
  let areETagsQuoted = false

  /** Runs one operation, which ends when it is aborted. */
  async function run<Result> (operation: string, call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController()
    const { signal } = controller
    const timeUp = () => controller.abort(new StorageTimeoutError(operation, requestTimeout))
    const timer = setTimeout(timeUp, requestTimeout)
    try {
      return await unlessAborted(call(signal), signal) // the client would finish a pause between two attempts
    } catch (error) {
      throw storeError(operation, signal.aborted ? signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function send<Output> (command: Command<Output>): Promise<Output> {
    return await run(
      command.constructor.name.replace(/Command$/, ''),
      async abortSignal => await client.send(command as never, { abortSignal }) as Output
    )
  }

  /** For a command that has nothing to do if the object or upload does not exist. */
  async function sendIfFound (command: Command<unknown>): Promise<void> {
    await send(command).catch(nullIfNotFound)
  }

  /** Resolves to `null` if the object does not exist. */
  async function getOnce (Key: string) {
    const found = await send(new GetObjectCommand({ Bucket, Key })).catch(nullIfNotFound)
    if (!found) return null
    const { ETag, ContentLength: length = -1, LastModified: modifiedAt } = found
    const body = limitedBody(found.Body as Readable, length, requestTimeout)
    if (length > MAX_SMALL_BYTES || ETag === undefined) {
      discard(body)
      throw new StorageError(`${Key} is not an object of this storage`, { retryable: false })
    }
    const bytes = await run('GetObject', async signal => await bytesOf(addAbortSignal(signal, body)))
    return { text: bytes.toString(), etag: ETag.replaceAll('"', ''), modifiedAt }
  }

  async function remove (Key: string): Promise<void> {
    await sendIfFound(new DeleteObjectCommand({ Bucket, Key }))
  }

  return {
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
      const { ETag } = await send(new PutObjectCommand({
        Bucket,
        Key,
        Body,
        ContentType: 'application/json',
        ...(condition === 'absent' && { IfNoneMatch: '*' }),
        ...(typeof condition === 'object' && { IfMatch: areETagsQuoted ? `"${condition.etag}"` : condition.etag })
      }))
      if (ETag === undefined) throw new StorageError('it sent no ETag', { retryable: false })
      return ETag.replaceAll('"', '')
    },

    /** The bytes of an object of this size, or a range of them; `null` if the object does not exist. */
    async open (Key: string, size: number, range?: ByteRange): Promise<Readable | null> {
      const length = range ? range.end - range.start + 1 : size
      const Range = range && `bytes=${range.start}-${range.end}`
      const found = await send(new GetObjectCommand({ Bucket, Key, Range })).catch(nullIfNotFound)
      if (!found) return null
      if (found.ContentLength !== length) {
        discard(found.Body as Readable)
        throw new StorageError(
          `an object has the wrong size: ${found.ContentLength} instead of ${length} bytes`,
          { retryable: false }
        )
      }
      return limitedBody(found.Body as Readable, length, requestTimeout)
    },

    /**
     * Stores content of any size. Resolves to its size. If reading `content` fails, rejects with that error. Leaves
     * nothing behind if it rejects.
     */
    async upload (Key: string, content: StorageContent): Promise<number> {
      let size = 0
      let failure: { readonly error: unknown } | undefined
      const fail = (error: unknown) => {
        failure ??= { error }
        throw error
      }
      async function * chunks (): AsyncGenerator<Uint8Array> {
        try {
          for await (const chunk of isUint8Array(content) ? [content] : content) {
            if (failure) return // the upload would read on
            assertBytes(chunk)
            size += chunk.length
            yield Buffer.from(chunk) // its owner may use it again
          }
        } catch (error) {
          fail(error)
        }
      }
      const upload = new Upload({
        // Its requests have deadlines like all others.
        client: Object.assign(Object.create(client) as S3Client, {
          send: async (command: Command<unknown>) => await send(command).catch(fail)
        }),
        params: {
          Bucket,
          Key,
          Body: Readable.from(chunks(), { objectMode: false }),
          ContentType: 'application/octet-stream'
        },
        queueSize: 1 // each part in it is held in memory
      })
      try {
        await upload.done()
      } catch (error) {
        remove(Key).catch(() => {}) // it may have been stored although the answer was lost
        throw failure ? failure.error : storeError('Upload', error)
      }
      return size
    },

    /** Ignores a missing object. */
    remove,

    async * list (Prefix: string): AsyncGenerator<ListedObject> {
      let StartAfter: string | undefined
      for (;;) {
        const { Contents = [], IsTruncated } = await send(new ListObjectsV2Command({ Bucket, Prefix, StartAfter }))
        for (const { Key, Size = 0, LastModified } of Contents) {
          if (Key !== undefined && LastModified) yield { key: Key, size: Size, modifiedAt: LastModified }
        }
        StartAfter = Contents.at(-1)?.Key
        if (!IsTruncated || StartAfter === undefined) return
      }
    },

    async * uploads (Prefix: string) {
      let next: { readonly KeyMarker?: string | undefined, readonly UploadIdMarker?: string | undefined } = {}
      for (;;) {
        const { Uploads = [], IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } =
          await send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...next }))
        for (const { Key, UploadId, Initiated } of Uploads) {
          if (Key !== undefined && UploadId !== undefined && Initiated) {
            yield { key: Key, id: UploadId, startedAt: Initiated }
          }
        }
        if (!IsTruncated || UploadIdMarker === next.UploadIdMarker) return
        next = { KeyMarker, UploadIdMarker }
      }
    },

    async abortUpload (Key: string, UploadId: string): Promise<void> {
      await sendIfFound(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    },

    /** A URL that an object can be fetched from. `lifetime`: milliseconds. */
    async urlOf (Key: string, lifetime: number): Promise<string> {
      return await getSignedUrl(urlClient, new GetObjectCommand({ Bucket, Key }), {
        expiresIn: Math.floor(lifetime / 1000),
        signingDate: new Date(Date.now() + client.config.systemClockOffset) // the client corrects a wrong clock
      })
    },

    /** Whether ETags are sent in quotation marks from now on. */
    quoteETags (areQuoted: boolean): void {
      areETagsQuoted = areQuoted
    }
  }
}

/**
 * The body of an answer. It fails if it has another length, if it makes no progress while it is being read, or if
 * nobody reads it for ten minutes. A small body is received at once, so that it does not hold a connection until
 * somebody reads it.
 */
function limitedBody (source: Readable, length: number, timeout: number): Readable {
  let received = 0
  let receivedAt = performance.now()
  const body = new Transform({
    readableHighWaterMark: BUFFER_BYTES,
    transform (chunk: Buffer, _encoding, callback) {
      received += chunk.length
      receivedAt = performance.now()
      timer.refresh()
      callback(received > length ? incompleteError() : null, chunk)
    },
    flush (callback) {
      clearTimeout(timer)
      callback(received === length ? null : incompleteError())
    },
    destroy (error, callback) {
      clearTimeout(timer)
      source.destroy()
      callback(error)
    }
  })
  const timer = setTimeout(() => {
    const isReaderSlow = body.readableLength > 0
    if (isReaderSlow && performance.now() - receivedAt < MAX_PAUSE_MS) timer.refresh()
    else body.destroy(new StorageTimeoutError('GetObject', timeout))
  }, timeout).unref()
  finished(source, error => { if (error) body.destroy(storeError('GetObject', error)) })
  body.on('error', () => {}) // whoever reads it later still gets the error
  return source.pipe(body)
}

function incompleteError (): Error {
  return new StorageError('the answer to GetObject was cut off')
}

function nullIfNotFound (error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}

function isCutOff (error: unknown): boolean {
  return error instanceof StorageError && error.retryable && statusOf(error) === undefined
}
