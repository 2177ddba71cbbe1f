import { InvalidOptionError, StorageError } from '../../errors.js'
import { isJsonObject, type JsonObject, parseJson } from '../../json.js'
import { parseRecord } from './document-record.js'
import { markOf, type ObjectNames } from './names.js'
import type { ObjectStore, SmallObject } from './object-store.js'

/** The object that makes a prefix ours. Nothing is deleted without it. */
export interface Mark {
  /** A newer version of this library may have added properties. */
  readonly value: JsonObject
  readonly found: SmallObject
}

/**
 * Marks the prefix at its first use. The storage writes nothing before that: what it finds in an unmarked prefix is not
 * its own, unless somebody has deleted the mark.
 *
 * @throws InvalidOptionError: another program uses the prefix, or the prefix overlaps with another one.
 */
export async function markPrefix (store: ObjectStore, names: ObjectNames): Promise<void> {
  await refuseOverlaps(store, names)
  if (await isMarked(store, names)) return
  const stranger = await findStranger(store, names)
  // Another instance that starts at the same time may have marked the prefix and then made that object.
  if (stranger !== undefined && !await isMarked(store, names)) {
    throw new InvalidOptionError('prefix', 'must be one that nothing else uses, but the bucket already has ' +
      `${JSON.stringify(stranger)}: choose another prefix. If this storage made everything there, create the object ` +
      `${names.mark} with the text {"format":1}`)
  }
  await store.put(names.mark, JSON.stringify({ format: 1 }), 'absent').catch(async error => {
    if (!await isMarked(store, names)) throw error
  })
  // If an overlapping prefix is marked at the same time, at least one of the two applications sees the other's mark.
  await refuseOverlaps(store, names).catch(async error => {
    if (error instanceof InvalidOptionError) await store.remove(names.mark).catch(() => {})
    throw error
  })
}

/** @throws StorageError: the mark is missing, or this version cannot read it. */
export async function readMark (store: ObjectStore, names: ObjectNames): Promise<Mark> {
  const found = await store.get(names.mark)
  const value = found && parseMark(found)
  if (value) return { value, found }
  const what = `the object ${names.mark} is missing or damaged`
  throw new StorageError(`${what}, so nothing is swept: restart the application`, { retryable: false })
}

async function isMarked (store: ObjectStore, names: ObjectNames): Promise<boolean> {
  const found = await store.get(names.mark)
  if (found === null || parseMark(found)) return found !== null
  throw new InvalidOptionError('prefix', `must be one that nothing else uses, but the object ${names.mark} was ` +
    'written by another program or by a newer version of this library: choose another prefix, or update this library')
}

function parseMark ({ text }: SmallObject): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) && value.format === 1 ? value : undefined
}

async function refuseOverlaps (store: ObjectStore, names: ObjectNames): Promise<void> {
  const marks = await Promise.all(names.overlapping.map(async prefix => await store.get(markOf(prefix))))
  const other = names.overlapping[marks.findIndex(mark => mark !== null)]
  if (other === undefined) return
  throw new InvalidOptionError('prefix', `must not overlap with the prefix '${other}', which is in use in the same ` +
    'bucket: neither may be in the folders records/, contents/ and probe/ of the other. Choose another prefix, or ' +
    `delete the object ${markOf(other)} if that prefix is no longer used`)
}

/**
 * The key of an object or upload in a folder of the prefix; `undefined` if there is none, or if the first record shows
 * that they are ours. Looks at the first one of each folder only: there may be millions.
 */
async function findStranger (store: ObjectStore, names: ObjectNames): Promise<string | undefined> {
  const first = await firstKey(store.list(names.records))
  if (first !== undefined) {
    const found = names.parseRecord(first) === undefined ? null : await store.get(first)
    return found && parseRecord(found.text) ? undefined : first
  }
  return await firstKey(store.list(names.contents)) ??
    await firstKey(store.list(names.probes)) ??
    await firstKey(store.uploads(names.contents))
}

async function firstKey (listing: AsyncIterable<{ readonly key: string }>): Promise<string | undefined> {
  const { done, value } = await listing[Symbol.asyncIterator]().next()
  return done === true ? undefined : value.key
}
