// Counts in a document, until it is killed: `counting.ts <connection> <schema> <fileId>`, both as JSON. Tells its
// parent each number that was stored, and of each failure that something may have been.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { postgresStorage } from '../../lib/store/postgres/index.js'
import { contentOf, numberIn } from './numbers.js'

const [connection, schema, fileId] = process.argv.slice(2).map(argument => JSON.parse(argument))
const pool = new pg.Pool(connection)
pool.on('error', () => {}) // the server crashes
const storage = postgresStorage({ pool, schema, sweepInterval: false, queryTimeout: 5000 })

for (;;) {
  let isWriting = false
  try {
    const found = await storage.read(fileId)
    const next = numberIn(await found!.body.toArray()) + 1
    isWriting = true
    if (await storage.replace(fileId, contentOf(next), { ifRevision: found!.info.revision })) process.send!({ stored: next })
  } catch (error) {
    if ((error as { retryable?: boolean }).retryable !== true) throw error
    if (isWriting) process.send!({ unknown: true })
    await delay(20) // the server starts
  }
}
