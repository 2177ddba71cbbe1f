import { randomUUID } from 'node:crypto'
import t from 'tap'
import { postgresStorage, type PostgresPool } from '../../lib/store/postgres/index.js'
import { noPostgres, postgres, storageOn, textOf, type TestPostgres } from '../kit/postgres.js'

const MIB = 1024 ** 2
const THREE_PIECES = Buffer.alloc(2.5 * MIB, 'new')

t.setTimeout(300_000)

t.test('a connection that is cut in the middle of a write: it fails, and leaves nothing', { skip: noPostgres }, async t => {
  const database = await storageOn(t)
  const { storage, rows } = database
  const { fileId } = await storage.create('txt', Buffer.from('old'))
  const restore = await whenever(database, 'BEFORE INSERT ON blobs', 'WHEN (NEW.piece = 2)', CUT)
  await t.rejects(storage.replace(fileId, THREE_PIECES), { code: 'FST_EDITOR_STORAGE', retryable: true, cause: { code: '57P01' } })
  t.equal(await textOf(storage, fileId), 'old')
  t.equal((await rows('SELECT FROM blobs')).length, 1)
  await restore()
  t.match(await storage.replace(fileId, THREE_PIECES), { size: THREE_PIECES.length })
})

t.test('content that fails leaves nothing', { skip: noPostgres }, async t => {
  const { storage, rows } = await storageOn(t)
  const failure = new Error('the upload was aborted')
  await t.rejects(storage.create('txt', (async function * () {
    yield THREE_PIECES
    throw failure
  })()), failure)
  t.strictSame(await rows('SELECT FROM blobs'), [])
})

t.test('a connection that is cut while a record is set: the change is made once', { skip: noPostgres }, async t => {
  const database = await storageOn(t)
  const { storage, rows } = database
  const { fileId } = await storage.create('txt', Buffer.from('old'))
  await rows('CREATE SEQUENCE records_cuts')
  const restore = await whenever(database, 'AFTER UPDATE ON records', '', `IF nextval('records_cuts') = 1 THEN ${CUT} END IF;`)
  const replaced = await storage.replace(fileId, Buffer.from('new'))
  t.equal((await rows<{ count: string }>('SELECT last_value::text AS count FROM records_cuts'))[0]?.count, '2', 'it was cut, and repeated')
  t.strictSame(await storage.stat(fileId), replaced)
  await restore()
})

t.test('an answer that is lost: the change is made once', { skip: noPostgres }, async t => {
  const { pool } = await postgres(t)
  let lost = NaN
  const { storage } = await storageOn(t, {
    pool: {
      async query (query) {
        const result = await pool.query(query)
        if (!/^(INSERT INTO|UPDATE) .*_records /.test(query.text) || !(++lost % 2)) return result
        throw new Error('Connection terminated unexpectedly')
      }
    }
  })
  lost = 0
  const { fileId, revision } = await storage.create('txt', Buffer.from('old'))
  const replaced = await storage.replace(fileId, Buffer.from('new'), { ifRevision: revision })
  t.ok(lost >= 2)
  t.strictSame(await storage.stat(fileId), replaced)
  t.equal(await textOf(storage, fileId), 'new')
})

t.test('every query ends in time: one that hangs, and one for which there is no connection', { skip: noPostgres }, async t => {
  const { newPool, options } = await postgres(t)
  const pool = newPool({ max: 1 })
  const database = await storageOn(t, { pool })
  const { fileId } = await database.storage.create('txt', Buffer.from('old'))
  const storage = postgresStorage({ ...options, pool, queryTimeout: 500 })
  await storage.ready()
  const late = { code: 'FST_EDITOR_STORAGE_TIMEOUT', retryable: true, message: /within 500 ms/ }

  const restore = await whenever(database, 'BEFORE INSERT ON blobs', '', 'PERFORM pg_sleep(60);')
  await t.rejects(storage.create('txt', Buffer.from('new')), late)
  t.equal(await textOf(storage, fileId), 'old', 'the connection that hung is given up')
  await database.rows('SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = \'PgSleep\'')
  await restore()

  const client = await pool.connect()
  await t.rejects(storage.stat(fileId), late)
  client.release()
  t.ok(await storage.stat(fileId))
})

t.test('an error says whether to repeat the call, and nothing of the row', { skip: noPostgres }, async t => {
  const database = await storageOn(t)
  const { storage, rows } = database
  for (const [state, retryable] of [['53100', true], ['53300', true], ['40001', true], ['57014', true], ['58030', true], ['25006', true], ['23514', false], ['XX002', false]] as const) {
    const restore = await whenever(database, 'BEFORE INSERT ON blobs', '', `RAISE EXCEPTION 'no' USING ERRCODE = '${state}', DETAIL = 'secret';`)
    const error = await storage.create('txt', Buffer.from('new')).then(() => null, error => error)
    t.match(error, { code: 'FST_EDITOR_STORAGE', message: `The storage failed: write failed: ${state}`, retryable, cause: { message: 'no', code: state } })
    t.notMatch(JSON.stringify(Object.entries(error.cause)), /secret/)
    await restore()
  }
  await rows('ALTER TABLE records RENAME TO other')
  await t.rejects(storage.stat('report'), { code: 'FST_EDITOR_STORAGE', retryable: false, message: /get failed: 42P01/ })
  const query = async () => { throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) }
  await t.rejects(postgresStorage({ pool: { query } }).ready(), { code: 'FST_EDITOR_STORAGE', retryable: true, message: /EPIPE/ })
})

t.test('what arrives late, when the document was removed and made anew, changes nothing', { skip: noPostgres }, async t => {
  const { pool } = await postgres(t)
  let held: (() => Promise<{ readonly rows: readonly unknown[] }>) | undefined
  let isReady = false
  const delaying: PostgresPool = {
    async query (query) {
      if (held || !isReady || !query.text.startsWith('UPDATE')) return await pool.query(query)
      held = async () => await pool.query(query)
      throw new Error('Connection terminated unexpectedly')
    }
  }
  const { storage, options } = await storageOn(t)
  const { fileId } = await storage.create('txt', Buffer.from('content'))
  const slow = postgresStorage({ ...options, pool: delaying })
  await slow.ready()
  isReady = true
  await slow.replace(fileId, Buffer.from('slow')) // the first attempt is under way
  await storage.remove(fileId)
  await storage.create('txt', Buffer.from('content'), { fileId })
  t.strictSame((await held!()).rows, [], 'what arrives late changes nothing')
  t.equal(await textOf(storage, fileId), 'content')
})

const CUT = 'PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10);'

/** Runs PL/pgSQL at an event of the tables. Resolves to what ends that. */
async function whenever ({ rows }: TestPostgres, event: string, condition: string, code: string): Promise<() => Promise<void>> {
  const name = `"${randomUUID()}"`
  await rows(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${code} RETURN NEW; END $$`)
  await rows(`CREATE TRIGGER ${name} ${event} FOR EACH ROW ${condition} EXECUTE FUNCTION ${name}()`)
  return async () => { await rows(`DROP FUNCTION ${name} CASCADE`) }
}
