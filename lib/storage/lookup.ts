import { type BigIntStats, lstat } from 'node:fs'
import { join } from 'node:path'
import { knownExtensions } from '../document-server/formats.js'
import { type DirectoryVersion, directoryVersions, isUnchanged } from './directory-version.js'
import { rankOf, unusualNames } from './unusual-names.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

const MAX_REMEMBERED = 10_000

export interface Lookup {
  /** The file that counts, followed by others that would take its place. */
  find (fileId: string): Promise<StoredFile[]>
  /** The file that counted when it was looked up last, as it is now: at the cost of one call. */
  glance (fileId: string): Promise<StoredFile | undefined>
  /** Every regular file of the fileId. */
  findAll (fileId: string): Promise<StoredFile[]>
}

const inCapitals = knownExtensions.map(extension => extension.toUpperCase())

/**
 * Finds the regular files named `<fileId>.<extension>`, the one that counts first: the newest of those with a known
 * extension; only when there is none, the newest of those with one in capitals; only when there is none either, the newest
 * of the others; of equally old ones the first by name. What other processes drop in or take away is seen at once. With a
 * known extension the cost is the same in any directory, however large.
 */
export function lookup (directory: string): Lookup {
  const currentVersion = directoryVersions(directory)
  const unusualNamesOf = unusualNames(directory, currentVersion)
  const remembered = rememberedNames()
  const latest = new Map<string, string>()

  return {
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

    async findAll (fileId) {
      return (await Promise.all([probe(fileId, knownExtensions), probe(fileId, inCapitals), unusual(fileId)])).flat()
    }
  }

  function keepLatest (fileId: string, name: string): void {
    latest.delete(fileId)
    latest.set(fileId, name)
    if (latest.size > MAX_REMEMBERED) latest.delete(latest.keys().next().value!)
  }

  async function search (fileId: string, before: DirectoryVersion): Promise<StoredFile[]> {
    for (const extensions of [knownExtensions, inCapitals]) {
      const files = await probe(fileId, extensions)
      if (files.length > 0) return files
    }
    const files = await unusual(fileId)
    if (files.length > 0 || isUnchanged(before, await currentVersion())) return files

    // A change of format moves a file: it may have gone from where we had yet to look to where we had just looked.
    return probe(fileId, knownExtensions)
  }

  function probe (fileId: string, extensions: readonly string[]): Promise<StoredFile[]> {
    return regularFiles(directory, extensions.map(extension => `${fileId}.${extension}`))
  }

  async function unusual (fileId: string): Promise<StoredFile[]> {
    return await regularFiles(directory, await unusualNamesOf(fileId))
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

async function regularFiles (directory: string, names: readonly string[]): Promise<StoredFile[]> {
  const files = await Promise.all(names.map(name => regularFile(directory, name)))
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
    lstat(join(directory, name), { bigint: true }, (error, stats) => {
      if (!error) resolve(stats.isFile() ? { name, stats } : undefined)
      else if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') resolve(undefined)
      else reject(error)
    })
  })
}
