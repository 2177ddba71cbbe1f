import { type BigIntStats, lstat } from 'node:fs'
import { join } from 'node:path'
import { knownExtensions } from '../document-server/formats.js'
import { type DirectoryVersion, directoryVersions, isUnchanged } from './directory-version.js'
import { unusualNames } from './unusual-names.js'

export interface StoredFile {
  readonly name: string
  readonly stats: BigIntStats
}

const MAX_REMEMBERED = 10_000

/**
 * Finds the regular files named `<fileId>.<extension>`, the one that counts first: the newest of those with a known
 * extension; only when there is none, the newest of the others; of equally old ones the first by name.
 * What other processes drop in or take away is seen at once. With a known extension the cost is the same in any
 * directory, however large.
 */
export function lookup (directory: string): (fileId: string) => Promise<StoredFile[]> {
  const currentVersion = directoryVersions(directory)
  const unusualNamesOf = unusualNames(directory, currentVersion)
  const remembered = rememberedNames()

  return async function find (fileId) {
    const name = remembered.get(fileId)
    const [version, file] = await Promise.all([currentVersion(), name === undefined ? undefined : regularFile(directory, name)])
    if (file && remembered.isValid(version)) return [file]

    const files = await search(fileId, version)
    if (files.length === 1 && version.settled) remembered.set(fileId, files[0]!.name, version)
    return files
  }

  async function search (fileId: string, before: DirectoryVersion): Promise<StoredFile[]> {
    const known = await probe(fileId)
    if (known.length > 0) return known

    const unusual = await regularFiles(directory, await unusualNamesOf(fileId))
    if (unusual.length > 0 || isUnchanged(before, await currentVersion())) return unusual

    // A change of format moves a file: it may have gone from where we had yet to look to where we had just looked.
    return probe(fileId)
  }

  function probe (fileId: string): Promise<StoredFile[]> {
    return regularFiles(directory, knownExtensions.map(extension => `${fileId}.${extension}`))
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
  return files.filter(file => file !== undefined).sort(newestFirst)
}

function newestFirst (a: StoredFile, b: StoredFile): number {
  if (a.stats.mtimeNs !== b.stats.mtimeNs) return a.stats.mtimeNs > b.stats.mtimeNs ? -1 : 1
  return a.name < b.name ? -1 : 1
}

/** By callback: most of the probed names are absent, and the promise of node:fs makes an absent file three times as dear. */
function regularFile (directory: string, name: string): Promise<StoredFile | undefined> {
  return new Promise((resolve, reject) => {
    lstat(join(directory, name), { bigint: true }, (error, stats) => {
      if (!error) resolve(stats.isFile() ? { name, stats } : undefined)
      else if (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG') resolve(undefined)
      else reject(error)
    })
  })
}
