import { randomUUID } from 'node:crypto'
import type { StoredDocument, StorageReadResult } from '../../types/storage.js'
import { BusyError, NameTakenError, StorageError, UnknownRecordError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { acceptContent } from '../util/streams.js'
import { assertCreateOptions, assertReplaceOptions, sliceOf, storedFileType } from './call-options.js'
import { createContents, type Placed } from './contents.js'
import type { CommitOptions, DocumentStore, Driver, StateRecord } from './contract.js'
import {
  allNamesIn, type DocumentRecord, EMPTY, fileOf, type FileRecord, infoOf, isOfKnownFormat, knownRecord,
  presentVersion, stateOf, type StoredContent, withinLimits, withVersion
} from './record.js'
import { createRecords } from './records.js'
import { createVersions } from './versions.js'

const MAX_READ_ATTEMPTS = 20
const MAX_REMOVALS = 10
const LISTED_AT_ONCE = 16

/**
 * Documents over a driver. A document is one record that names immutable blobs. Every change of a document is one
 * compare-and-set of its record: it happens completely or not at all, however long the process was suspended before.
 * After a write that rejected, the record is read before anything is concluded.
 */
export function createDocumentStore (driver: Driver) {
  const records = createRecords(driver)
  const contents = createContents(driver, records)
  const versions = createVersions(driver, records, contents)
  const { recordOf } = records

  const storage: DocumentStore = {
    ready: async () => await driver.ready(),

    async stat (fileId) {
      return fileOf(fileId, await recordOf(fileId))
    },

    async snapshot (fileId) {
      const record = await recordOf(fileId)
      return { info: fileOf(fileId, record), record: stateOf(record) }
    },

    async read (fileId, range) {
      let missing = ''
      for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
        const content = (await recordOf(fileId))?.content
        if (!content) return null
        if (content.name === missing) break
        sliceOf(content.size, range)
        const body = await driver.read(fileId, content, range)
        if (body) return { info: infoOf(fileId, content), body } satisfies StorageReadResult
        missing = content.name // unless it was replaced meanwhile
      }
      throw new StorageError('the content of a document is missing, or changes faster than it can be read', {
        retryable: false
      })
    },

    async create (fileType, content, options = {}) {
      content = acceptContent(content)
      assertCreateOptions(options)
      const { fileId = driver.newFileId?.() ?? randomUUID() } = options
      const newFileType = storedFileType(fileType)
      if (options.fileId !== undefined && (await recordOf(fileId))?.content) throw new NameTakenError()
      const placed = await contents.place(fileId, content)
      const stored = storedContent(placed, newFileType)
      const isCreated = await contents.name(
        fileId,
        [placed],
        record => record?.content ? null : { ...record ?? EMPTY, content: stored },
        { isNew: true }
      )
      if (!isCreated) throw new NameTakenError()
      return infoOf(fileId, stored)
    },

    async stage (fileId, content) {
      return await contents.stage(fileId, acceptContent(content))
    },

    readStaged: async (fileId, content) => await driver.read(fileId, content),

    async replace (fileId, content, options = {}) {
      content = acceptContent(content)
      assertReplaceOptions(options)
      const { fileType, ifRevision } = options
      const newFileType = fileType === undefined ? undefined : storedFileType(fileType)
      const isReplaceable = (record: DocumentRecord | null): record is FileRecord =>
        record?.content != null && (ifRevision === undefined || record.content.revision === ifRevision)
      const record = await recordOf(fileId)
      if (!record?.content) return null
      const placed = await contents.place(fileId, content)
      const stored = storedContent(placed, newFileType ?? record.content.fileType)
      const isReplaced = await contents.name(fileId, [placed], present =>
        isReplaceable(present) ? { ...present, content: stored } : null)
      return isReplaced ? infoOf(fileId, stored) : null
    },

    async commit (fileId, content, options) {
      content = acceptContent(content)
      const { fileType, record: recordFor, keep, prune } = options
      const newFileType = fileType === undefined ? undefined : storedFileType(fileType)
      if (!isSafeFileId(fileId)) return null
      if (!contents.isStaged(content) && !isCommittable(await recordOf(fileId), options)) return null
      const placed = await contents.place(fileId, content)
      const recordVersion = randomUUID()
      const now = new Date()
      let info: StoredDocument | undefined
      const isCommitted = await contents.name(fileId, [placed], async (present, placeOnce) => {
        if (!isCommittable(present, options)) return null
        const stored = storedContent(placed, newFileType ?? present.content.fileType, now)
        info = infoOf(fileId, stored)
        const given = keep?.(info, await versions.newest(fileId, present))
        const kept = given
          ? withVersion(present, presentVersion(present, await versions.keptAs(given, now, placeOnce)))
          : present
        return {
          ...prune ? withinLimits(kept, prune) : kept,
          content: stored,
          state: { value: jsonValue(recordFor(info)), version: recordVersion }
        }
      })
      return isCommitted ? { info: info!, recordVersion } : null
    },

    async remove (fileId) {
      if (!isSafeFileId(fileId)) return false
      await driver.ready()
      let removed: { readonly record: DocumentRecord | undefined } | undefined
      const gone = new Set<string>()
      for (let attempt = 1; ; attempt++) {
        const found = await driver.get(fileId)
        const record = found && unlessDamaged(fileId, found.record)
        // A document that is created again begins with other tags.
        if (!found || (removed && !isLaterStateOf(record ?? undefined, removed.record))) break
        if (attempt > MAX_REMOVALS) {
          throw new BusyError('other instances changed its record while it was being removed')
        }
        if (!isOfKnownFormat(record?.state?.value)) throw new UnknownRecordError('record', fileId)
        removed ??= { record: record ?? undefined }
        if (record) for (const name of allNamesIn(record)) gone.add(name)
        const isRemoved = await driver.set(fileId, null, found.etag) !== null
        records.forget(fileId)
        if (isRemoved) break
      }
      await records.drop(fileId, gone).catch(() => {}) // no record names them: a sweep deletes them
      return removed !== undefined && removed.record?.content !== null
    },

    state: {
      async set (fileId, value, version) {
        const state: StateRecord = { value: jsonValue(value), version: randomUUID() }
        const isSet = await records.change(fileId, record =>
          (record?.state?.version ?? null) === version ? { ...record ?? EMPTY, state } : null
        )
        return isSet ? state.version : null
      },

      async * list () {
        await driver.ready()
        const fileIds: string[] = []
        for await (const fileId of driver.list()) {
          fileIds.push(fileId)
          if (fileIds.length === LISTED_AT_ONCE) yield * await statesOf(fileIds.splice(0))
        }
        yield * await statesOf(fileIds)
      }
    },

    versions: versions.store,

    ...(driver.url && {
      async downloadUrl (fileId: string) {
        const content = (await recordOf(fileId))?.content
        return content ? { info: infoOf(fileId, content), url: await driver.url!(fileId, content) } : null
      }
    })
  }
  return { storage, records }

  /**
   * A record that is damaged or from a newer version of this library is reported when it is read on its own, but must
   * not hide the others in a list.
   */
  async function statesOf (fileIds: readonly string[]) {
    const states = await Promise.all(fileIds.map(async fileId => {
      try {
        const state = stateOf((await records.read(fileId)).record)
        return state ? [{ fileId, ...state }] : []
      } catch (error) {
        if (isUnreadable(error)) return []
        throw error
      }
    }))
    return states.flat()
  }
}

/** Whether a record is damaged, or of a newer version of this library. */
export function isUnreadable (error: unknown): boolean {
  return error instanceof UnknownRecordError || (error instanceof StorageError && !error.retryable)
}

function unlessDamaged (fileId: string, value: unknown): DocumentRecord | undefined {
  try {
    return knownRecord(fileId, value)
  } catch (error) {
    if (error instanceof UnknownRecordError) throw error
    return undefined
  }
}

/** Whether a record is `base` after further writes, and not the record of a document created since. */
function isLaterStateOf (record: DocumentRecord | undefined, base: DocumentRecord | undefined): boolean {
  return record !== undefined && base !== undefined && record.tags.some(tag => base.tags.includes(tag))
}

function isCommittable (
  record: DocumentRecord | null, { ifRevision, ifRecordVersion }: Pick<CommitOptions, 'ifRevision' | 'ifRecordVersion'>
): record is FileRecord {
  return record?.content?.revision === ifRevision && (record.state?.version ?? null) === ifRecordVersion
}

function storedContent ({ name, size }: Placed, fileType: string, modifiedAt = new Date()): StoredContent {
  return { name, fileType, size, modifiedAt: modifiedAt.toISOString(), revision: name }
}

/** Makes a copy that the caller cannot change. */
function jsonValue (value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : JSON.parse(text)
}
