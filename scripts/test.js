// Runs the tests with tap:
//   npm test                           all test files but *.long.test.ts
//   npm test -- --long                 those as well, but for the rare ones; with coverage and its thresholds
//   npm test -- --full                 the rare ones as well
//   npm test -- test/saves/a.test.ts   some files or folders; --long: with the long files of these folders
// `--build`, which `npm test` adds, builds first. Other options go to tap. The last lines are what failed, what was
// skipped, and the counts.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
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
  'test/(accessibility|demo|examples|tooling)/', 'test/(postgres/(company-app|reading)|package/(frameworks|types)|integration/check)',
  'test/doctor/(application-faults|cli|odd-answers|page|server-faults|slow)', 'test/(s3|storage)/every-',
  'test/s3/(deleting|memory|prefixes|requests)', 'test/(blank/libre-office|campaigns/attacks/parsing-cost|csv/large|docs/virus-scanner)',
  'test/browser/(captures|host-routes|locked|own-names|phone|requests|sanitized-html|settings|start-and-stop|unmounting)',
  'emulator/test/(check|connect|editing|hostile|images|pdf|process|protocol/editor)'
].join('|')})`)
/** Some would fail without a directory, the others do the same with any storage. */
const NOT_ON_S3 = /saves[/\\](content-check|failed-download|hanging|origins|retries|siblings|write-faults)\./
/** These read the declarations of types that are packed. */
const NEEDS_TYPES = /installPacked|from 'typescript'/
const NEEDS_STORE = 'kit/s3.js'
/** Skipped for such a reason, a test is no fault. */
const LACKING = /^(This (machine|storage)|only npm run) /
/**
 * Starting a process takes two seconds of processor time, longer than most short files. With larger groups, a machine
 * with four processors would have nothing to do for some of them.
 */
const FILES_PER_GROUP = { short: 62, long: 12 }
const GROUPS = '.tap/groups'

const args = process.argv.slice(2)
const isFull = args.includes('--full')
const withLong = isFull || args.includes('--long')
const options = args.filter(arg => arg.startsWith('-') && !['--build', '--full', '--long'].includes(arg))
const paths = args.filter(arg => !arg.startsWith('-'))
const isMeasured = withLong && paths.length === 0
const withRare = isFull || !isMeasured
const isOnS3 = process.env.TEST_STORAGE === 's3'

const files = (await Promise.all((paths.length > 0 ? paths : TESTS).map(filesIn))).flat()
  .filter(file => !isOnS3 || !NOT_ON_S3.test(file)).sort()
const sources = await Promise.all(files.map(async file => await readFile(file, 'utf8')))
if (args.includes('--build')) build()
const store = await startStore()
const tap = await runTap([
  `--jobs=${Math.min(availableParallelism() * 2, 8)}`, // more than processors, because many tests wait
  ...isMeasured ? [] : ['--disable-coverage'],
  ...options,
  ...await writeGroups()
])
await store?.stop()
await report()

/** @param {string} place */
async function filesIn (place) {
  if (!(await stat(place)).isDirectory()) return [place]
  const names = await readdir(place, { recursive: true })
  const isMeant = (/** @type {string} */ path) =>
    !LONG.test(path) || (withLong && (withRare || !RARE.test(path.replaceAll('\\', '/'))))
  return names.filter(name => name.endsWith('.test.ts')).map(name => join(place, name)).filter(isMeant)
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
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, index) => files.filter((_file, place) => place % count === index))
}

/** @param {string[]} args */
async function runTap (args) {
  const child = spawn(process.execPath, ['node_modules/tap/dist/esm/run.mjs', '--reporter=tap', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...isMeasured && { RUNS: '40' }, // inputs of the random tests, which try fewer by default
      ...store && { S3_TEST_ENDPOINT: store.url },
      ...process.env
    }
  })
  const exited = once(child, 'exit')
  const lines = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    // A file, or a comment of a test, such as its seed.
    if (/^ {4}(not )?ok |^ {5,}# (?!Subtest|time=|\{)/.test(line)) console.log(line.trim())
  }
  const [code] = await exited
  return { code, output: lines.join('\n') }
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
  for (const { name, diag } of failed) console.log(`\nFailed: ${name}\n${inspect(diag, { depth: 5 })}`)
  if (skipped.length > 0) {
    console.log(`\nNot run:\n  ${skipped.map(({ name, skip, todo }) => `${name}: ${skip || todo}`).join('\n  ')}`)
  }
  if (faults.length > 0) console.log(`\nNot good enough:\n  ${faults.join('\n  ')}`)
  const counts = `${passed} passed, ${failed.length} failed`
  if (paths.length === 0 || faults.length > 0) await writeFile('.tap/counts.txt', `${counts}\n`)
  console.log(`\n${counts}`)
  process.exitCode = faults.length > 0 ? 1 : 0
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
