import type { S3Client } from '@aws-sdk/client-s3'
import type { StorageSweepOptions } from '../../../types/storage.js'
import { once } from '../../util/queue.js'
import {
  anyOf, assertOptions, integerFrom, isBoolean, isNumber, isObject, isOneOf, Milliseconds, rule, type Rules, Signal,
  stringThat
} from '../../util/validate.js'
import type { DocumentStore } from '../contract.js'
import { createDocumentStore } from '../document-store.js'
import { s3Driver } from './driver.js'
import { objectNames } from './names.js'
import { createObjectStore } from './object-store.js'
import { checkConditions, explained, markPrefix } from './start.js'
import { sweepMethods } from '../sweep.js'
import { createSweep } from './sweep.js'

export interface S3StorageOptions {
  /** The application's own client. The storage does not destroy it. */
  readonly client: S3Client
  /** Name of a bucket that exists. */
  readonly bucket: string
  /**
   * Prefix of the keys of all objects; ends with a slash. The storage uses nothing else in the bucket, so applications
   * with different prefixes can share it.
   *
   * @default ''
   */
  readonly prefix?: string | undefined
  /**
   * Whether the download action redirects the document server to presigned URLs instead of sending the content.
   * `client`: a client whose endpoint the document server can reach, by default the storage's client. `lifetime`:
   * milliseconds for which a URL is valid, at most 10 minutes, by default 5 minutes.
   *
   * Needs a document server 9.0 or later: earlier ones also send their token, which stores refuse beside a signature,
   * so no document opens.
   *
   * @default false
   */
  readonly redirectDownloads?: boolean | { readonly client?: S3Client, readonly lifetime?: number } | undefined
  /**
   * Milliseconds, at most 5 minutes: limit for one request including the client's own retries, for one part of an
   * upload, and for a body that makes no progress while it is being read.
   *
   * @default 20_000
   */
  readonly requestTimeout?: number | undefined
  /**
   * Milliseconds between two sweeps, regardless of the number of instances; `false` turns sweeps off.
   *
   * @default 86_400_000, one day
   */
  readonly sweepInterval?: number | false | undefined
}

/** The result of a sweep: number and size of the deleted objects, and number of deleted uploads. */
export interface SweepResult {
  readonly objects: number
  readonly bytes: number
  /** Deleted multipart uploads that were not completed. */
  readonly uploads: number
}

/** The storage that `s3Storage` returns. */
export interface S3Storage extends DocumentStore {
  /** Runs a sweep at once, like the sweeps in the background. */
  sweep (options?: StorageSweepOptions): Promise<SweepResult>
  /** Ends the sweeps in the background. */
  close (): Promise<void>
}

const MAX_PREFIX_BYTES = 256
const DAY_MS = 24 * 60 * 60_000
const MAX_REQUEST_TIMEOUT_MS = 5 * 60_000
const DEFAULT_URL_MS = 5 * 60_000
const MAX_URL_MS = 10 * 60_000

const Client = rule('must be an S3Client of @aws-sdk/client-s3', isClient)
const REDIRECT_RULES: Rules<Exclude<S3StorageOptions['redirectDownloads'], boolean | undefined>> = {
  client: Client,
  lifetime: rule('must be a whole number of milliseconds, from 1000 to 600000', integerFrom(1000, MAX_URL_MS))
}
const SWEEP_RULES: Rules<StorageSweepOptions> = {
  olderThan: rule('must be a number of milliseconds', isNumber),
  signal: Signal
}
const RULES = {
  client: Client,
  bucket: rule('must be the name of a bucket', stringThat(name => name.length >= 1 && name.length <= 255)),
  prefix: rule(
    `must be a string of at most ${MAX_PREFIX_BYTES} bytes that ends with a slash and does not begin with one, or ''`,
    stringThat(isPrefix)
  ),
  redirectDownloads: rule('must be true, false, or an object', anyOf(isBoolean, isObject)),
  requestTimeout: rule(
    'must be a whole number of milliseconds, from 1 to 300000',
    integerFrom(1, MAX_REQUEST_TIMEOUT_MS)
  ),
  sweepInterval: rule(
    'must be a whole number of milliseconds, at least 1, or false',
    anyOf(Milliseconds.holds, isOneOf(false))
  )
}

/**
 * Stores documents in a bucket of an S3-compatible object store, such as AWS S3, Ceph, MinIO or R2. Any number of
 * instances of the application may use it at the same time. Needs the packages `@aws-sdk/client-s3`,
 * `@aws-sdk/lib-storage` and `@aws-sdk/s3-request-presigner`.
 *
 * - Contents are immutable objects. One record per document names the contents in use. Every change of a document is
 *   one conditional write of its record: it happens completely or not at all, however long the process was suspended
 *   before.
 * - Writes are durable once a method has resolved, if the store's own answers can be trusted. If a method rejects
 *   because the store failed, its change may have been made, or may be made within seconds; a later call shows the
 *   outcome.
 * - Superseded objects stay for at least 15 minutes, because somebody may be reading them. A sweep, once a day for all
 *   instances, deletes objects that no record has named for a day: failed uploads, and content that was never
 *   published. Staged content must be published within 12 hours. The clocks of the instances may differ.
 * - `remove` immediately deletes the record and everything that it names. The next sweep deletes content that was
 *   staged for the document.
 *
 * The client repeats requests according to its `maxAttempts` and `retryMode`; `requestTimeout` limits all attempts
 * together. If the answer to a write is lost, the storage reads before it concludes anything. Errors are `StorageError`
 * (`FST_EDITOR_STORAGE`) and `StorageTimeoutError`; they contain no credentials, signatures or URLs.
 *
 * The store must support `If-None-Match: *` and `If-Match` of PutObject. `ready()` tests this with an object of its
 * own, and rejects with `InvalidOptionError` (`FST_EDITOR_INVALID_OPTION`) if the test fails, or if the bucket is
 * missing or not writable. The first `ready()` also marks the prefix with the object `fastify-onlyoffice.mark`, and
 * rejects if another program uses the prefix. The plugin awaits `ready()` at registration; without the plugin, the
 * first method call does. If it fails, the next call tries again. `close()` ends the sweeps in the background.
 *
 * The credentials need `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and `s3:AbortMultipartUpload` for the objects
 * below `prefix`, and `s3:ListBucket` and `s3:ListBucketMultipartUploads` for the bucket. Without `s3:ListBucket`, AWS
 * answers 403 for a document that does not exist.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has an invalid value.
 *
 * @example
 * ```js
 * import { S3Client } from '@aws-sdk/client-s3'
 * import editor from 'fastify-onlyoffice'
 * import { s3Storage } from 'fastify-onlyoffice/s3'
 *
 * const client = new S3Client({ region: 'eu-central-1' })
 * const storage = s3Storage({ client, bucket: 'documents', prefix: 'office/' })
 * await app.register(editor, { ...options, storage })
 * ```
 */
export function s3Storage (options: S3StorageOptions): S3Storage {
  assertOptions(RULES, options, { required: new Set(['client', 'bucket']) })
  const { client, bucket, prefix = '', redirectDownloads = false, requestTimeout = 20_000, sweepInterval = DAY_MS } =
    options as S3StorageOptions
  const redirects = typeof redirectDownloads === 'object' ? redirectDownloads : {}
  assertOptions(REDIRECT_RULES, redirects, { path: 'redirectDownloads.' })
  const { client: urlClient = client, lifetime = DEFAULT_URL_MS } = redirects

  const names = objectNames(prefix)
  const store = createObjectStore({ client, bucket, requestTimeout, urlClient })
  const services = { store, names }
  const closing = new AbortController()
  const ready = once(async () => {
    await markPrefix(services).catch(error => { throw explained(error) })
    await checkConditions(services)
    if (sweepInterval !== false) keepSweeping(sweepInterval, closing.signal).catch(() => {})
  })
  const driver = s3Driver(services, ready, redirectDownloads === false ? undefined : lifetime)
  const { storage, records } = createDocumentStore(driver)
  const { sweep, keepSweeping } = createSweep(services, records)

  return { ...storage, ...sweepMethods({ rules: SWEEP_RULES, ready, sweep, closing }) }
}

function isClient (value: unknown): boolean {
  const client = value as Partial<S3Client> | null | undefined
  return typeof client?.send === 'function' && typeof client.config === 'object'
}

function isPrefix (prefix: string): boolean {
  return prefix === '' ||
    (prefix.isWellFormed() && Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES && prefix.endsWith('/') &&
      !prefix.startsWith('/') && !prefix.split('/').slice(0, -1).some(part => ['', '.', '..'].includes(part)))
}
