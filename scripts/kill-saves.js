// Kills the built service with SIGKILL at random moments of mixed saves, restarts it and looks for anything lost.
// node scripts/kill-saves.js [--rounds 200] [--seed <number>]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileStorage } from '../dist/lib/index.js'
import { createCounts } from '../test/campaigns/kills/counts.js'
import { tempNames } from '../test/campaigns/kills/directory.js'
import { startDocumentServer } from '../test/campaigns/kills/document-server.js'
import { startLane } from '../test/campaigns/kills/lane.js'
import { servicePool } from '../test/campaigns/kills/processes.js'
import { randomFrom } from '../test/campaigns/kills/random.js'

/** Rounds overlap: while one lane restarts, the others save. */
const LANES = 3

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: String(Date.now() % 1e9) } }
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
console.log(`seed ${seed}, ${rounds} rounds`)

const directory = await mkdtemp(join(tmpdir(), 'kill-saves-'))
const documentServer = await startDocumentServer()
const pool = servicePool({ directory, documentServer: documentServer.origin })
const counts = createCounts()
/** @type {Set<string>} */
const known = new Set()
let started = 0

try {
  await Promise.all(Array.from({ length: LANES }, (_, lane) => run(`lane${lane}`, randomFrom(seed + lane))))
  await fileStorage({ directory }).sweep({ olderThan: -60_000 })
  const left = await tempNames(directory)
  if (left.length > 0) throw new Error(`files that no record names, after a sweep: ${left.join(', ')}`)
  console.log(counts)
  await rm(directory, { recursive: true })
} catch (error) {
  console.log(counts)
  console.error(`\nseed ${seed}, after ${counts.rounds} rounds: ${/** @type {Error} */ (error).stack}\nThe files are in ${directory}`)
  process.exit(1)
}
await pool.close()
documentServer.close()

/**
 * @param {string} name
 * @param {import('../test/campaigns/kills/random.js').Random} random
 */
async function run (name, random) {
  const lane = await startLane({ name, directory, pool, documentServer, random, known, counts })
  while (started < rounds) {
    started++
    await lane.round()
  }
  await lane.end()
}
