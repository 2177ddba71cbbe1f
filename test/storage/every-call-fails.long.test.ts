import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type FileStorage, fileStorage } from '../../lib/index.js'
import type { StagedContent } from '../../lib/store/contract.js'
import type { VersionStore } from '../../types/storage.js'
import { interceptDiskCalls } from '../campaigns/faults/disk-calls.js'
import { OWN_FOLDER, textsIn } from '../kit/storage.js'

const OLD = 'old'
const NEW = 'newer'
/** Names that were looked up a moment ago are remembered: one call less. */
const ENOUGH_WITHOUT_FAULT = 3
/** However old: the clocks of file systems are coarse. */
const ANY_AGE = -60_000

const calls = await interceptDiskCalls()
t.teardown(() => calls.heal())
t.setTimeout(300_000)

async function * content (): AsyncGenerator<Uint8Array> {
  yield Buffer.from(NEW)
}

/** What is tried while the Nth call fails; the extension the document has afterwards. */
const attempts: Readonly<
  Record<
    string,
    readonly [
      fileType: string,
      run: (storage: Omit<FileStorage, 'close'>, fileId: string, revision: string) => Promise<unknown>
    ]
  >
> = {
  'a replace': ['docx', async (storage, fileId) => await storage.replace(fileId, content())],
  'a replace in another format': [
    'odt',
    async (storage, fileId) => await storage.replace(fileId, content(), { fileType: 'odt' })
  ],
  'a replace with staged content in another format': [
    'odt',
    async (storage, fileId, ifRevision) =>
      await withStaged(storage, fileId, async staged =>
        await storage.replace(fileId, staged, { ifRevision, fileType: 'odt' }))
  ]
}

async function withStaged<Result> (storage: Omit<FileStorage, 'close'>, fileId: string, task: (staged: StagedContent) => Promise<Result>): Promise<Result> {
  const staged = await storage.stage(fileId, content())
  try {
    return await task(staged)
  } finally {
    await staged.discard()
  }
}

for (const isDone of [false, true]) {
  for (const [what, [extension, run]] of Object.entries(attempts)) {
    t.test(`${what}, every Nth file system call fails${isDone ? ' although it was done' : ''}: rejected and unchanged, or resolved and new`, async t => {
      const directory = t.testdir()
      const storage = fileStorage({ directory })
      await storage.ready()
      const expected: Record<string, string> = {}
      for (let nth = 1, withoutFault = 0; withoutFault < ENOUGH_WITHOUT_FAULT; nth++) {
        const fileId = `document-${nth}`
        await writeFile(join(directory, `${fileId}.docx`), OLD)
        const before = await storage.stat(fileId)
        calls.fail({ nth, isDone })
        const outcome = await run(storage, fileId, before!.revision).catch((error: Error) => error)
        const call = calls.heal()
        const isStored = !(outcome instanceof Error)
        expected[isStored ? `${fileId}.${extension}` : `${fileId}.docx`] = isStored ? NEW : OLD
        t.strictSame(await documentsOf(directory), expected, `call ${nth}: ${call ?? 'none'}`)
        t.strictSame(await storage.stat(fileId), isStored ? outcome : before)
        if (call === undefined) withoutFault++
      }
      t.ok(Object.keys(expected).length > 10)
    })
  }
}

for (const isDone of [false, true]) {
  t.test(`a keep, every Nth file system call fails${isDone ? ' although it was done' : ''}: all that is listed is whole, and the next keep leaves nothing else`, async t => {
    const directory = t.testdir()
    const { versions, ...storage } = fileStorage({ directory })
    let failures = 0
    for (let nth = 1, withoutFault = 0; withoutFault < ENOUGH_WITHOUT_FAULT; nth++) {
      const { fileId, revision: first } = await storage.create('docx', Buffer.from(`first ${nth}`))
      await versions.keep(fileId, first, { changes: Buffer.from('changes of the first') })
      const { revision } = (await storage.replace(fileId, Buffer.from(`second ${nth}`)))!
      calls.fail({ nth, isDone })
      const outcome = await versions.keep(fileId, revision, { changes: Buffer.from('changes') }).catch((error: Error) => error)
      const call = calls.heal()
      if (outcome instanceof Error) failures++
      if (call === undefined) withoutFault++

      const listed = await wholeVersions(versions, fileId)
      const both = { 1: [`first ${nth}`, 'changes of the first'], 2: [`second ${nth}`, 'changes'] }
      if (outcome instanceof Error && Object.keys(listed).length === 1) t.strictSame(listed, { 1: both[1] }, `call ${nth}: ${call}`)
      else t.strictSame(listed, both, `call ${nth}: ${call ?? 'none'}`)
      await versions.keep(fileId, revision, { changes: Buffer.from('changes') })
      t.strictSame(await wholeVersions(versions, fileId), both)
    }
    t.ok(failures > 10)
    await storage.sweep({ olderThan: ANY_AGE })
    const documents = (await readdir(directory)).filter(name => name.endsWith('.docx')).length
    t.equal((await blobsIn(directory)).length, 4 * documents, 'two contents and two changes of each')
  })
}

t.test('a process is killed before every Nth file system call of a keep or of a removal: the history is whole, and the next one leaves nothing else', async t => {
  const directory = t.testdir()
  const other = fileStorage({ directory })
  const changes = (name: string) => ({ changes: Buffer.from(`changes of the ${name}`) })
  const contents = (...names: string[]) => Object.fromEntries(names.map((name, index) => [index + 1, [name, `changes of the ${name}`]]))
  for (const isRemoval of [false, true]) {
    let crashes = 0
    for (let nth = 1, withoutCrash = 0; withoutCrash < ENOUGH_WITHOUT_FAULT; nth++) {
      const { fileId, revision: first } = await other.create('docx', Buffer.from('first'))
      await other.versions.keep(fileId, first, changes('first'))
      const { revision: second } = (await other.replace(fileId, Buffer.from('second')))!
      if (isRemoval) await other.versions.keep(fileId, second, changes('second'))
      const killed = fileStorage({ directory })
      await killed.ready()
      const call = await calls.kill(
        nth,
        async () =>
          await (isRemoval
            ? killed.versions.remove(fileId, [2])
            : killed.versions.keep(fileId, second, changes('second')))
      )
      if (call === undefined) withoutCrash++
      else crashes++

      const found = await wholeVersions(other.versions, fileId)
      if (Object.keys(found).length === 1) t.strictSame(found, contents('first'), `call ${nth}: ${call ?? 'none'}`)
      else t.strictSame(found, contents('first', 'second'), `call ${nth}: ${call ?? 'none'}`)
      if (isRemoval) await other.versions.remove(fileId, [2])
      else t.match(await other.versions.keep(fileId, second, changes('second')), { version: 2 })
      t.strictSame(await wholeVersions(other.versions, fileId), isRemoval ? contents('first') : contents('first', 'second'))
      await other.versions.remove(fileId, [1, 2])
      t.match(await other.versions.keep(fileId, second), { version: 3 })
      await other.sweep({ olderThan: ANY_AGE })
      t.equal((await blobsIn(directory)).length, 1, 'one content')
      await other.remove(fileId)
    }
    t.ok(crashes > 5)
  }
})

/** Paths of all contents beside the documents, and of their changes. */
async function blobsIn (directory: string): Promise<string[]> {
  return (await readdir(join(directory, OWN_FOLDER), { recursive: true })).filter(name => name.includes('-') && !name.includes('~'))
}

/** Content and changes of all listed versions. */
async function wholeVersions (versions: VersionStore, fileId: string): Promise<Record<number, readonly (string | null)[]>> {
  const text = async (version: number, part: 'content' | 'changes') => {
    const found = await versions.read(fileId, version, part)
    return found && Buffer.concat(await found.body.toArray()).toString()
  }
  const listed = await versions.list(fileId)
  return Object.fromEntries(await Promise.all(listed.map(async ({ version }) => [version, [await text(version, 'content'), await text(version, 'changes')]])))
}

/** A temp file may stay when its removal failed: the end of its process is the end of it. */
async function documentsOf (directory: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await textsIn(directory)).filter(([name]) => !name.includes('~')))
}
