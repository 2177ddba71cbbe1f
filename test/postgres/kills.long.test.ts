import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { random } from '../campaigns/random.js'
import { noPostgres, sharedServer, storageOn } from '../kit/postgres.js'
import { contentOf, numberIn } from './numbers.js'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const SEED = Number(process.env.SEED ?? 1)
/** Longer than it takes to store a number. */
const MOMENT_MS = 120
const WRITERS = 2

t.setTimeout(600_000)

t.test('two processes count in a document and are killed: no number is lost or doubled, and a sweep leaves no blob that nobody needs', { skip: noPostgres }, async t => {
  const { storage, counted, start, rows } = await counting(t)
  const { integer } = random(SEED)
  for (let round = 1; round <= ROUNDS; round++) {
    const before = await counted()
    const writers = Array.from({ length: WRITERS }, start)
    await Promise.all(writers.map(async writer => await writer.message()))
    for (const writer of writers) {
      await delay(integer(MOMENT_MS))
      await writer.kill()
    }
    const stored = writers.flatMap(({ stored }) => stored)
    const after = await counted()
    t.equal(new Set(stored).size, stored.length, `round ${round}: each number is stored by one process`)
    t.ok(
      after >= Math.max(before, ...stored) && after - before <= stored.length + WRITERS,
      `round ${round}: from ${before} to ${after}, ${stored.length} acknowledged`
    )
  }
  await rows("UPDATE blobs SET written_at = written_at - interval '25 hours'")
  await storage.sweep()
  t.strictSame(await rows('SELECT blob FROM blobs JOIN records USING (file_id) WHERE strpos(record, blob::text) = 0'), [])
})

t.test('the server crashes while a process counts: no number is lost or doubled', { skip: noPostgres }, async t => {
  const server = await sharedServer()
  const { counted, start } = await counting(t)
  const { integer } = random(SEED)
  const writer = start()
  for (let round = 1; round <= ROUNDS; round++) {
    const count = writer.stored.length
    while (writer.stored.length === count) await writer.message()
    await delay(integer(MOMENT_MS))
    await server.crash()
    const acknowledged = Math.max(...writer.stored)
    await server.start()
    const found = await counted()
    t.ok(found >= acknowledged, `round ${round}: ${found} after ${acknowledged} was acknowledged`)
  }
  await writer.kill()
  const { stored, unknown } = writer
  t.equal(new Set(stored).size, stored.length)
  t.ok(await counted() <= stored.length + unknown() + 1, `${await counted()}: ${stored.length} acknowledged, ${unknown()} unknown`)
})

async function counting (t: Test) {
  const database = await storageOn(t)
  const { storage, connection, schema, pool } = database
  const { fileId } = await storage.create('txt', contentOf(0))

  /** Starts a process, which counts. */
  function start () {
    const name = randomUUID()
    const args = [{ ...connection, application_name: name }, schema, fileId].map(argument => JSON.stringify(argument))
    const process = fork(new URL('counting.ts', import.meta.url), args)
    t.teardown(() => process.kill('SIGKILL'))
    const ended = new AbortController()
    process.once('exit', () => ended.abort())
    const stored: number[] = []
    let unknown = 0
    process.on('message', (message: { stored?: number }) => {
      if (message.stored === undefined) unknown++
      else stored.push(message.stored)
    })
    return {
      /** What it says was stored. */
      stored,
      unknown: () => unknown,
      message: async () => await once(process, 'message', { signal: ended.signal }),
      /** Resolves when nothing of it is under way any more. */
      async kill () {
        const gone = Promise.all([once(process, 'exit'), once(process, 'disconnect')])
        process.kill('SIGKILL')
        await gone
        const isConnected = async () =>
          (await pool.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [name])).rows.length > 0
        while (await isConnected());
      }
    }
  }

  return { ...database, start, counted: async () => numberIn(await (await storage.read(fileId))!.body.toArray()) }
}
