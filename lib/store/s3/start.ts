import { randomUUID } from 'node:crypto'
import { InvalidOptionError } from '../../errors.js'
import { isJsonObject, type JsonObject, parseJson } from '../../util/text.js'
import { NOWHERE } from '../contract.js'
import type { Condition, S3Services } from './object-store.js'
import { isConflict, isMissingBucket, nameOf, statusOf } from './store-errors.js'

const RACERS = 4
/** Matches no object. */
const OTHER_ETAG = '00000000000000000000000000000000'

/**
 * Marks the prefix at its first use. The storage writes nothing before that: what it finds in an unmarked prefix is not
 * its own, unless somebody has deleted the mark.
 *
 * @throws InvalidOptionError: another program uses the prefix.
 */
export async function markPrefix (services: S3Services): Promise<void> {
  const { store, names } = services
  if (await isMarked(services)) return
  const stranger = await findStranger(services)
  // Another instance starting at the same time may have marked the prefix and then made that object.
  if (stranger !== undefined && !await isMarked(services)) {
    throw new InvalidOptionError('prefix', 'must be used by nothing else, but the bucket already has ' +
      `${JSON.stringify(stranger)}: choose another prefix. If this storage made everything there, create the object ` +
      `${names.mark} with the text {"format":1}`)
  }
  await store.put(names.mark, JSON.stringify({ format: 1 }), 'absent').catch(async error => {
    if (!await isMarked(services)) throw error
  })
}

/** Returns `undefined` if this version of the library cannot read the mark. A newer one may have added properties. */
export function parseMark (text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) && value.format === 1 ? value : undefined
}

async function isMarked ({ store, names }: S3Services): Promise<boolean> {
  const found = await store.get(names.mark)
  if (found === null || parseMark(found.text)) return found !== null
  throw new InvalidOptionError('prefix', `must be used by nothing else, but the object ${names.mark} was ` +
    'written by another program or by a newer version of this library: choose another prefix, or update this library')
}

/** The key of the first object or upload in a folder of the prefix, where there may be millions. */
async function findStranger ({ store, names }: S3Services): Promise<string | undefined> {
  return await firstKey(store.list(names.records)) ??
    await firstKey(store.list(names.contents)) ??
    await firstKey(store.uploads(names.contents))
}

async function firstKey (listing: AsyncIterable<{ readonly key: string }>): Promise<string | undefined> {
  const first = await listing[Symbol.asyncIterator]().next()
  return first.done ? undefined : first.value.key
}

/**
 * Checks, with an object of its own, that the store honours the conditions of writes: a store that ignores them would
 * let one save overwrite another one. Finds out how it wants ETags.
 *
 * @throws InvalidOptionError
 */
export async function checkConditions ({ store, names }: S3Services): Promise<void> {
  const key = names.content(NOWHERE, randomUUID())
  const put = async (condition?: Condition) => await store.put(key, randomUUID(), condition)
  store.quoteETags(false)
  try {
    let etag = await put()
    if (await isAccepted(put('absent'))) throw ignored('If-None-Match: *')
    if (await isAccepted(put({ etag: OTHER_ETAG }))) throw ignored('If-Match')
    try {
      etag = await put({ etag })
    } catch (error) {
      if (!isConflict(error)) throw error
      const found = (await store.get(key))?.etag
      if (found !== undefined && found !== etag) { // an earlier write was made, and its answer lost
        etag = found
      } else {
        store.quoteETags(true)
        etag = await put({ etag }).catch(error => {
          throw isConflict(error) ? ignored('If-Match with the right ETag') : error
        })
      }
    }
    // The losers of the race may get any error.
    const race = await Promise.all(
      Array.from({ length: RACERS }, async () => await put({ etag }).then(() => true, () => false))
    )
    if (race.filter(Boolean).length > 1) throw ignored('If-Match of requests that arrive at the same time')
  } finally {
    await store.remove(key).catch(() => {}) // the sweep deletes it
  }
}

async function isAccepted (putting: Promise<unknown>): Promise<boolean> {
  return await putting.then(() => true, (error: unknown) => {
    if (isConflict(error) || statusOf(error) === 501) return false
    throw error
  })
}

function ignored (condition: string): Error {
  return new InvalidOptionError(
    'storage',
    `needs an object store with conditional writes: this one does not honour ${condition}, so that saves would overwrite each other`
  )
}

/** An error of the first requests, with advice if it has a known cause. */
export function explained (error: unknown): unknown {
  const status = statusOf(error)
  if (isMissingBucket(error)) {
    return new InvalidOptionError(
      'bucket',
      'must be the name of a bucket that exists: create it, or correct the name, the region or the endpoint of the client',
      { cause: error }
    )
  }
  if (nameOf(error) === 'RequestTimeTooSkewed') {
    return new InvalidOptionError('client', 'needs the right time: set the clock of this machine', { cause: error })
  }
  if (status === 401 || status === 403) {
    return new InvalidOptionError(
      'client',
      'needs credentials that may read, list and write in the bucket: correct the ' +
        'credentials, or the permissions of their owner',
      { cause: error }
    )
  }
  if (status === 301 || status === 307 || status === 400) {
    return new InvalidOptionError('client', 'needs the region and the endpoint of the bucket', { cause: error })
  }
  return error
}
