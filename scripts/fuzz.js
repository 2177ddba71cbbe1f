// Sends the service many random inputs, other ones every time: all files of test/campaigns/fuzz, with a random seed.
// node scripts/fuzz.js [--runs 100000] [--seed <number>] [--minutes 60]
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const TESTS = 'test/campaigns/fuzz'
/** What the tests print of their inputs. */
const COUNTS = /^\s*# [\w-]+: (\d+) inputs, seed/
const FAILURE = /^\s*not ok /

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: '60' }
  }
})
const [runs, minutes] = [Number(values.runs), Number(values.minutes)]
console.log(`seed ${values.seed}, ${runs} inputs, at most ${minutes} minutes`)

const files = (await readdir(TESTS)).filter(name => name.endsWith('.test.ts')).map(name => join(TESTS, name))
const signal = AbortSignal.timeout(minutes * 60_000)
let tried = 0
let failed = files.length === 0

await Promise.all(Array.from({ length: Math.min(availableParallelism(), files.length) }, work))
const enough = tried >= runs * 0.99 // shares are rounded
if (!enough) console.log('inputs are missing')
console.log(`\n${tried} inputs, seed ${values.seed}: ${failed || !enough ? 'failed' : 'all as it must be'}`)
process.exitCode = failed || !enough ? 1 : 0

async function work () {
  for (let file = files.shift(); file !== undefined; file = files.shift()) await run(file)
}

/** @param {string} file */
async function run (file) {
  const child = spawn(process.execPath, ['--import=./scripts/typescript/register.js', file], {
    env: { ...process.env, RUNS: String(runs), SEED: values.seed, TAP_TIMEOUT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal
  })
  const closed = once(child, 'close').catch(error => {
    console.log(`${file}: ${error.name === 'AbortError' ? `not done after ${minutes} minutes` : error.message}`)
    return [1]
  })
  for await (const line of createInterface(child.stdout)) {
    const counted = COUNTS.exec(line)
    if (counted) tried += Number(counted[1])
    if (counted || FAILURE.test(line)) console.log(`${file}: ${line.trim()}`)
  }
  const [code] = await closed
  if (code !== 0) failed = true
}
