import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { holdTimers } from '../kit/time.js'
import { STATE, VERSIONS } from '../kit/storage.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** After a start, until it looks for records of missing documents. */
const LATER_MS = 60_000

/** The folder of a document's record, from the root of all records. */
function folderOf (fileId: string): string {
  const hash = createHash('sha256').update(fileId).digest('hex').slice(0, 40)
  return join(hash.slice(0, 2), hash)
}

/** Where it is noted that a document is missing. */
function noteOf (directory: string, fileId: string): string {
  return join(directory, STATE, folderOf(fileId), 'missing')
}

/** Notes that a document is missing: first at a start so many days ago, and last at another one. */
async function missedAt (directory: string, fileId: string, { first, last = 0 }: { readonly first: number, readonly last?: number }): Promise<void> {
  await writeFile(noteOf(directory, fileId), String(Date.now() - first * DAY_MS))
  const seconds = (Date.now() - last * DAY_MS) / 1000
  await utimes(noteOf(directory, fileId), seconds, seconds)
}

/** Documents that are not there, with records. In the order in which a start comes across them. */
async function recordsWithout (t: Test, count: number) {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  const fileIds = Array.from({ length: count }, (_, index) => `document-${index}`)
  for (const fileId of fileIds) await state.set(fileId, `record of ${fileId}`, null)
  const shards = await readdir(join(directory, STATE))
  const place = (fileId: string) => shards.indexOf(folderOf(fileId).slice(0, 2))
  return { directory, state, fileIds: fileIds.sort((a, b) => place(a) - place(b)) }
}

/**
 * A start that has come across all records: `last` is the record that it comes across last, whose document has been
 * missing for too long.
 */
async function startUntilGone (t: Test, directory: string, last: string): Promise<void> {
  await missedAt(directory, last, { first: 31 })
  const { pass, hold } = holdTimers(t, LATER_MS)
  const { ready, state } = fileStorage({ directory })
  await ready()
  pass()
  while (await state.get(last) !== null) await turn()
  hold()
}

t.test('a start removes the record of a document that was missing at all starts for 30 days, and no others', { timeout: 300_000 }, async t => {
  const { directory, state, fileIds: [stored, unusual, unnoted, recent, gap, torn, gone, last] } = await recordsWithout(t, 9)
  await writeFile(join(directory, `${stored}.docx`), '')
  await writeFile(join(directory, `${unusual}.zzz`), '')
  for (const fileId of [stored, unusual]) await missedAt(directory, fileId!, { first: 31 })
  const ago = (Date.now() - 400 * DAY_MS) / 1000
  await utimes(join(directory, STATE, folderOf(unnoted!)), ago, ago)
  await missedAt(directory, recent!, { first: 29 })
  await missedAt(directory, gap!, { first: 70, last: 31 })
  await writeFile(noteOf(directory, torn!), '')
  await missedAt(directory, gone!, { first: 31 })

  await startUntilGone(t, directory, last!)
  t.equal(await state.get(gone!), null)
  for (const fileId of [stored, unusual, unnoted, recent, gap, torn]) t.equal((await state.get(fileId!))?.value, `record of ${fileId}`)
  for (const fileId of [stored, unusual]) t.notOk(existsSync(noteOf(directory, fileId!)), 'it is there')
  for (const fileId of [unnoted, gap, torn]) t.ok(Date.now() - Number(await readFile(noteOf(directory, fileId!), 'utf8')) < DAY_MS, 'missing since this start')
  t.ok(Date.now() - Number(await readFile(noteOf(directory, recent!), 'utf8')) > 28 * DAY_MS, 'still since the first one')

  await rm(join(directory, `${stored}.docx`))
  await state.set(last!, 'anew', null)
  await startUntilGone(t, directory, last!)
  t.equal((await state.get(stored!))?.value, `record of ${stored}`, 'missing since now')
})

t.test('a start removes nothing of a missing document whose record or list of versions it does not know', { timeout: 300_000 }, async t => {
  const fileIds = Array.from({ length: 5 }, (_, index) => `document-${index}`)
  const directory = t.testdir(Object.fromEntries(fileIds.map(fileId => [`${fileId}.docx`, fileId])))
  const { state, stat, versions } = fileStorage({ directory })
  for (const fileId of fileIds) {
    await state.set(fileId, { format: 1 }, null)
    await versions.keep(fileId, (await stat(fileId))!.revision)
    await rm(join(directory, `${fileId}.docx`))
  }
  for (const folder of [STATE, VERSIONS]) {
    const shards = await readdir(join(directory, folder))
    const [value, generation, known, other, last] = fileIds.toSorted((a, b) =>
      shards.indexOf(folderOf(a).slice(0, 2)) - shards.indexOf(folderOf(b).slice(0, 2)))
    const folderIn = (fileId: string | undefined) => join(directory, folder, folderOf(fileId!))
    for (const fileId of [value, generation, known, last]) await writeFile(join(folderIn(fileId), 'missing'), String(Date.now() - 31 * DAY_MS))
    const change = async (fileId: string | undefined, from: string, to: string) => {
      const path = join(folderIn(fileId), '1')
      await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
    }
    await change(value, '"value":{"format":1', '"value":{"format":2')
    await change(generation, '{"format":1', '{"format":2')
    const before = await Promise.all([value, generation].map(async fileId => await readdir(folderIn(fileId), { recursive: true })))
    const { pass, hold } = holdTimers(t, LATER_MS)
    const { ready, close } = fileStorage({ directory })
    await ready()
    pass()
    while (existsSync(folderIn(last))) await turn()
    hold()
    await close() // it would go on, and note what is missing in the other folder
    t.notOk(existsSync(folderIn(known)))
    t.ok(existsSync(folderIn(other)))
    t.strictSame(await Promise.all([value, generation].map(async fileId => await readdir(folderIn(fileId), { recursive: true }))), before)
  }
})

t.test('a record that was removed and is created again counts its versions from the beginning', { timeout: 300_000 }, async t => {
  const { directory, state, fileIds: [fileId] } = await recordsWithout(t, 1)
  await startUntilGone(t, directory, fileId!)
  t.match(await state.set(fileId!, 'anew', null), / 1$/)
})

t.test('a file that is not a record does no harm and stays', { timeout: 300_000 }, async t => {
  const { directory, state, fileIds: [gone] } = await recordsWithout(t, 1)
  const root = join(directory, STATE)
  const odd = ['00', 'lost+found', '.DS_Store', join('ff', 'file'), join('ff', 'folder', '1'), join('ff', 'empty')]
  await writeFile(join(root, '.DS_Store'), '')
  for (const path of ['00', 'lost+found', join('ff', 'empty'), join('ff', 'folder')]) await mkdir(join(root, path), { recursive: true })
  await writeFile(join(root, 'ff', 'file'), '')
  for (const text of ['{"live":[]}', '"text"', 'torn']) {
    await writeFile(join(root, 'ff', 'folder', '1'), text)
    await startUntilGone(t, directory, gone!)
    await state.set(gone!, 'next', null)
  }
  const found = await readdir(root, { recursive: true })
  for (const path of odd) t.ok(found.includes(path), path)
})

t.test('a storage that was closed checks no records any more', async t => {
  const { directory, state, fileIds: [gone] } = await recordsWithout(t, 1)
  await missedAt(directory, gone!, { first: 31 })
  const { pass } = holdTimers(t, LATER_MS)
  const closed = fileStorage({ directory })
  await closed.ready()
  await closed.close()
  pass()
  for (let turns = 0; turns < 5000; turns++) await turn()
  t.equal((await state.get(gone!))?.value, `record of ${gone}`)
})

t.test('a process with nothing else to do exits before it checks any record', async t => {
  const { directory, state, fileIds } = await recordsWithout(t, 60)
  for (const fileId of fileIds) await missedAt(directory, fileId, { first: 31 })
  await promisify(execFile)(process.execPath, [...process.execArgv, join(import.meta.dirname, 'traced', 'create.ts'), directory])
  const left = await Promise.all(fileIds.map(async fileId => await state.get(fileId)))
  t.equal(left.filter(record => record !== null).length, 60)
})
