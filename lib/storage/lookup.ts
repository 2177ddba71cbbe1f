import { type BigIntStats, lstat } from 'node:fs'
import { sep } from 'node:path'
import { knownExtensions } from '../document-server/formats.js'
import { type DirectoryVersion, directoryVersions, isUnchanged } from './directory-version.js'
import { type Pause, rankOf, seenNames } from './seen-names.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

const MAX_REMEMBERED = 10_000

const inCapitals = knownExtensions.map(extension => extension.toUpperCase())

export interface Lookup {
  /** The file that counts, followed by those that would take its place. Where names stay as they are, the first alone may do. */
  find (fileId: string): Promise<StoredFile[]>
  /** The file that counted when it was looked up last, as it is now: at the cost of one call. */
  glance (fileId: string): Promise<StoredFile | undefined>
  /** Every regular file of the fileId. */
  findAll (fileId: string): Promise<StoredFile[]>
  /** Has a name found from now on that this process has given. */
  note (name: string): void
  /** Walks through the directory. Without it only known extensions are found. */
  walk (onName: (name: string) => void): Promise<void>
  keepWalking (signal: AbortSignal): Promise<void>
}

/**
 * Finds the regular files named `<fileId>.<extension>`, the one that counts first: the newest of those with a known extension,
 * then those with one in capitals, then all others; of equally old ones the first by name. A look-up costs the same in any
 * directory, however large. What other processes take away is seen at once. What they drop in is seen at once with a known
 * extension in small letters or in capitals, or with another one that a file had there at the latest walk; with any other after
 * the next walk.
 */
export function lookup (directory: string, pause?: Pause): Lookup {
  const currentVersion = directoryVersions(directory)
  const { namesOf, ...seen } = seenNames(directory, currentVersion, pause)
  const remembered = rememberedNames()
  const latest = new Map<string, string>()

  return {
    ...seen,

    async find (fileId) {
      const name = remembered.get(fileId)
      const [version, file] = await Promise.all([currentVersion(), name === undefined ? undefined : regularFile(directory, name)])
      if (file && remembered.isValid(version)) return [file]

      const files = await search(fileId, version)
      if (files.length > 0) keepLatest(fileId, files[0]!.name)
      if (files.length === 1 && version.settled) remembered.set(fileId, files[0]!.name, version)
      return files
    },

    async glance (fileId) {
      const name = latest.get(fileId)
      return name === undefined ? undefined : await regularFile(directory, name)
    },

    findAll: async fileId => await search(fileId, await currentVersion())
  }

  function keepLatest (fileId: string, name: string): void {
    latest.delete(fileId)
    latest.set(fileId, name)
    if (latest.size > MAX_REMEMBERED) latest.delete(latest.keys().next().value!)
  }

  async function search (fileId: string, before: DirectoryVersion): Promise<StoredFile[]> {
    const files = await probe(fileId)
    if (files.length > 0) return files
    const found = await regularFiles(directory, inCapitals.map(extension => `${fileId}.${extension}`))
    for (const { name } of found) seen.note(name)
    if (found.length > 0 || isUnchanged(before, await currentVersion())) return found

    // A change of format moves a file: it may have gone from where we had yet to look to where we had just looked.
    return await probe(fileId)
  }

  function probe (fileId: string): Promise<StoredFile[]> {
    return regularFiles(directory, new Set([...knownExtensions.map(extension => `${fileId}.${extension}`), ...namesOf(fileId)]))
  }
}

/** Names found in one version of the directory, the latest 10,000 at most. */
function rememberedNames () {
  let names = new Map<string, string>()
  let of: DirectoryVersion | undefined

  return {
    get: (fileId: string) => names.get(fileId),
    isValid: (version: DirectoryVersion) => of !== undefined && isUnchanged(of, version),
    set (fileId: string, name: string, version: DirectoryVersion) {
      if (of?.mtimeNs !== version.mtimeNs) {
        of = version
        names = new Map()
      }
      if (names.size >= MAX_REMEMBERED) names.delete(names.keys().next().value!)
      names.set(fileId, name)
    }
  }
}

async function regularFiles (directory: string, names: Iterable<string>): Promise<StoredFile[]> {
  const files = await Promise.all(Array.from(names, name => regularFile(directory, name)))
  return files.filter(file => file !== undefined).sort((a, b) => comesBefore(a, b) ? -1 : 1)
}

/** Which of two files of one fileId counts. */
export function comesBefore (a: StoredFile, b: StoredFile): boolean {
  const ranks = rankOf(a.name) - rankOf(b.name)
  if (ranks !== 0) return ranks < 0
  return a.stats.mtimeNs === b.stats.mtimeNs ? a.name < b.name : a.stats.mtimeNs > b.stats.mtimeNs
}

/** By callback: most of the probed names are absent, and the promise of node:fs makes an absent file three times as dear. */
export function regularFile (directory: string, name: string): Promise<StoredFile | undefined> {
  return new Promise((resolve, reject) => {
    lstat(directory + sep + name, { bigint: true }, (error, stats) => {
      if (!error) resolve(stats.isFile() ? { name, stats } : undefined)
      else if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') resolve(undefined)
      else reject(error)
    })
  })
}
