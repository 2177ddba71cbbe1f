import type { Readable } from 'node:stream'
import type { Content, FileInfo, StoredVersion, VersionStore } from '../../types/storage.js'
import { acceptContent } from '../content.js'
import { assertKeepOptions, assertListOptions, assertVersionNumbers } from './call-options.js'
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

/** Keeps versions in the memory of this process. Contents are not copied: the storage never changes the bytes of a file. */
export function memoryVersions ({ find, bytesOf, bodyOf }: MemoryVersionsDependencies): VersionStore & { removeAll (fileId: string): void } {
  const kept = new Map<string, { last: number, versions: readonly MemoryVersion[] }>()
  const versionsOf = (fileId: string) => kept.get(fileId)?.versions ?? []

  return {
    async list (fileId, options = {}) {
      assertListOptions(options)
      return versionsOf(fileId).slice(-(options.newest ?? 0)).map(storedVersion)
    },

    async keep (fileId, revision, options = {}) {
      assertKeepOptions(options)
      const { details, changes } = options
      if (changes !== undefined) acceptContent(changes, { name: 'changes' })
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
        ...same ?? { version: last + 1, revision, extension, size, modifiedAt, keptAt: new Date(), content: file.bytes },
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
      if (found) kept.set(fileId, { ...found, versions: found.versions.filter(({ version }) => !numbers.includes(version)) })
    },

    removeAll (fileId) {
      kept.delete(fileId)
    }
  }
}

function storedVersion ({ content, changes, details, ...version }: MemoryVersion): StoredVersion {
  return { ...version, changesSize: changes?.length ?? null, details: JSON.parse(details) }
}
