import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { fileStorage } from '../../lib/storage/file-storage.js'
import { STATE } from './faults.js'

/** The folder of a document's record, from the root of all records. */
function folderOf (fileId: string): string {
  const hash = createHash('sha256').update(fileId).digest('hex').slice(0, 40)
  return join(hash.slice(0, 2), hash)
}

async function age (directory: string, fileId: string, hours: number): Promise<void> {
  const seconds = Date.now() / 1000 - hours * 3600
  await utimes(join(directory, STATE, folderOf(fileId)), seconds, seconds)
}

/** Records of documents that are not there, written so many hours ago. In the order in which a start comes across them. */
async function recordsWithout (t: Test, count: number, hours: number) {
  const directory = t.testdir()
  const { state } = fileStorage({ directory })
  const fileIds = Array.from({ length: count }, (_, index) => `document-${index}`)
  for (const fileId of fileIds) {
    await state.set(fileId, `record of ${fileId}`, null)
    await age(directory, fileId, hours)
  }
  const shards = await readdir(join(directory, STATE))
  const place = (fileId: string) => shards.indexOf(folderOf(fileId).slice(0, 2))
  return { directory, state, fileIds: fileIds.sort((a, b) => place(a) - place(b)) }
}

t.test('at start, records of documents that have been gone for more than a day are removed, and no others', { timeout: 60_000 }, async t => {
  const { directory, state, fileIds: [stored, unusual, recent, ...gone] } = await recordsWithout(t, 8, 25)
  await writeFile(join(directory, `${stored}.docx`), '')
  await writeFile(join(directory, `${unusual}.zzz`), '')
  await age(directory, recent!, 23)

  await fileStorage({ directory }).ready()
  for (const fileId of gone) {
    while (await state.get(fileId) !== null) await turn()
  }
  for (const fileId of [stored, unusual, recent]) t.equal((await state.get(fileId!))?.value, `record of ${fileId}`)

  await rm(join(directory, `${stored}.docx`))
  await fileStorage({ directory }).ready()
  while (await state.get(stored!) !== null) await turn()
  t.equal((await state.get(unusual!))?.value, `record of ${unusual}`)
})

t.test('a record that was removed and is created again counts its versions from the beginning', { timeout: 60_000 }, async t => {
  const { directory, state, fileIds: [fileId] } = await recordsWithout(t, 1, 48)
  await fileStorage({ directory }).ready()
  while (await state.get(fileId!) !== null) await turn()
  t.match(await state.set(fileId!, 'anew', null), / 1$/)
})

t.test('a file that is not a record does no harm and stays', { timeout: 60_000 }, async t => {
  const { directory, state, fileIds: [gone] } = await recordsWithout(t, 1, 48)
  const root = join(directory, STATE)
  const odd = ['00', 'lost+found', '.DS_Store', join('ff', 'file'), join('ff', 'folder', '1'), join('ff', 'empty')]
  await writeFile(join(root, '.DS_Store'), '')
  for (const path of ['00', 'lost+found', join('ff', 'empty'), join('ff', 'folder')]) await mkdir(join(root, path), { recursive: true })
  await writeFile(join(root, 'ff', 'file'), '')
  for (const text of ['{"live":[]}', '"text"', 'torn']) {
    await writeFile(join(root, 'ff', 'folder', '1'), text)
    for (const name of ['folder', 'file', 'empty']) await utimes(join(root, 'ff', name), 1, 1)
    await fileStorage({ directory }).ready()
    while (await state.get(gone!) !== null) await turn()
    await state.set(gone!, 'next', null)
    await age(directory, gone!, 48)
  }
  const found = await readdir(root, { recursive: true })
  for (const path of odd) t.ok(found.includes(path), path)
})

t.test('a process with nothing else to do exits before it has checked all records', async t => {
  const { directory, state, fileIds } = await recordsWithout(t, 60, 48)
  await promisify(execFile)(process.execPath, [...process.execArgv, join(import.meta.dirname, 'traced', 'create.ts'), directory])
  const left = await Promise.all(fileIds.map(async fileId => await state.get(fileId)))
  t.ok(left.filter(record => record !== null).length > 30)
})
