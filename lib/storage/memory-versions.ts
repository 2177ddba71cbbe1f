import type { Readable } from 'node:stream'
import type { Content, FileInfo, KeepOptions, StoredVersion, VersionStore } from '../../types/storage.js'
import { deferErrors } from '../streams.js'
import { detailsText } from './version-details.js'

interface MemoryFile {
  readonly info: FileInfo
  readonly bytes: Buffer
}

interface MemoryVersion extends Omit<StoredVersion, 'details' | 'changesSize'> {
  readonly content: Buffer
  readonly changes: Buffer | undefined
  /** JSON text, so that callers cannot change them. */
  readonly details: string
}

export interface MemoryVersionsDependencies {
  readonly find: (fileId: string) => MemoryFile | undefined
  readonly bytesOf: (content: Content) => Promise<Buffer>
  readonly bodyOf: (bytes: Buffer) => Readable
}

export interface MemoryVersionStore extends VersionStore {
  removeAll (fileId: string): void
  /** Reads everything that is to be kept. Resolves to a function that keeps a file's content with it, at once. */
  prepare (options: KeepOptions): Promise<(file: MemoryFile) => StoredVersion>
  /** Removes those that `select` returns, at once. */
  removeNow (fileId: string, select: (versions: readonly StoredVersion[]) => readonly number[]): void
}

/** Keeps versions in the memory of this process. Contents are not copied: the storage never changes the bytes of a file. */
export function memoryVersions ({ find, bytesOf, bodyOf }: MemoryVersionsDependencies): MemoryVersionStore {
  const kept = new Map<string, { last: number, versions: readonly MemoryVersion[] }>()
  const versionsOf = (fileId: string) => kept.get(fileId)?.versions ?? []

  return {
    async list (fileId) {
      return versionsOf(fileId).map(storedVersion)
    },

    async keep (fileId, revision, options = {}) {
      deferErrors(options.changes)
      if (find(fileId)?.info.revision !== revision) {
        detailsText(options.details)
        return null
      }
      const add = await prepare(options)
      const file = find(fileId)
      return file?.info.revision === revision ? add(file) : null
    },

    prepare,

    async read (fileId, version, part = 'content') {
      const found = versionsOf(fileId).find(candidate => candidate.version === version)
      const bytes = found?.[part]
      return found && bytes ? { version: storedVersion(found), body: bodyOf(bytes) } : null
    },

    async remove (fileId, numbers) {
      removeNow(fileId, () => numbers)
    },

    removeNow,

    removeAll (fileId) {
      kept.delete(fileId)
    }
  }

  async function prepare ({ details, changes }: KeepOptions): Promise<(file: MemoryFile) => StoredVersion> {
    deferErrors(changes)
    const newDetails = detailsText(details)
    const newChanges = changes && await bytesOf(changes)
    return ({ info: { fileId, revision, extension, size, modifiedAt }, bytes }) => {
      const { last, versions } = kept.get(fileId) ?? { last: 0, versions: [] }
      const newest = versions.at(-1)
      const same = newest?.revision === revision ? newest : undefined
      const version: MemoryVersion = {
        ...same ?? { version: last + 1, revision, extension, size, modifiedAt, keptAt: new Date(), content: bytes },
        changes: newChanges,
        details: newDetails
      }
      kept.set(fileId, { last: version.version, versions: [...same ? versions.slice(0, -1) : versions, version] })
      return storedVersion(version)
    }
  }

  function removeNow (fileId: string, select: (versions: readonly StoredVersion[]) => readonly number[]): void {
    const found = kept.get(fileId)
    if (!found) return
    const numbers = select(found.versions.map(storedVersion))
    kept.set(fileId, { ...found, versions: found.versions.filter(({ version }) => !numbers.includes(version)) })
  }
}

function storedVersion ({ content, changes, details, ...version }: MemoryVersion): StoredVersion {
  return { ...version, changesSize: changes?.length ?? null, details: JSON.parse(details) }
}
