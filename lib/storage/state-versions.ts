import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { orMissing, textOf } from './put-once.js'

const MAX_CHASES = 20

/** What a version holds. */
export interface Version {
  /** Tells, in a later life of the directory, whose record it is. */
  readonly fileId: string
  readonly value: unknown
  /** Its own tag and those of the versions before it, newest first. */
  readonly tags: readonly string[]
}

/** Highest first. */
export async function versionsIn (folder: string): Promise<number[]> {
  try {
    const names = await readdir(folder)
    return names.filter(name => /^\d{1,15}$/.test(name)).map(Number).sort((a, b) => b - a)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * `undefined` when they are gone by now, `null` when none can be read. A record that was torn by a crash is passed over: its
 * number counts, not its value.
 */
async function newestReadable (folder: string, versions: readonly number[]): Promise<Version | undefined | null> {
  for (const number of versions) {
    const text = await textOf(versionPath(folder, number)).catch(orMissing)
    if (text === undefined) return undefined
    const version = parsed(text)
    if (version !== undefined) return version
  }
  return null
}

/** The highest number of a record and what its newest readable version holds; `undefined` when there is no record. */
export async function newestIn (folder: string): Promise<{ readonly number: number, readonly version: Version | null } | undefined> {
  // A version may be superseded between finding and reading it.
  for (let chase = 0; chase < MAX_CHASES; chase++) {
    const versions = await versionsIn(folder)
    if (versions.length === 0) return undefined
    const version = await newestReadable(folder, versions)
    if (version !== undefined) return { number: versions[0]!, version }
  }
  throw new Error('The record of a document changes faster than it can be read')
}

export function versionPath (folder: string, number: number): string {
  return join(folder, String(number))
}

/** The opaque version of a record: `c4e9 07fa … 12`. */
export function versionOf (number: number, tags: readonly string[]): string {
  return [...tags, number].join(' ')
}

/** What an opaque version was made of. Of anything else the number is that of no version. */
export function partsOf (version: string | null): { readonly number: number, readonly tags: readonly string[] } {
  const tags = (version ?? '0').split(' ')
  const number = tags.pop()!
  return { number: /^\d+$/.test(number) ? Number(number) : NaN, tags }
}

function parsed (text: string): Version | undefined {
  try {
    const version = Object(JSON.parse(text))
    return typeof version.fileId === 'string' && version.value !== undefined && Array.isArray(version.tags) ? version : undefined
  } catch {
    return undefined
  }
}
