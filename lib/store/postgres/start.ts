import { randomUUID } from 'node:crypto'
import { InvalidOptionError } from '../../errors.js'
import { type Driver, NOWHERE } from '../contract.js'
import { codeOf, type Database } from './database.js'

/** The fileId of no document. */
const NO_FILE_ID = ''
/** Number of the lock for creating tables; any number will do. */
const LOCK = 7_108_465_216

interface Found {
  readonly hasSchema: boolean
  readonly hasTables: boolean
  readonly commit: string
  readonly encoding: string
}

/**
 * Creates the tables if they are missing, and tries what the storage is going to do, so that a missing right shows now.
 *
 * @throws InvalidOptionError
 */
export async function prepareTables (database: Database, driver: Driver): Promise<void> {
  const { hasSchema, hasTables, commit, encoding } = await settings(database)
  if (commit === 'off') {
    throw new InvalidOptionError('pool', 'must wait until commits are durable, or a crash of PostgreSQL loses saves: ' +
      'do not turn synchronous_commit off for its role')
  }
  if (encoding !== 'UTF8') throw new InvalidOptionError('pool', `must be of a database with the encoding UTF8, not ${encoding}`)
  if (!hasTables) await createTables(database, hasSchema)
  await tryEverything(driver)
}

async function settings ({ query, schema, records, blobs }: Database): Promise<Found> {
  const [found] = await query<Found>(
    'ready',
    `SELECT to_regnamespace($1) IS NOT NULL AS "hasSchema",
       to_regclass($2) IS NOT NULL AND to_regclass($3) IS NOT NULL AS "hasTables",
       current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS encoding`,
    [schema, records, blobs]
  )
  return found!
}

/**
 * In one implicit transaction, under a lock: of two instances that make the same table at the same time, one would
 * fail.
 */
async function createTables ({ query, schema, records, blobs }: Database, hasSchema: boolean): Promise<void> {
  await query('ready', `
    SELECT pg_advisory_xact_lock(${LOCK});
    ${hasSchema ? '' : `CREATE SCHEMA IF NOT EXISTS ${schema};`}
    CREATE TABLE IF NOT EXISTS ${records} (
      file_id text COLLATE "C" PRIMARY KEY,
      record text NOT NULL,
      etag uuid NOT NULL,
      modified_at timestamptz NOT NULL
    );
    CREATE TABLE IF NOT EXISTS ${blobs} (
      file_id text COLLATE "C",
      blob uuid,
      piece integer,
      written_at timestamptz NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (file_id, blob, piece)
    );
    ALTER TABLE ${blobs} ALTER bytes SET STORAGE EXTERNAL`)
}

async function tryEverything (driver: Driver): Promise<void> {
  const other = randomUUID()
  // Another instance may be trying, too, or was killed while it was: the rights are checked even so.
  const etag = await driver.set(NO_FILE_ID, {}, null) ?? other
  await driver.set(NO_FILE_ID, null, await driver.set(NO_FILE_ID, {}, etag) ?? other)
  const blob = await driver.write(NOWHERE, Buffer.from('x'))
  await driver.read(NOWHERE, blob)
  await driver.drop(NOWHERE, blob.name)
}

const SQL = 'docs/postgres.sql'

/** An error of the first queries, with advice if it has a known cause. */
export function explained (error: unknown, { schema, records, blobs }: Database): unknown {
  const code = codeOf(error) ?? ''
  const advice = adviceFor(code)
  return advice ? new InvalidOptionError(...advice, { cause: error as Error }) : error

  function adviceFor (code: string): [option: string, rule: string] | undefined {
    if (code === '42501') {
      return ['pool', `needs a role that may create tables in ${schema}, or read, insert, update and delete in ` +
        `${records} and ${blobs}: grant it that, or run ${SQL} as another role`]
    }
    if (/^(28|3D)/.test(code)) return ['pool', 'needs a database that exists and a role that may connect to it']
    if (/^42/.test(code)) {
      return ['schema', `must not have other tables named ${records} or ${blobs}: the present ones differ from ${SQL}`]
    }
    return undefined
  }
}
