// Runs tap and adds what it does not do: enforced coverage, a list of what was skipped, the counts in one last line.
// `npm test` runs everything; `npm test -- <files or options of tap>` runs a part, of which no coverage is asked.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { coverageFaults } from './coverage.js'
import { readResults } from './results.js'

const COVERAGE = '.tap/report/coverage-summary.json'
const RESULTS = '.tap/results.tap'
const COUNTS = '.tap/counts.txt'
const PACKAGES = ['lib', 'emulator/lib'].filter(directory => existsSync(directory))
/** By itself tap leaves one processor idle, of two. */
const JOBS = Math.min(availableParallelism(), 8)

const args = process.argv.slice(2)

await mkdir('.tap', { recursive: true })
for (const stale of [COVERAGE, RESULTS, COUNTS]) await rm(stale, { force: true })
const exitCode = await runTap()
const { passed, failed, notRun } = readResults(await readFile(RESULTS, 'utf8').catch(() => ''))

const faults = [
  ...(exitCode === 0 && failed === 0 ? [] : ['tests failed']),
  ...(passed > 0 ? [] : ['no test passed']),
  ...(args.length === 0 ? await coverageOfAll() : []),
  ...(notRun.length > 0 && process.env.CI === 'true' ? ['with CI=true every test must run'] : [])
]
if (notRun.length > 0) console.log(`\nNot run:\n  ${notRun.join('\n  ')}`)
if (faults.length > 0) console.log(`\nNot good enough:\n  ${faults.join('\n  ')}`)

const counts = `${passed} passed, ${failed} failed`
await writeFile(COUNTS, `${counts}\n`)
console.log(`\n${counts}`)
process.exitCode = faults.length > 0 ? 1 : 0

/** Of each package of its own, so that one can't make up for the other. */
async function coverageOfAll () {
  const faults = await Promise.all(PACKAGES.map(async directory => await coverageFaults(COVERAGE, directory)))
  return faults.flat()
}

/** A terminal gets tap's own reporter, a log the plain TAP. The results go to a file either way. */
async function runTap () {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('tap/package.json')
  const tap = join(dirname(manifest), require(manifest).bin.tap)
  const terminal = process.stdout.isTTY
  const options = terminal ? [`--output-file=${RESULTS}`] : ['--reporter=tap']

  const child = spawn(process.execPath, [tap, `--jobs=${JOBS}`, ...options, ...args], { stdio: ['inherit', terminal ? 'inherit' : 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  if (child.stdout) {
    child.stdout.pipe(process.stdout, { end: false })
    await pipeline(child.stdout, createWriteStream(RESULTS))
  }
  const [code] = await exited
  return code ?? 1
}
