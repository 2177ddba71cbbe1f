import { randomUUID } from 'node:crypto'
import { InvalidOptionError } from '../../errors.js'
import type { Condition } from './object-store.js'
import type { S3Services } from './services.js'
import { isConflict, isMissingBucket, nameOf, statusOf } from './store-errors.js'

const RACERS = 4
/** Matches no object. */
const OTHER_ETAG = '00000000000000000000000000000000'

/**
 * Checks, with an object of its own, that the store honours the conditions of writes: a store that ignores them would
 * let one save overwrite another one. Finds out how it wants ETags.
 *
 * @throws InvalidOptionError
 */
export async function checkConditions ({ store, names }: S3Services): Promise<void> {
  const key = `${names.probes}${randomUUID()}`
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
