// Runs several test files in one process, one after the other. The hooks in scripts/typescript resolve `tap` to this
// module: here, `import t from 'tap'` gives each file a subtest instead of tap's root test, so that its timeout, jobs
// and teardown are its own. In a process of its own, a test file gets the root test.
import { readdir, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as tap from 'tap'

export * from 'tap'

/** A limit for tests that hang, not for slow machines. */
const TIMEOUT_MS = 600_000

/** The same for all files of a process, and for what they leave open: tap would wait for its end for ever. */
const PROCESS_TIMEOUT_MS = 1_800_000

const FIXTURES = '.tap/fixtures'

/** @type {import('tap').Test} */
let current = tap.default
export { current as default }

/** @param {string[]} files */
export async function runFiles (files) {
  tap.default.setTimeout(PROCESS_TIMEOUT_MS)
  const directory = process.cwd()
  for (const file of files) {
    const started = performance.now()
    const results = await tap.default.test(file, { timeout: TIMEOUT_MS }, async t => {
      current = t
      await import(pathToFileURL(resolve(file)).href)
    })
    showResult({
      file,
      ok: results?.ok ?? true,
      seconds: (performance.now() - started) / 1000,
      skipped: results?.skip ?? 0
    })
    if (process.cwd() !== directory) throw new Error(`${file} does not restore the working directory`)
    await removeFixtures()
  }
}

/**
 * At once, where tap would keep it until the whole process has ended.
 * @typedef {{ file: string, ok: boolean, seconds: number, skipped: number }} FileResult
 * @param {FileResult} result
 */
function showResult (result) {
  process.stderr.write(`\u001e${JSON.stringify(result)}\u001e\n`)
}

/** What `t.testdir()` has made in this process: its names begin with that of the program. */
async function removeFixtures () {
  const prefix = `${relative('', process.argv[1] ?? '').replace(/[^\w.-]+/g, '-')}-`
  const own = (await readdir(FIXTURES).catch(() => [])).filter(name => name.startsWith(prefix))
  await Promise.all(own.map(async name => {
    await rm(join(FIXTURES, name), { recursive: true, force: true, maxRetries: 10 }).catch(() => {})
  }))
}
