// Runs the tests with tap:
//   npm test                           all test files but *.long.test.ts, without coverage
//   npm test -- --full                 all test files, with coverage and its thresholds
//   npm test -- test/saves/a.test.ts   some files or folders
//   npm test -- --long test/saves      a folder with its long test files, without coverage
// Other options go to tap. The last lines are what was skipped, the time and the counts.
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
import { leftOut, testFiles, writeGroups } from './test-files.js'
import { startStore } from './test-store.js'

const COVERAGE = '.tap/report/coverage-summary.json'
const RESULTS = '.tap/results.tap'
const COUNTS = '.tap/counts.txt'
const PACKAGES = ['lib', 'emulator/lib'].filter(directory => existsSync(directory))
/** More than processors, because many tests wait. */
const JOBS = Math.min(availableParallelism() * 2, 8)
/** Inputs of the random tests in the full set; by default they try fewer. */
const RUNS = '400'

const args = process.argv.slice(2)
const isFull = args.includes('--full')
const withLong = isFull || args.includes('--long')
const options = args.filter(arg => arg.startsWith('-') && !['--full', '--long'].includes(arg))
const paths = args.filter(arg => !arg.startsWith('-'))
const start = performance.now()

await mkdir('.tap', { recursive: true })
for (const stale of [COVERAGE, RESULTS, COUNTS]) await rm(stale, { force: true })
const files = await testFiles({ withLong, paths })
const groups = await writeGroups(files)
const store = await startStore(files)
const exitCode = await runTap([`--jobs=${JOBS}`, ...isFull ? [] : ['--disable-coverage'], ...options, ...groups])
await store.stop()
const { passed, failed, notRun, lacking } = readResults(await readFile(RESULTS, 'utf8').catch(() => ''))

const faults = [
  ...(exitCode === 0 && failed === 0 ? [] : ['tests failed']),
  ...(passed > 0 ? [] : ['no test passed']),
  ...(isFull ? await coverageOfAll() : []),
  ...(notRun.length > 0 && process.env.CI === 'true' ? ['with CI=true every test must run'] : [])
]
const all = [...notRun, ...lacking, ...leftOut()]
if (all.length > 0) console.log(`\nNot run:\n  ${all.join('\n  ')}`)
if (faults.length > 0) console.log(`\nNot good enough:\n  ${faults.join('\n  ')}`)

const counts = `${passed} passed, ${failed} failed`
await writeFile(COUNTS, `${counts}\n`)
console.log(`\nTook ${((performance.now() - start) / 1000).toFixed(0)} s`)
console.log(counts)
process.exitCode = faults.length > 0 ? 1 : 0

/** Of each package of its own, so that one can't make up for the other. */
async function coverageOfAll () {
  const faults = await Promise.all(PACKAGES.map(async directory => await coverageFaults(COVERAGE, directory)))
  return faults.flat()
}

/**
 * A terminal gets tap's own reporter, a log the plain TAP. The results go to a file either way.
 * @param {string[]} args
 */
async function runTap (args) {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('tap/package.json')
  const tap = join(dirname(manifest), require(manifest).bin.tap)
  const terminal = process.stdout.isTTY
  const output = terminal ? [`--output-file=${RESULTS}`] : ['--reporter=tap']

  const child = spawn(process.execPath, [tap, ...output, ...args], {
    env: { ...isFull && { RUNS }, ...store.env, ...process.env },
    stdio: ['inherit', terminal ? 'inherit' : 'pipe', 'inherit']
  })
  const exited = once(child, 'exit')
  if (child.stdout) {
    child.stdout.pipe(process.stdout, { end: false })
    await pipeline(child.stdout, createWriteStream(RESULTS))
  }
  const [code] = await exited
  return code ?? 1
}
