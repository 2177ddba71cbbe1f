import { randomUUID } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import type { CommitOptions, Content, FileInfo, ReadResult, StateStore, Storage } from '../../../types/storage.js'
import { BusyError, InvalidOptionError, NameTakenError, StorageError, UnknownRecordError } from '../../errors.js'
import { isSafeFileId } from '../../security/names.js'
import { once } from '../../util/queue.js'
import { acceptContent } from '../../util/streams.js'
import {
  anyOf, assertOptions, integerFrom, isBoolean, isNumber, isObject, isOneOf, Milliseconds, rule, type Rules, Signal,
  stringThat
} from '../../util/validate.js'
import { assertCreateOptions, assertReplaceOptions, storedExtension } from '../call-options.js'
import { sliceOf } from '../reading.js'
import { isOfKnownFormat } from '../state-format.js'
import { checkConditions, explained } from './conditions.js'
import {
  createRecords, directNames, type DocumentRecord, type FileRecord, infoOf, isLaterStateOf, orEmpty, parseRecord,
  type StoredContent, withContent
} from './document-record.js'
import { objectNames } from './names.js'
import { createObjectStore } from './object-store.js'
import type { S3Services } from './services.js'
import { createStaging, type StoredObject } from './staging.js'
import { createSweep, markPrefix } from './sweep.js'
import type { SweepOptions, SweepResult } from './sweep-options.js'
import { createVersions } from './versions.js'

export interface S3StorageOptions {
  /** The application's own client. The storage does not destroy it. */
  readonly client: S3Client
  /** Name of a bucket that exists. */
  readonly bucket: string
  /**
   * Precedes the keys of all objects; ends with a slash. The storage uses nothing else in the bucket. Applications with
   * different prefixes can share a bucket if none is in the folder `records/`, `contents/` or `probe/` of another one.
   *
   * @default ''
   */
  readonly prefix?: string
  /**
   * The download action redirects the document server to presigned URLs instead of sending the content. `client`: a
   * client whose endpoint the document server can reach, by default the client of the storage. `expiresIn`:
   * milliseconds, at most 10 minutes, by default 5 minutes.
   *
   * Document servers before 9.0 send their token along, which stores refuse beside a signature: no document opens.
   *
   * @default false
   */
  readonly redirectDownloads?: boolean | { readonly client?: S3Client, readonly expiresIn?: number }
  /**
   * Milliseconds, at most 5 minutes: limit for one request including the client's own retries, for one part of an
   * upload, and for a body that makes no progress while it is being read.
   *
   * @default 20_000
   */
  readonly requestTimeout?: number
  /**
   * Milliseconds between two sweeps, regardless of the number of instances; `false` turns sweeps off.
   *
   * @default 86_400_000, one day
   */
  readonly sweepInterval?: number | false
}

/** What `s3Storage` returns. */
export interface S3Storage
  extends Required<Omit<Storage, 'revoke' | 'downloadUrl' | 'state'>>, Pick<Storage, 'downloadUrl'> {
  readonly state: StateStore & Required<Pick<StateStore, 'list'>>
  /**
   * Stores a new file under an id of the application's choice, for moving documents in. Otherwise like `create`.
   * Resolves to `null` if the file already exists. Do not reuse the id of a file that `remove` was called for: a
   * deletion delayed by the network would delete the new file.
   *
   * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): `fileId` is malformed.
   */
  createAs (fileId: string, extension: string, content: Content): Promise<FileInfo | null>
  /** Runs a sweep at once, like the sweeps in the background. */
  sweep (options?: SweepOptions): Promise<SweepResult>
}

const MAX_PREFIX_BYTES = 256
const DAY_MS = 24 * 60 * 60_000
const MAX_REQUEST_TIMEOUT_MS = 5 * 60_000
const DEFAULT_URL_MS = 5 * 60_000
const MAX_URL_MS = 10 * 60_000
const MAX_READ_ATTEMPTS = 3
const MAX_REMOVALS = 10
const LISTED_AT_ONCE = 16

const Client = rule('must be an S3Client of @aws-sdk/client-s3', isClient)
const REDIRECT_RULES: Rules<Exclude<S3StorageOptions['redirectDownloads'], boolean | undefined>> = {
  client: Client,
  expiresIn: rule('must be a whole number of milliseconds, from 1000 to 600000', integerFrom(1000, MAX_URL_MS))
}
const SWEEP_RULES: Rules<SweepOptions> = {
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
 * instances of the application may use it at the same time. Needs the package `@aws-sdk/client-s3`.
 *
 * - Contents are immutable objects. One record per document determines which of them are in use. It changes only by
 *   conditional writes: every change of a document is one such write, which is made completely or not at all, however
 *   long the process was suspended before it.
 * - Writes are durable once a method has resolved, as far as the store's own answers are. If a method rejects because
 *   the store failed, its change may have been made, or may be made within seconds; a later call shows whether it was.
 * - Superseded objects stay for at least 15 minutes, because somebody may be reading them. A sweep, once a day for all
 *   instances, deletes what no record has named for a day: failed uploads, and content that was never published. Staged
 *   content must be published within 12 hours. The clocks of the instances may differ.
 * - `remove` deletes the record and everything that it names at once. The next sweep deletes content that was staged
 *   for the document.
 *
 * Small requests bypass the client's middleware: its signer and its `requestHandler` are used directly. The client
 * sends the others, or all requests if the application has given it middleware or a logger. The client itself repeats
 * each request, according to its `maxAttempts` and `retryMode`; `requestTimeout` is the limit for all attempts
 * together. A write whose answer was lost is looked up before anything is concluded from it. Errors are `StorageError`
 * (`FST_EDITOR_STORAGE`) and `StorageTimeoutError`; they contain no credentials, signatures or URLs.
 *
 * The store must honour `If-None-Match: *` and `If-Match` of PutObject. `ready()` tries it with an object of its own,
 * and rejects with `InvalidOptionError` (`FST_EDITOR_INVALID_OPTION`) if it does not, or if the bucket is missing or
 * must not be written to. The first `ready()` also marks the prefix with the object `fastify-onlyoffice.mark`, and
 * rejects if another program uses it. The plugin awaits `ready()` at registration; without the plugin, the first method
 * that is called does. If it fails, the next call tries again. `close()` ends the sweeps in the background.
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
  const { client: urlClient = client, expiresIn = DEFAULT_URL_MS } = redirects

  const names = objectNames(prefix)
  const store = createObjectStore({ client, bucket, requestTimeout, urlClient })
  const ready = once(start)
  const services: S3Services = { store, names, requestTimeout, ready, deleteLater }
  const records = createRecords(services)
  const { recordOf } = records
  const staging = createStaging(services)
  const versions = createVersions(services, records, staging)
  const { sweep, keepSweeping } = createSweep(services, records, versions)
  const closing = new AbortController()

  return {
    ready,

    async stat (fileId) {
      return fileOf(fileId, await recordOf(fileId))
    },

    async snapshot (fileId) {
      const record = await recordOf(fileId)
      return { info: fileOf(fileId, record), record: stateOf(record) }
    },

    async read (fileId, range) {
      for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
        const content = (await recordOf(fileId))?.content
        if (!content) return null
        sliceOf(content.size, range)
        const body = await store.open(names.content(fileId, content.name), content.size, range)
        if (body) return { info: infoOf(fileId, content), body } satisfies ReadResult
      }
      throw new StorageError('the content of a document is missing', { retryable: false })
    },

    async create (extension, content, options = {}) {
      assertCreateOptions(options)
      const { fileId = randomUUID() } = options
      const isTaken = options.fileId !== undefined && (await recordOf(fileId))?.content
      const info = isTaken ? null : await createFile(fileId, extension, content)
      if (info === null) throw new NameTakenError()
      return info
    },

    async createAs (fileId, extension, content) {
      content = acceptContent(content)
      if (!isSafeFileId(fileId)) {
        throw new InvalidOptionError('fileId', 'must be a fileId: 1 to 200 bytes of text that can be a file name')
      }
      storedExtension(extension)
      return (await recordOf(fileId))?.content ? null : await createFile(fileId, extension, content)
    },

    async stage (fileId, content) {
      content = acceptContent(content)
      return await staging.stage(fileId, content)
    },

    async replace (fileId, content, options = {}) {
      content = acceptContent(content)
      assertReplaceOptions(options)
      const { extension, ifRevision, beforePublish } = options
      const newExtension = extension === undefined ? undefined : storedExtension(extension)
      const record = await recordOf(fileId)
      if (!record?.content) return null
      const { content: found } = record
      const isStaged = staging.isStaged(content)
      const isReplaceable = (record: DocumentRecord | null): record is DocumentRecord =>
        record?.content != null && (ifRevision === undefined || record.content.revision === ifRevision)
      const placed = await staging.place(fileId, content)
      const stored = storedContent(placed, newExtension ?? found.extension)
      const info = infoOf(fileId, stored)
      const isReplaced = await staging.naming(fileId, [placed], async ({ assertFresh, onSending }) => {
        // `beforePublish` is only called if the content is about to be published, and storing it may have taken long.
        if (!isReplaceable(isStaged ? record : await recordOf(fileId))) return false
        await beforePublish?.(info)
        return await records.write(fileId, record => {
          assertFresh()
          return isReplaceable(record) ? { record: withContent(record, stored) } : null
        }, { onSending })
      })
      return isReplaced ? info : null
    },

    async commit (fileId, content, options) {
      content = acceptContent(content)
      const { extension, record: recordFor, keep, prune } = options
      const newExtension = extension === undefined ? undefined : storedExtension(extension)
      if (!isSafeFileId(fileId)) return null
      if (!staging.isStaged(content) && !isCommittable(await recordOf(fileId), options)) return null
      const placed = await staging.place(fileId, content)
      const recordVersion = randomUUID()
      const modifiedAt = new Date()
      let info: FileInfo | undefined
      const isCommitted = await staging.naming(fileId, [placed], async ({ placeOnce, assertFresh, onSending }) =>
        await records.write(fileId, async current => {
          if (!isCommittable(current, options)) return null
          assertFresh()
          const stored = storedContent(placed, newExtension ?? current.content.extension, modifiedAt)
          info = infoOf(fileId, stored)
          const given = keep?.(info, await versions.newest(fileId, current)) // may be called again
          const kept = given && await versions.keptAs(fileId, given, modifiedAt, placeOnce)
          const { record, ...change } = await versions.kept(fileId, current, kept, prune)
          const state = { value: jsonValue(recordFor(info)), version: recordVersion }
          return { ...change, record: { ...withContent(record, stored), state } }
        }, { onSending }))
      return isCommitted ? { info: info!, recordVersion } : null
    },

    async remove (fileId) {
      if (!isSafeFileId(fileId)) return false
      await ready()
      const found = await store.get(names.record(fileId))
      if (!found) return false
      const record = parseRecord(fileId, found.text)
      if (!isOfKnownFormat(record?.state?.value)) throw new UnknownRecordError('record', fileId)
      const gone = new Set<string>()
      for (let left = record, attempt = 1; ; attempt++) {
        if (left) for (const name of await objectsOf(fileId, left)) gone.add(name)
        await store.remove(names.record(fileId))
        records.forget(fileId)
        if (!left) break
        // A store may report a record as removed although a simultaneous write has kept it.
        const { record: present } = await records.read(fileId)
        if (!present || !isLaterStateOf(present, left)) break
        if (attempt === MAX_REMOVALS) {
          throw new BusyError('other instances changed its record while it was being removed')
        }
        left = present
      }
      await removeObjects(fileId, gone).catch(() => {}) // no record names them: the sweep deletes them
      return record === undefined || record.content !== null
    },

    state: {
      async get (fileId) {
        return stateOf(await recordOf(fileId))
      },

      async set (fileId, value, version) {
        const stored = jsonValue(value)
        const newVersion = randomUUID()
        const isSet = await records.write(fileId, record => {
          const isExpected = (record?.state?.version ?? null) === version
          return isExpected ? { record: { ...orEmpty(record), state: { value: stored, version: newVersion } } } : null
        })
        return isSet ? newVersion : null
      },

      async * list () {
        await ready()
        const fileIds: string[] = []
        for await (const { key } of store.list(names.records)) {
          const fileId = names.parseRecord(key)
          if (fileId !== undefined) fileIds.push(fileId)
          if (fileIds.length === LISTED_AT_ONCE) yield * await statesOf(fileIds.splice(0))
        }
        yield * await statesOf(fileIds)
      }
    },

    versions: versions.store,

    ...(redirectDownloads !== false && {
      async downloadUrl (fileId: string) {
        const content = (await recordOf(fileId))?.content
        if (!content) return null
        return { info: infoOf(fileId, content), url: await store.urlOf(names.content(fileId, content.name), expiresIn) }
      }
    }),

    async sweep (sweepOptions = {}) {
      assertOptions(SWEEP_RULES, sweepOptions)
      await ready()
      return await sweep(sweepOptions)
    },

    async close () {
      closing.abort()
    }
  }

  /**
   * A record that is damaged or of a newer version of this library is reported when it is read on its own, but must not
   * hide the others in a list.
   */
  async function statesOf (fileIds: readonly string[]) {
    const states = await Promise.all(fileIds.map(async fileId => {
      try {
        const state = stateOf((await records.read(fileId)).record)
        return state ? [{ fileId, ...state }] : []
      } catch (error) {
        if (error instanceof UnknownRecordError || (error instanceof StorageError && !error.retryable)) return []
        throw error
      }
    }))
    return states.flat()
  }

  async function createFile (fileId: string, extension: string, content: Content): Promise<FileInfo | null> {
    content = acceptContent(content)
    const newExtension = storedExtension(extension)
    const placed = await staging.place(fileId, content)
    const stored = storedContent(placed, newExtension)
    const isCreated = await staging.naming(fileId, [placed], async ({ assertFresh, onSending }) =>
      await records.write(fileId, record => {
        assertFresh()
        return record?.content ? null : { record: withContent(orEmpty(record), stored) }
      }, { onSending, isNew: true }))
    return isCreated ? infoOf(fileId, stored) : null
  }

  /** The names of all objects to remove together with a record. */
  async function objectsOf (fileId: string, record: DocumentRecord): Promise<Iterable<string>> {
    const { names } = await versions.named(fileId, record).catch(() => ({ names: directNames(record) }))
    return [...names, ...record.garbage.map(({ name }) => name)]
  }

  async function removeObjects (fileId: string | undefined, objects: Iterable<string>): Promise<void> {
    for (const name of objects) await store.remove(names.content(fileId, name))
  }

  function deleteLater (fileId: string | undefined, objects: readonly string[]): void {
    removeObjects(fileId, objects).catch(() => {})
  }

  async function start (): Promise<void> {
    await markPrefix(services).catch(error => { throw explained(error) })
    await checkConditions(services)
    if (sweepInterval !== false) keepSweeping(sweepInterval, closing.signal).catch(() => {})
  }
}

function isCommittable (
  record: DocumentRecord | null, { ifRevision, ifRecordVersion }: Pick<CommitOptions, 'ifRevision' | 'ifRecordVersion'>
): record is FileRecord {
  return record?.content?.revision === ifRevision && (record.state?.version ?? null) === ifRecordVersion
}

function storedContent ({ name, size }: StoredObject, extension: string, modifiedAt = new Date()): StoredContent {
  return { name, extension, size, modifiedAt: modifiedAt.toISOString(), revision: name }
}

function fileOf (fileId: string, record: DocumentRecord | null): FileInfo | null {
  return record?.content ? infoOf(fileId, record.content) : null
}

function stateOf (record: DocumentRecord | null) {
  return record?.state ? { value: record.state.value, version: record.state.version } : null
}

/** Makes a copy that the caller cannot change. */
function jsonValue (value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : JSON.parse(text)
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
