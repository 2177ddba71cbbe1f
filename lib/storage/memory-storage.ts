import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type {
  Content, FileInfo, ReplaceOptions, StagedContent, StateRecord, StateStore, Storage, StoredVersion, VersionStore
} from '../../types/storage.js'
import { NameTakenError } from '../errors.js'
import { isSafeFileId } from '../security/names.js'
import { BoundedMap } from '../util/bounded-map.js'
import { acceptContent, assertBytes } from '../util/streams.js'
import { assertOptions } from '../util/validate.js'
import {
  acceptChanges, assertCreateOptions, assertKeepOptions, assertLabel, assertListOptions, assertReplaceOptions,
  assertVersionNumbers, storedExtension
} from './call-options.js'
import { sliceOf } from './reading.js'
import { detailsText } from './version-log.js'

/** Takes no options. */
type MemoryStorageOptions = Readonly<Record<string, never>>

const CHUNK_BYTES = 64 * 1024

interface MemoryFile {
  readonly info: FileInfo
  readonly bytes: Buffer
}

type StoreOptions = ReplaceOptions & { readonly isNew?: boolean }

/**
 * Stores documents, their records and versions in the memory of this process, for tests and demonstrations: they are
 * lost when it ends.
 *
 * @example
 * ```js
 * import { readFile } from 'node:fs/promises'
 * import editor, { memoryStorage } from 'fastify-onlyoffice'
 *
 * const storage = memoryStorage()
 * await app.register(editor, { ...options, storage })
 * const { fileId } = await storage.create('docx', await readFile('Report.docx'))
 * ```
 */
export function memoryStorage (
  options: MemoryStorageOptions = {}
): Required<Omit<Storage, 'ready' | 'revoke' | 'commit' | 'snapshot' | 'downloadUrl' | 'close'>> {
  assertOptions({}, options)
  const files = new Map<string, MemoryFile>()
  const find = (fileId: string) => isSafeFileId(fileId) ? files.get(fileId) : undefined
  const stagedBytes = new WeakMap<Content, Buffer>()
  // Makes revisions unique across processes: document keys are made from revisions, and the document server caches by
  // document key.
  const instanceTag = randomUUID().slice(0, 8)
  let revisionCount = 0
  const { remove: removeState, ...state } = memoryState()
  const { removeAll: removeVersions, ...versions } = memoryVersions(find)

  return {
    state,
    versions,

    async stat (fileId) {
      return find(fileId)?.info ?? null
    },

    async read (fileId, range) {
      const file = find(fileId)
      if (!file) return null
      const { start, length } = sliceOf(file.info.size, range)
      return { info: file.info, body: bodyOf(file.bytes.subarray(start, start + length)) }
    },

    async create (extension, content, options = {}) {
      content = acceptContent(content)
      assertCreateOptions(options)
      const info = await store(options.fileId ?? randomUUID(), storedExtension(extension), content, { isNew: true })
      if (info === null) throw new NameTakenError()
      return info
    },

    async stage (_fileId, content) {
      content = acceptContent(content)
      const bytes = await bytesOf(content)
      const staged: StagedContent = {
        size: bytes.length,
        discard: async () => { stagedBytes.delete(staged) },
        [Symbol.asyncIterator]: () => bodyOf(bytes)[Symbol.asyncIterator]()
      }
      stagedBytes.set(staged, bytes)
      return staged
    },

    async replace (fileId, content, options = {}) {
      content = acceptContent(content)
      assertReplaceOptions(options)
      const file = find(fileId)
      const extension = file && storedExtension(options.extension ?? file.info.extension)
      return extension === undefined ? null : await store(fileId, extension, content, options)
    },

    async remove (fileId) {
      removeState(fileId)
      removeVersions(fileId)
      return files.delete(fileId)
    }
  }

  async function store (fileId: string, extension: string, content: Content, options: StoreOptions) {
    const bytes = stagedBytes.get(content) ?? await bytesOf(content)
    if (!isAsExpected(fileId, options)) return null
    const revision = `${instanceTag}.${(++revisionCount).toString(36)}`
    const info = Object.freeze({ fileId, extension, size: bytes.length, modifiedAt: new Date(), revision })
    await options.beforePublish?.(info)
    if (!isAsExpected(fileId, options)) return null
    files.set(fileId, { info, bytes })
    return info
  }

  function isAsExpected (fileId: string, { ifRevision, isNew = false }: StoreOptions): boolean {
    return (ifRevision === undefined || files.get(fileId)?.info.revision === ifRevision) &&
      !(isNew && files.has(fileId))
  }
}

/** Copies the bytes, because the caller may reuse its buffer. */
async function bytesOf (content: Content): Promise<Buffer> {
  if (isUint8Array(content)) return Buffer.from(content)
  const chunks: Buffer[] = []
  for await (const chunk of content) {
    assertBytes(chunk)
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

/** Copies the bytes, because the reader may change the chunks. */
function bodyOf (bytes: Buffer): Readable {
  let position = 0
  return new Readable({
    read () {
      const chunk = bytes.subarray(position, position + CHUNK_BYTES)
      position += chunk.length
      this.push(chunk.length > 0 ? Buffer.from(chunk) : null)
    }
  })
}

/** At most `maxRecords` records in the memory of this process. The least recently used are dropped. */
export function memoryState (
  { maxRecords = Infinity } = {}
): StateStore & Required<Pick<StateStore, 'list'>> & { remove(fileId: string): void } {
  /** Values are kept as JSON, so that callers cannot change them. */
  const records = new BoundedMap<string, StateRecord & { readonly value: string }>(maxRecords)
  let versionCount = 0

  return {
    async get (fileId) {
      const record = records.get(fileId)
      if (record === undefined) return null
      records.set(fileId, record) // marks it as used
      return { value: JSON.parse(record.value), version: record.version }
    },
    async set (fileId, value, version) {
      if (!isSafeFileId(fileId) || (records.get(fileId)?.version ?? null) !== version) return null
      const newVersion = String(++versionCount)
      records.set(fileId, { value: JSON.stringify(value), version: newVersion })
      return newVersion
    },
    async * list () {
      for (const [fileId, { value, version }] of [...records]) yield { fileId, value: JSON.parse(value), version }
    },
    remove (fileId) {
      records.delete(fileId)
    }
  }
}

interface MemoryVersion extends Omit<StoredVersion, 'details' | 'changesSize'> {
  readonly content: Buffer
  readonly changes: Buffer | undefined
  /** JSON text, so that callers cannot change the details. */
  readonly details: string
}

/**
 * Keeps versions in the memory of this process. Contents are not copied, because the storage never changes the bytes of
 * a file.
 */
function memoryVersions (
  find: (fileId: string) => MemoryFile | undefined
): VersionStore & { removeAll(fileId: string): void } {
  const kept = new Map<string, { last: number, versions: readonly MemoryVersion[] }>()
  const versionsOf = (fileId: string) => kept.get(fileId)?.versions ?? []

  return {
    async list (fileId, options = {}) {
      assertListOptions(options)
      return versionsOf(fileId).slice(-(options.newest ?? 0)).map(storedVersion)
    },

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const { details } = options
      const changes = acceptChanges(options)
      const newDetails = detailsText(details)
      if (find(fileId)?.info.revision !== revision) return null
      const newChanges = changes && await bytesOf(changes)
      const file = find(fileId)
      if (file?.info.revision !== revision) return null

      const { last, versions } = kept.get(fileId) ?? { last: 0, versions: [] }
      const newest = versions.at(-1)
      const same = newest?.revision === revision ? newest : undefined
      const { extension, size, modifiedAt } = file.info
      const version: MemoryVersion = {
        ...same ??
          { version: last + 1, revision, extension, size, modifiedAt, keptAt: new Date(), content: file.bytes },
        changes: newChanges,
        details: newDetails
      }
      kept.set(fileId, { last: version.version, versions: [...same ? versions.slice(0, -1) : versions, version] })
      return storedVersion(version)
    },

    async read (fileId, version, part = 'content') {
      const found = versionsOf(fileId).find(candidate => candidate.version === version)
      const bytes = found?.[part]
      return found && bytes ? { version: storedVersion(found), body: bodyOf(bytes) } : null
    },

    async remove (fileId, numbers) {
      assertVersionNumbers(numbers)
      const found = kept.get(fileId)
      const versions = versionsOf(fileId).filter(({ version }) => !numbers.includes(version))
      if (found) kept.set(fileId, { ...found, versions })
    },

    async label (fileId, number, label) {
      assertLabel(label)
      const found = kept.get(fileId)
      if (!found?.versions.some(({ version }) => version === number)) return false
      const versions = found.versions.map(version => {
        const { label: before, ...others } = version
        return version.version === number ? { ...others, ...(label && { label: { ...label } }) } : version
      })
      kept.set(fileId, { ...found, versions })
      return true
    },

    removeAll (fileId) {
      kept.delete(fileId)
    }
  }
}

function storedVersion ({ content, changes, details, ...version }: MemoryVersion): StoredVersion {
  return { ...version, changesSize: changes?.length ?? null, details: JSON.parse(details) }
}
