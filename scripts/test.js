// Runs the tests with tap:
//   npm test                           all test files but *.long.test.ts; with CI=true, with coverage
//   npm test -- --full                 all test files, with coverage and its thresholds
//   npm test -- --rest                 the same, but not again what `CI=true npm test` has just run
//   npm test -- test/saves/a.test.ts   some files or folders
//   npm test -- --long test/saves      a folder with its long test files, without coverage
// `--build`, which `npm test` adds, builds what these files need before.
// Other options go to tap. The last lines are what failed, what was skipped, the time and the counts.
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
import { build } from './test-build.js'
import { leftOut, testFiles, writeGroups } from './test-files.js'
import { startStore } from './test-store.js'

const COVERAGE = '.tap/report/coverage-summary.json'
const RAW_COVERAGE = '.tap/coverage'
const RESULTS = '.tap/results.tap'
/** Of the latest run that was not of chosen files, or that failed. */
const COUNTS = '.tap/counts.txt'
const SAVE_LIST = '.tap/save.txt'
const PACKAGES = ['lib', 'emulator/lib'].filter(directory => existsSync(directory))
/** More than processors, because many tests wait. */
const JOBS = Math.min(availableParallelism() * 2, 8)
/** Inputs of the random tests in the full set; by default they try fewer. */
const RUNS = '100'

const args = process.argv.slice(2)
const isRest = args.includes('--rest')
const isFull = isRest || args.includes('--full')
const withLong = isFull || args.includes('--long')
const options = args.filter(arg => arg.startsWith('-') && !['--build', '--full', '--long', '--rest'].includes(arg))
const paths = args.filter(arg => !arg.startsWith('-'))
const isCI = process.env.CI === 'true'
const withCoverage = isFull || (isCI && paths.length === 0)
const start = performance.now()

await mkdir('.tap', { recursive: true })
const earlier = isRest ? await countsOfShortSet() : { passed: 0, failed: 0 }
for (const stale of [COVERAGE, RESULTS]) await rm(stale, { force: true })
const files = await testFiles({ withLong, withShort: !isRest, paths })
if (args.includes('--build')) await build({ files, isAll: paths.length === 0 })
const groups = await writeGroups(files)
const store = await startStore(files)
const exitCode = await runTap([
  `--jobs=${JOBS}`,
  ...withCoverage ? [] : ['--disable-coverage'],
  ...isRest ? [`--save=${await saveList(groups)}`] : [],
  ...options,
  ...groups
])
await store.stop()
const results = readResults(await readFile(RESULTS, 'utf8').catch(() => ''))
const { failures, notRun, lacking } = results
const passed = earlier.passed + results.passed
const failed = earlier.failed + failures.length

const faults = [
  ...(exitCode === 0 && failed === 0 ? [] : ['tests failed']),
  ...(results.passed > 0 ? [] : ['no test passed']),
  ...(isFull ? await coverageOfAll() : []),
  ...(notRun.length > 0 && isCI ? ['with CI=true every test must run'] : [])
]
const all = [...notRun, ...lacking, ...leftOut()]
if (failures.length > 0) console.log(`\nFailed:\n  ${failures.join('\n  ')}`)
if (all.length > 0) console.log(`\nNot run:\n  ${all.join('\n  ')}`)
if (faults.length > 0) console.log(`\nNot good enough:\n  ${faults.join('\n  ')}`)

const counts = `${passed} passed, ${failed} failed`
if (paths.length === 0 || faults.length > 0) await writeFile(COUNTS, `${counts}\n`)
console.log(`\nTook ${((performance.now() - start) / 1000).toFixed(0)} s`)
console.log(counts)
process.exitCode = faults.length > 0 ? 1 : 0

/** What `CI=true npm test` has left behind. */
async function countsOfShortSet () {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(await readFile(COUNTS, 'utf8').catch(() => '')) ?? []
  if (!existsSync(RAW_COVERAGE) || !passed) {
    console.log('--rest goes on after `CI=true npm test`: run that first\n0 passed, 0 failed')
    process.exit(1)
  }
  return { passed: Number(passed), failed: Number(failed) }
}

/**
 * When it runs the files of such a list, tap keeps the coverage of earlier runs.
 * @param {string[]} groups
 */
async function saveList (groups) {
  await writeFile(SAVE_LIST, `${groups.join('\n')}\n`)
  return SAVE_LIST
}

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
