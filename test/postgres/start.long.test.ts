import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { postgresStorage, type PostgresStorageOptions } from '../../lib/store/postgres/index.js'
import { noPostgres, postgres, textOf } from '../kit/postgres.js'

t.setTimeout(300_000)

t.test('instances that start at once make the tables once, and each can use them', { skip: noPostgres }, async t => {
  const { options, newPool } = await postgres(t)
  const pools = Array.from({ length: 8 }, () => newPool())
  await Promise.all(pools.map(async pool => await pool.query('SELECT')))
  const instances = pools.map(pool => postgresStorage({ ...options, pool }))
  await Promise.all(instances.map(async storage => await storage.ready()))
  const [first, ...others] = instances
  const { fileId } = await first!.create('txt', Buffer.from('text'))
  for (const storage of others) t.equal(await textOf(storage, fileId), 'text')
})

t.test('a role that may not make the tables can use those that postgres.sql has made, and needs all rights', { skip: noPostgres }, async t => {
  const { options, schema, pool: owner, newPool, rows } = await postgres(t)
  await owner.query('DROP ROLE IF EXISTS app; CREATE ROLE app LOGIN')
  const pool = newPool({ user: 'app' })
  const storage = postgresStorage({ ...options, pool })
  const refused = { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option pool needs a role/, cause: { cause: { code: '42501' } } }
  await t.rejects(storage.ready(), refused)

  await owner.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}; GRANT USAGE ON SCHEMA ${pg.escapeIdentifier(schema)} TO app`)
  const sql = await readFile('docs/postgres.sql', 'utf8')
  await owner.query(`SET search_path TO ${pg.escapeIdentifier(schema)}; ${sql}; SET search_path TO DEFAULT`)
  await storage.ready()
  t.strictSame(await rows('SELECT file_id FROM records UNION ALL SELECT file_id FROM blobs'), [], 'what it has tried is gone')
  const { fileId } = await storage.create('txt', Buffer.from('text'))
  t.equal(await textOf(storage, fileId), 'text')

  for (const [right, table] of [['INSERT', 'records'], ['UPDATE', 'records'], ['DELETE', 'records'], ['SELECT', 'blobs'], ['INSERT', 'blobs'], ['DELETE', 'blobs']] as const) {
    await rows(`REVOKE ${right} ON ${table} FROM app`)
    await t.rejects(postgresStorage({ ...options, pool }).ready(), refused, `${right} on ${table}`)
    await rows(`GRANT ${right} ON ${table} TO app`)
  }
  await postgresStorage({ ...options, pool }).ready()
})

t.test('postgres.sql is what a start makes', { skip: noPostgres }, async t => {
  const { options, pool } = await postgres(t)
  const shown = `shown ${randomUUID()}`
  await postgresStorage(options).ready()
  const [sql] = (await readFile('docs/postgres.sql', 'utf8')).split('GRANT')
  await pool.query(`CREATE SCHEMA "${shown}"; SET search_path TO "${shown}"; ${sql}; SET search_path TO DEFAULT`)
  const columns = async (schema: string) => (await pool.query(
    `SELECT relname, attname, atttypid::regtype::text, attnotnull, attstorage, attcollation, pg_get_indexdef(indexrelid) LIKE '%' || attname || '%' AS key
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_index ON indrelid = pg_class.oid
     WHERE relnamespace = quote_ident($1)::regnamespace AND attnum > 0 ORDER BY relname, attnum`, [schema]
  )).rows
  const made = await columns(options.schema)
  t.equal(made.length, 9)
  t.strictSame(await columns(shown), made)
})

t.test('a start says what is wrong, and the next call tries again', { skip: noPostgres }, async t => {
  const { options, newPool, rows, pool: owner, schema } = await postgres(t)
  const reject = async (t: Test, what: Partial<PostgresStorageOptions>, expected: { code: string, message: RegExp, retryable?: boolean }) => {
    const storage = postgresStorage({ ...options, ...what })
    await t.rejects(storage.stat('report'), expected)
    return storage
  }
  const invalid = (message: RegExp) => ({ code: 'FST_EDITOR_INVALID_OPTION', message })
  await reject(t, { pool: newPool({ database: 'missing' }) }, invalid(/^Option pool needs a database that exists/))
  await reject(t, { pool: newPool({ options: '-c synchronous_commit=off' }) }, invalid(/^Option pool must wait/))
  await owner.query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
  await reject(t, { pool: newPool({ database: 'latin' }) }, invalid(/^Option pool must be of .* not LATIN1/))
  await reject(t, { pool: newPool({ host: '/missing' }) }, { code: 'FST_EDITOR_STORAGE', retryable: true, message: /ENOENT/ })

  await owner.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`)
  await rows('CREATE TABLE records (id int)')
  const storage = await reject(t, {}, invalid(/^Option schema must not have other tables named/))
  await rows('DROP TABLE records')
  t.equal(await storage.stat('report'), null)
})
