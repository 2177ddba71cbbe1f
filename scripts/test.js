// Runs the tests with tap:
//   npm test                           all test files but *.long.test.ts
//   npm test -- --long                 those as well, but for the rare ones; with coverage and its thresholds
//   npm test -- --full                 the rare ones as well
//   npm test -- test/saves/a.test.ts   some files or folders; --long: with the long files of these folders
// `--build`, which `npm test` adds, builds first. Other options go to tap. Prints a line per file when it has ended,
// then what failed, what was not run, and the counts. `.tap/output.txt` has everything that was printed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { Parser } from 'tap-parser'
import { freePort, missingPrograms, startCeph } from './ceph.js'

/** Per cent, of each package by itself. That of the emulator needs the rare files. */
const THRESHOLDS = { lines: 95, statements: 95, branches: 90, functions: 95 }
const PACKAGES = ['lib', 'emulator/lib'].filter(folder => existsSync(folder))
const TESTS = ['test', 'emulator/test'].filter(folder => existsSync(folder))
const LONG = /\.long\.test\.ts$/
/** Long files that take most of the time, and test what seldom changes. */
const RARE = new RegExp(`^(${[
  'test/(accessibility|demo|examples|tooling)/',
  'test/(postgres/(company-app|reading)|package/frameworks|integration/check|doctor/(cli|page|slow))',
  'test/(s3/(every-|memory|prefixes)|storage/every-)',
  'test/(blank/libre-office|campaigns/attacks/parsing-cost|csv/large|docs/virus-scanner)',
  'test/browser/(captures|locked|phone|requests|sanitized-html|settings|start-and-stop|unmounting)',
  'emulator/test/(check|connect|editing|hostile/(?!packages)|images|pdf|process/(?!request-log)|protocol/editor)'
].join('|')})`)
/** Some would fail without a directory, the others do the same with any storage. */
const NOT_ON_S3 = /saves[/\\](content-check|failed-download|hanging|origins|retries|siblings|write-faults)\./
/** These read the declarations of types that are packed. */
const NEEDS_TYPES = /installPacked|from 'typescript'/
const NEEDS_STORE = 'kit/s3.js'
/** What test-group.js prints about a file. */
const FILE_RESULT = /\u001e(.*)\u001e/ // eslint-disable-line no-control-regex -- no other output has it
/** Of Node.js, about what a test does on purpose. */
const WARNING = /^\(node:\d+\) |^\(Use `node --trace-/
/** Skipped for such a reason, a test is no fault. */
const LACKING = /^(This (machine|storage)|only npm run) /
/** More than processors, because many tests wait. */
const JOBS = Math.min(availableParallelism() * 2, 8)
/**
 * Starting a process takes two seconds of processor time, longer than most short files. With larger groups, a machine
 * with four processors would have nothing to do for some of them. A few files are divided among all jobs.
 */
const FILES_PER_GROUP = { fewest: 6, short: 62, long: 12 }
const GROUPS = '.tap/groups'
const OUTPUT = '.tap/output.txt'
/** A failure, or what programs have printed, is to be read on a screen. */
const SHOWN = { failures: 20, lines: 40, columns: 240 }

const args = process.argv.slice(2)
const isFull = args.includes('--full')
const withLong = isFull || args.includes('--long')
const options = args.filter(arg => arg.startsWith('-') && !['--build', '--full', '--long'].includes(arg))
const paths = args.filter(arg => !arg.startsWith('-'))
const isMeasured = withLong && paths.length === 0
const withRare = isFull || !isMeasured
const isOnS3 = process.env.TEST_STORAGE === 's3'
/** @type {Set<string>} Files that were named themselves. */
const named = new Set()
/** @type {Set<string>} */
const ended = new Set()

const started = performance.now()
const found = (await Promise.all((paths.length > 0 ? paths : TESTS).map(filesIn))).flat()
const files = found.filter(file => isMeant(file) && !(isOnS3 && NOT_ON_S3.test(file))).sort()
const left = { long: 0, rare: 0 }
for (const file of found) if (!isMeant(file)) left[withLong ? 'rare' : 'long']++
if (files.length === 0) {
  console.log(left.long > 0
    ? `${paths.join(' ')}: only long test files. Add --long to run them.\n`
    : `${paths.join(' ')}: no test files.\n`)
  console.log('0 passed, 0 failed')
  process.exit(1)
}
const sources = await Promise.all(files.map(async file => await readFile(file, 'utf8')))
if (args.includes('--build')) build()
const store = await startStore()
const tap = await runTap([
  `--jobs=${JOBS}`,
  ...isMeasured ? [] : ['--disable-coverage'],
  ...options,
  ...await writeGroups()
])
await store?.stop()
await report()

/** @param {string} place */
async function filesIn (place) {
  const isFolder = await stat(place).then(stats => stats.isDirectory(), () => undefined)
  if (isFolder === false) named.add(place)
  if (!isFolder) return isFolder === false ? [place] : []
  const names = await readdir(place, { recursive: true })
  return names.filter(name => name.endsWith('.test.ts')).map(name => join(place, name))
}

/** @param {string} file */
function isMeant (file) {
  return named.has(file) || !LONG.test(file) || (withLong && (withRare || !RARE.test(file.replaceAll('\\', '/'))))
}

function build () {
  // The test class that npm installs loads TypeScript in its own way: .taprc leaves that out.
  if (!existsSync('node_modules/@tapjs/test/test-built/node_modules')) npm('exec', '--', 'tap', 'build')
  npm('run', '--silent', 'build')
  if (sources.some(source => NEEDS_TYPES.test(source))) npm('run', '--silent', 'build:types')
}

/** @param {string[]} args */
function npm (...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

/** One object store for a whole run, if a test file needs it. It gets ready while the first tests run, which wait. */
async function startStore () {
  const isNeeded = isOnS3 || sources.some(source => source.includes(NEEDS_STORE))
  if (!isNeeded || process.env.S3_TEST_ENDPOINT || (!isOnS3 && missingPrograms().length > 0)) return
  const port = await freePort()
  const starting = startCeph({ port })
  starting.catch(error => {
    console.error(error)
    if (isOnS3) process.exit(1)
  })
  return { url: `http://127.0.0.1:${port}`, stop: async () => await (await starting).stop() }
}

/** A module for each group of files that run in one process. */
async function writeGroups () {
  const groups = [
    ...dealt(files.filter(file => !LONG.test(file)), FILES_PER_GROUP.short),
    ...dealt(files.filter(file => LONG.test(file)), FILES_PER_GROUP.long)
  ]
  await rm(GROUPS, { recursive: true, force: true })
  await mkdir(GROUPS, { recursive: true })
  const runner = new URL('test-group.js', import.meta.url).href
  return await Promise.all(groups.map(async (group, index) => {
    const path = join(GROUPS, `${String(index + 1).padStart(3, '0')}.js`)
    await writeFile(path, `import { runFiles } from '${runner}'\n\nawait runFiles(${JSON.stringify(group)})\n`)
    return path
  }))
}

/**
 * Neighbours are of one subject and take about as long: dealt out, all groups do.
 * @param {string[]} files
 * @param {number} most in a group
 */
function dealt (files, most) {
  const atLeast = Math.min(JOBS, Math.ceil(files.length / FILES_PER_GROUP.fewest))
  const count = Math.max(atLeast, Math.ceil(files.length / most))
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index))
}

/** @param {string[]} args */
async function runTap (args) {
  const child = spawn(process.execPath, ['node_modules/tap/dist/esm/run.mjs', '--reporter=tap', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...isMeasured && { RUNS: '40' }, // inputs of the random tests, which try fewer by default
      ...store && { S3_TEST_ENDPOINT: store.url },
      ...process.env
    }
  })
  const exited = once(child, 'exit')
  /** @type {string[]} */
  const printed = []
  const [output] = await Promise.all([text(child.stdout), readPrinted()])
  const [code] = await exited
  await writeFile(OUTPUT, [output, ...printed].join('\n'))
  return { code, output, printed }

  async function readPrinted () {
    for await (const line of createInterface(child.stderr)) {
      const [, result] = FILE_RESULT.exec(line) ?? []
      if (result) showFile(JSON.parse(result))
      else if (line.trim() !== '') printed.push(line)
    }
  }
}

/** @param {import('./test-group.js').FileResult} result */
function showFile ({ file, ok, seconds, skipped }) {
  ended.add(file)
  console.log(`${ok ? '✓' : '✗'} ${seconds.toFixed(1).padStart(6)} s  ${file}${skipped > 0 ? `, ${skipped} skipped` : ''}`)
}

async function report () {
  const results = Parser.parse(tap.output, { flat: true }).flatMap(([event, result]) =>
    event === 'assert' ? [{ ...result, name: result.fullname.replace(/^\.tap\S+ > /, '') }] : []
  )
  const skipped = results.filter(({ skip, todo }) => skip || todo)
  const failed = results.filter(result => !result.ok && !skipped.includes(result))
  const passed = results.length - skipped.length - failed.length
  const mustRun = skipped.filter(({ skip }) => !LACKING.test(String(skip)))
  const faults = [
    ...tap.code === 0 && failed.length === 0 ? [] : ['tests failed'],
    ...passed > 0 ? [] : ['no test passed'],
    ...isMeasured ? await coverageFaults() : [],
    ...mustRun.length > 0 && process.env.CI === 'true' ? ['with CI=true every test must run'] : []
  ]
  if (tap.code !== 0) showList('Printed by the tests', tap.printed.filter(line => !WARNING.test(line)).slice(-SHOWN.lines))
  showList('✗ Not ended', files.filter(file => !ended.has(file)))
  showList('Comments of files that failed', commentsOfFailed())
  for (const { name, diag } of failed.slice(0, SHOWN.failures)) showList(`✗ ${name}`, linesOf(diag))
  showList('✗ Also failed', failed.slice(SHOWN.failures).map(({ name }) => name))
  showList('Not run', [
    ...new Set(skipped.map(({ name, skip, todo }) => `${name.split(' > ', 1)[0]}: ${skip || todo}`)),
    ...left.long > 0 ? [`${left.long} long test files: add --long`] : [],
    ...left.rare > 0 ? [`${left.rare} rare test files: add --full`] : []
  ])
  showList('Not good enough', faults)
  if (failed.length > 0) console.log(`\n${OUTPUT} has all of it.`)
  const counts = `${passed} passed, ${failed.length} failed`
  if (paths.length === 0 || faults.length > 0) await writeFile('.tap/counts.txt', `${counts}\n`)
  console.log(`\n${files.length} test files in ${Math.round((performance.now() - started) / 1000)} s`)
  console.log(counts)
  process.exitCode = faults.length > 0 ? 1 : 0
}

/** Such as the seed of random input. */
function commentsOfFailed () {
  const comments = []
  /** @type {string[]} */
  let ofFile = []
  for (const line of tap.output.split('\n')) {
    if (/^ {5,}# (?!Subtest|time=|\{)/.test(line)) ofFile.push(line.trim())
    const [, isFailed, name] = /^ {4}(not )?ok \d+ - (\S+)/.exec(line) ?? []
    if (name === undefined) continue
    if (isFailed) comments.push(...ofFile.map(comment => `${name} ${comment}`))
    ofFile = []
  }
  return comments
}

/**
 * @param {string} heading
 * @param {string[]} lines
 */
function showList (heading, lines) {
  if (lines.length === 0) return
  const shown = lines.slice(0, SHOWN.lines)
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more`)
  const cut = (/** @type {string} */ line) => line.length > SHOWN.columns ? `${line.slice(0, SHOWN.columns)}…` : line
  console.log(`\n${heading}\n${shown.map(line => `  ${cut(line)}`).join('\n')}`)
}

/**
 * What is known about a failure: first where, and the difference.
 * @param {Record<string, any>} diag
 */
function linesOf ({ at, stack, source, diff, compare, ...others } = {}) {
  const place = at ? `${at.fileName}:${at.lineNumber}` : stack?.split('\n', 1)[0]
  const rest = Object.keys(others).length > 0 &&
    inspect(others, { depth: 4, maxArrayLength: 3, maxStringLength: 500, breakLength: 120 })
  return [place, diff?.trimEnd(), rest].filter(Boolean).flatMap(part => part.split('\n'))
}

/** The browser's scripts are no modules of Node.js: what they do is tested in a browser. */
async function coverageFaults () {
  /** @type {Record<string, Record<string, { total: number, covered: number }>>} */
  const summary = JSON.parse(await readFile('.tap/report/coverage-summary.json', 'utf8').catch(() => '{}'))
  return PACKAGES.filter(folder => isFull || folder === 'lib').flatMap(folder => {
    const modules = Object.entries(summary).filter(([file]) =>
      relative('', file).startsWith(join(folder, '/')) && /(?<!\.schema|\.compiled)\.ts$/.test(file)
    )
    return Object.entries(THRESHOLDS).flatMap(([name, threshold]) => {
      const sum = (/** @type {'total' | 'covered'} */ key) =>
        modules.reduce((sum, [, measures]) => sum + (measures[name]?.[key] ?? 0), 0)
      const percent = 100 * sum('covered') / sum('total')
      return percent >= threshold ? [] : [`coverage: ${percent.toFixed(2)} % of the ${name} of ${folder}, less than ${threshold} %`]
    })
  })
}
