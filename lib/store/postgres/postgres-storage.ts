import type { StorageSweepOptions } from '../../../types/storage.js'
import { once } from '../../util/queue.js'
import {
  anyOf, assertOptions, integerFrom, isNumber, isOneOf, Milliseconds, objectWith, rule, Signal, stringThat
} from '../../util/validate.js'
import type { DocumentStore } from '../contract.js'
import { createDocumentStore } from '../document-store.js'
import { SWEEP_AGE_MS, sweepMethods } from '../sweep.js'
import { createDatabase, type PostgresPool } from './database.js'
import { postgresDriver } from './driver.js'
import { explained, prepareTables } from './start.js'
import { createSweep } from './sweep.js'

export interface PostgresStorageOptions {
  /** A `Pool` of the package `pg`, which the application may use, too. The storage does not end it. */
  readonly pool: PostgresPool
  /**
   * The schema of the tables `onlyoffice_records` and `onlyoffice_blobs`. Applications with different schemas can share
   * a database.
   *
   * @default 'public'
   */
  readonly schema?: string | undefined
  /**
   * Milliseconds, at most 5 minutes: limit for one query, including the wait for a connection. A query reads or writes
   * at most 1 MiB.
   *
   * @default 20_000
   */
  readonly queryTimeout?: number | undefined
  /**
   * Milliseconds between two sweeps of an instance; `false` turns sweeps off.
   *
   * @default 86_400_000, one day
   */
  readonly sweepInterval?: number | false | undefined
}

/** The result of a sweep: number of deleted contents, versions and changes, and their bytes. */
export interface SweepResult {
  readonly blobs: number
  readonly bytes: number
}

/** The storage that `postgresStorage` returns. */
export interface PostgresStorage extends Omit<DocumentStore, 'downloadUrl'> {
  /** Runs a sweep at once, like the sweeps in the background. */
  sweep (options?: StorageSweepOptions): Promise<SweepResult>
  /** Ends the sweeps in the background. */
  close (): Promise<void>
}

const MAX_QUERY_TIMEOUT_MS = 5 * 60_000
const MAX_NAME_BYTES = 63

const SWEEP_RULES = {
  olderThan: rule('must be a number of milliseconds', isNumber),
  signal: Signal
}
const RULES = {
  pool: { ...objectWith('query'), description: 'must be a Pool of the package pg' },
  schema: rule(`must be the name of a schema, of 1 to ${MAX_NAME_BYTES} bytes`, stringThat(isName)),
  queryTimeout: rule('must be a whole number of milliseconds, from 1 to 300000', integerFrom(1, MAX_QUERY_TIMEOUT_MS)),
  sweepInterval: rule(
    'must be a whole number of milliseconds, at least 1, or false',
    anyOf(Milliseconds.holds, isOneOf(false))
  )
}

/**
 * Stores documents in a PostgreSQL database, 13 or later. Any number of instances of the application may use it at the
 * same time. Needs the package `pg`.
 *
 * - One record per document, a row, names the contents in use. Every change of a document is one conditional statement
 *   on this row: it happens completely or not at all, however long the process was suspended before.
 * - Contents are rows of at most 1 MiB, which never change. They are written and read one by one, so a document is
 *   never in memory as a whole, and a slow reader holds no connection.
 * - Writes are durable once a method has resolved, if the server's `fsync` and `synchronous_commit` are on. If a method
 *   rejects because the database failed, its change may have been made, or may be made within seconds; a later call
 *   shows the outcome.
 * - Superseded contents stay for at least 15 minutes, because somebody may be reading them. Once a day, each instance
 *   sweeps, which deletes contents that no record has named for a day: failed uploads, and content that was never
 *   published. Staged content must be published within 12 hours. The clocks of the instances may differ.
 * - `remove` immediately deletes the record and everything that it names. The next sweep deletes content that was
 *   staged for the document.
 *
 * Each query is one statement outside of a transaction, so poolers such as PgBouncer work. Errors are `StorageError`
 * (`FST_EDITOR_STORAGE`), whose `cause` has the SQLSTATE as its `code`, and `StorageTimeoutError`.
 *
 * `ready()` creates the tables if they are missing, and tests them. It rejects with `InvalidOptionError`
 * (`FST_EDITOR_INVALID_OPTION`) if the role lacks the rights, if the tables belong to something else, if the database
 * does not use UTF8, or if `synchronous_commit` is off. The plugin awaits `ready()` at registration; without the
 * plugin, the first method call does. If it fails, the next call tries again. `close()` ends the sweeps in the
 * background.
 *
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has an invalid value.
 *
 * @example
 * ```js
 * import pg from 'pg'
 * import editor from 'fastify-onlyoffice'
 * import { postgresStorage } from 'fastify-onlyoffice/postgres'
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * await app.register(editor, { ...options, storage: postgresStorage({ pool }) })
 * ```
 */
export function postgresStorage (options: PostgresStorageOptions): PostgresStorage {
  assertOptions(RULES, options, { required: new Set(['pool']) })
  const { pool, schema = 'public', queryTimeout = 20_000, sweepInterval = SWEEP_AGE_MS } = options

  const database = createDatabase({ pool, schema, queryTimeout })
  const closing = new AbortController()
  const ready = once(async () => {
    await prepareTables(database, driver).catch(error => { throw explained(error, database) })
    if (sweepInterval !== false) keepSweeping(sweepInterval, closing.signal).catch(() => {})
  })
  const driver = postgresDriver(database, ready)
  const { storage, records } = createDocumentStore(driver)
  const { sweep, keepSweeping } = createSweep(database, driver, records)

  return { ...storage, ...sweepMethods({ rules: SWEEP_RULES, ready, sweep, closing }) }
}

/** Not of control characters, which make the name unreadable in messages. */
function isName (name: string): boolean {
  return name.isWellFormed() && Buffer.byteLength(name) >= 1 && Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/\p{Cc}/u.test(name)
}
