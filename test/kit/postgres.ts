// A PostgreSQL server of this process (`postgres`), with the programs of Debian's package postgresql.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, rmSync } from 'node:fs'
import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import { postgresStorage, type PostgresStorage, type PostgresStorageOptions } from '../../lib/store/postgres/index.js'

export interface TestPostgres {
  readonly pool: pg.Pool
  /** A new one for each test. */
  readonly schema: string
  /** Of `postgresStorage`. */
  readonly options: PostgresStorageOptions & { readonly schema: string }
  /** Of a pool. */
  readonly connection: PostgresServer['connection']
  /** Another pool of the same database. */
  newPool (options?: pg.PoolConfig): pg.Pool
  /** The rows of a query, in which `records` and `blobs` are the tables. */
  rows <Row extends object> (text: string, values?: unknown[]): Promise<Row[]>
}

export interface PostgresServer {
  readonly connection: { readonly host: string, readonly user: string, readonly database: string }
  /** Ends at once, as in a crash. */
  crash (): Promise<void>
  start (): Promise<void>
}

/** Not at the end of the PATH in Debian. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), ...globSync('/usr/lib/postgresql/*/bin').sort().reverse()]
const programs = Object.fromEntries(['initdb', 'pg_ctl', 'postgres', 'setpriv'].map(name =>
  [name, FOLDERS.map(folder => join(folder, name)).find(path => existsSync(path))]
))
const START_MS = 60_000
const NOBODY = 65534
const isRoot = process.getuid?.() === 0
/** The server refuses to run as root. It ends with this process, however that ends. */
const AS_USER = ['--pdeathsig', 'QUIT', ...isRoot ? ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'] : []]

/** For the `skip` option of a test: why there is no server, else `false`. */
export const noPostgres: string | false = Object.values(programs).every(Boolean) ? false : 'PostgreSQL is not installed'

let shared: Promise<PostgresServer> | undefined
const known = new WeakMap<Test, Promise<TestPostgres>>()

/** The database of this process. Each test has a schema of its own in it, and gets the same one whenever it asks. */
export async function postgres (t: Test): Promise<TestPostgres> {
  const found = known.get(t) ?? opened(t)
  known.set(t, found)
  return await found
}

/** The server of this process, to crash it. */
export async function sharedServer (): Promise<PostgresServer> {
  shared ??= startPostgres()
  return await shared
}

async function opened (t: Test): Promise<TestPostgres> {
  return onServer(t, await sharedServer())
}

function onServer (t: Test, { connection }: PostgresServer): TestPostgres {
  const schema = `test "${randomUUID()}"`
  const quoted = `"${schema.replaceAll('"', '""')}"`
  function newPool (options: pg.PoolConfig = {}): pg.Pool {
    const pool = new pg.Pool({ ...connection, ...options })
    pool.on('error', () => {}) // of an idle connection
    t.teardown(async () => await pool.end())
    return pool
  }
  const pool = newPool()
  return {
    pool,
    schema,
    options: { pool, schema, sweepInterval: false },
    connection,
    newPool,
    rows: async (text, values) => (await pool.query(
      text.replace(/\b(records|blobs)\b/g, name => `${quoted}.onlyoffice_${name}`), values
    )).rows
  }
}

/** A new storage, on tables of its own, and what is beside it. It is ready. */
export async function storageOn (t: Test, options: Partial<PostgresStorageOptions> = {}): Promise<TestPostgres & { readonly storage: PostgresStorage }> {
  const database = await postgres(t)
  const storage = postgresStorage({ ...database.options, ...options })
  t.teardown(async () => await storage.close())
  await storage.ready()
  return { ...database, storage }
}

/** Starts a server with files of its own. They are removed at the end of this process. */
async function startPostgres (): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'))
  if (isRoot) await chown(directory, NOBODY, NOBODY)
  const data = join(directory, 'data')
  process.once('exit', () => {
    if (server?.exitCode === null) execFileSync(programs.setpriv!, [...AS_USER, programs.pg_ctl!, 'stop', '-D', data, '-m', 'immediate'], { cwd: directory, stdio: 'ignore' })
    rmSync(directory, { recursive: true, force: true })
  })
  const settings = ['--auth=trust', '--username=tests', '--encoding=UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(programs.setpriv!, [...AS_USER, programs.initdb!, '-D', data, ...settings], { cwd: directory, timeout: START_MS })

  let server: ReturnType<typeof spawn> | undefined
  async function start (): Promise<void> {
    const args = ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-c', 'max_connections=60', '-c', 'shared_buffers=32MB']
    const child = spawn(programs.setpriv!, [...AS_USER, programs.postgres!, ...args], { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
    server = child
    const lines: string[] = []
    const log = createInterface(child.stderr)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`PostgreSQL does not start: ${lines.join('\n')}`)), START_MS)
      child.once('exit', () => reject(new Error(`PostgreSQL has ended: ${lines.join('\n')}`)))
      log.on('line', line => {
        if (lines.length < 100) lines.push(line)
        if (!line.includes('ready to accept connections')) return
        clearTimeout(timer)
        resolve()
      })
    })
    child.unref()
    ;(child.stderr as unknown as { unref(): void }).unref()
  }
  await start()
  return {
    connection: { host: directory, user: 'tests', database: 'postgres' },
    async crash () {
      const ended = once(server!, 'exit')
      server!.kill('SIGQUIT')
      await ended
    },
    start
  }
}

export async function textOf (storage: Pick<PostgresStorage, 'read'>, fileId: string): Promise<string | null> {
  const found = await storage.read(fileId)
  return found && Buffer.concat(await found.body.toArray()).toString()
}
