// Measures the version history of a document in file storage: listing it, keeping one more version and reading one.
// Exits with 1 if listing 200 versions takes 20 ms or more (median).
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileStorage } from '../dist/lib/index.js'

const COUNTS = [1, 200, 2000]
const LIMIT = { versions: 200, milliseconds: 20 }
const REPETITIONS = 100
const KEEPS = 20
const DOCUMENT = Buffer.alloc(100_000, 'document ')
const CHANGES = Buffer.alloc(20_000, 'changes ')
/** As the document server reports ten changes of three users. */
const DETAILS = {
  made: {
    savedAt: '2026-11-20T15:12:59.000Z',
    key: 'Khirz6zTPdfd7.1',
    user: { id: 'user-1', name: 'Anna Example' },
    changes: Array.from(
      { length: 10 },
      (_, index) => ({
        created: '2026-11-20 15:12:59',
        user: { id: `user-${index % 3}`, name: 'Anna Example' },
        documentSha256: 'x'.repeat(64)
      })
    ),
    serverVersion: '9.3.0'
  }
}

const directory = await mkdtemp(join(tmpdir(), 'bench-history-'))
const storage = fileStorage({ directory })
let failed = false

try {
  const { fileId } = await storage.create('docx', DOCUMENT)
  let count = 0
  for (const versions of COUNTS) {
    for (; count < versions; count++) await keepNext(fileId)
    const list = await median(REPETITIONS, async () => await storage.versions.list(fileId))
    // Another instance has looked up nothing yet.
    const fresh = await median(REPETITIONS, async storage => await storage.versions.list(fileId), newInstance)
    const read = await median(REPETITIONS, async () => await readFirst(fileId))
    const keep = await median(KEEPS, async () => await keepNext(fileId))
    count += KEEPS
    console.log(`${versions} versions: list ${list.toFixed(1)} ms (the first time ${fresh.toFixed(1)} ms), read ${read.toFixed(1)} ms, replace and keep ${keep.toFixed(1)} ms`)
    if (versions === LIMIT.versions && Math.max(list, fresh) >= LIMIT.milliseconds) failed = true
  }
} finally {
  await storage.close()
  await rm(directory, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0

/** @param {string} fileId */
async function keepNext (fileId) {
  const info = await storage.replace(fileId, DOCUMENT)
  if (!info || !await storage.versions.keep(fileId, info.revision, { details: DETAILS, changes: CHANGES })) {
    throw new Error('nothing was kept')
  }
}

/** @param {string} fileId */
async function readFirst (fileId) {
  const found = await storage.versions.read(fileId, 1)
  if (!found || (await buffer(found.body)).length !== DOCUMENT.length) {
    throw new Error('the first version cannot be read')
  }
}

async function newInstance () {
  const storage = fileStorage({ directory })
  await storage.ready()
  await storage.close()
  return storage
}

/**
 * Milliseconds that the work takes.
 * @param {number} repetitions
 * @param {(storage: ReturnType<typeof fileStorage>) => Promise<unknown>} work
 * @param {() => Promise<ReturnType<typeof fileStorage>>} [prepare] makes the storage to work with
 */
async function median (repetitions, work, prepare = async () => storage) {
  /** @type {number[]} */
  const times = []
  for (let done = 0; done < repetitions; done++) {
    const storage = await prepare()
    const start = performance.now()
    await work(storage)
    times.push(performance.now() - start)
  }
  return /** @type {number} */ (times.sort((a, b) => a - b)[Math.floor(repetitions / 2)])
}
