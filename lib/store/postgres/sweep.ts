import type { StorageSweepOptions } from '../../../types/storage.js'
import type { Driver } from '../contract.js'
import type { Records } from '../records.js'
import { type ListedBlob, SWEEP_AGE_MS, sweepBlobs, sweepRegularly } from '../sweep.js'
import type { Database } from './database.js'
import { millisecondsOf } from './driver.js'

const LISTED_AT_ONCE = 500
const MAX_FIRST_PAUSE_MS = 60 * 60_000
/** Precedes all others. */
const FIRST = { id: '', name: '00000000-0000-0000-0000-000000000000' }

interface BlobRow {
  readonly id: string
  readonly name: string
  readonly size: string
  readonly time: string
}

/** Deletes blobs that no record names, even if a crash has left only some of their pieces. */
export function createSweep ({ query, blobs }: Database, driver: Driver, records: Records) {
  async function sweep ({ olderThan = SWEEP_AGE_MS, signal }: StorageSweepOptions) {
    const [now] = await query<{ readonly time: string }>('sweep', `SELECT ${millisecondsOf('clock_timestamp()')} AS time`, [])
    const { count, bytes, failures } = await sweepBlobs({
      blobs: allBlobs(),
      drop: async ({ fileId, name }) => await driver.drop(fileId, name),
      records,
      now: Number(now!.time),
      olderThan,
      signal
    })
    if (failures.length > 0) throw failures[0]
    return { blobs: count, bytes }
  }

  /** A blob is as old as its youngest piece: an upload may take long. */
  async function * allBlobs (): AsyncGenerator<ListedBlob> {
    for (let last: Pick<BlobRow, 'id' | 'name'> | undefined = FIRST; last;) {
      const rows: readonly BlobRow[] = await query<BlobRow>(
        'sweep',
        `SELECT file_id AS id, blob::text AS name, sum(octet_length(bytes))::text AS size,
           ${millisecondsOf('max(written_at)')} AS time
         FROM ${blobs} WHERE (file_id, blob) > ($1, $2) GROUP BY file_id, blob ORDER BY file_id, blob
         LIMIT ${LISTED_AT_ONCE}`,
        [last.id, last.name]
      )
      for (const { id, name, size, time } of rows) {
        yield { fileId: id, name, size: Number(size), modifiedAt: new Date(Number(time)) }
      }
      last = rows.at(-1)
    }
  }

  /** Sweeps within an hour, and then at intervals. Every instance does: it costs a walk through an index. */
  async function keepSweeping (interval: number, signal: AbortSignal): Promise<void> {
    await sweepRegularly(sweep, { first: Math.min(interval, MAX_FIRST_PAUSE_MS), interval, signal })
  }

  return { sweep, keepSweeping }
}
