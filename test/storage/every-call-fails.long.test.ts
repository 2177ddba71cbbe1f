import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type FileStorage, fileStorage } from '../../lib/storage/file-storage.js'
import type { StagedContent, VersionStore } from '../../types/storage.js'
import { interceptDiskCalls } from '../campaigns/faults/disk-calls.js'
import { STATE, textsIn, VERSIONS } from '../kit/storage.js'

const OLD = 'old'
const NEW = 'newer'
/** Names that were looked up a moment ago are remembered: one call less. */
const ENOUGH_WITHOUT_FAULT = 3

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
      extension: string,
      run: (storage: Omit<FileStorage, 'close'>, fileId: string, revision: string) => Promise<unknown>
    ]
  >
> = {
  'a replace': ['docx', async (storage, fileId) => await storage.replace(fileId, content())],
  'a replace in another format': [
    'odt',
    async (storage, fileId) => await storage.replace(fileId, content(), { extension: 'odt' })
  ],
  'a replace in an unknown format': [
    'zzz',
    async (storage, fileId) => await storage.replace(fileId, content(), { extension: 'zzz' })
  ],
  'a replace with staged content': [
    'docx',
    async (storage, fileId, ifRevision) =>
      await withStaged(storage, fileId, async staged => await storage.replace(fileId, staged, { ifRevision }))
  ],
  'a replace with staged content in another format': [
    'odt',
    async (storage, fileId, ifRevision) =>
      await withStaged(storage, fileId, async staged =>
        await storage.replace(fileId, staged, { ifRevision, extension: 'odt' }))
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
      const directory = t.testdir({ [STATE]: {} })
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
      t.equal((await blobsIn(directory)).length, 1, 'one content')
      await other.remove(fileId)
    }
    t.ok(crashes > 5)
  }
})

/** The keep of the next version moves the first ones into a segment. */
const BEFORE_SEGMENT = 17

t.test('a keep that moves versions into a segment, every Nth file system call fails, or the process is killed before it: the history is whole, and later keeps leave nothing else', async t => {
  const directory = t.testdir()
  const other = fileStorage({ directory })
  const hasMore = (version: number) => version % 4 === 2
  const optionsOf = (version: number) => ({
    ...hasMore(version) && { changes: Buffer.from(`changes ${version}`) },
    details: `details ${version}`.repeat(hasMore(version) ? 200 : 1)
  })
  const expected = (count: number) =>
    Object.fromEntries(
      Array.from(
        { length: count },
        (_, index) => [index + 1, [`content ${index + 1}`, hasMore(index + 1) ? `changes ${index + 1}` : null]]
      )
    )
  for (const how of ['fails', 'is not reached']) {
    let faults = 0
    for (let nth = 1, withoutFault = 0; withoutFault < ENOUGH_WITHOUT_FAULT; nth++) {
      let { fileId, revision } = await other.create('docx', Buffer.from('content 1'))
      const keepNext = async (version: number) => {
        t.match(await other.versions.keep(fileId, revision, optionsOf(version)), { version })
        revision = (await other.replace(fileId, Buffer.from(`content ${version + 1}`)))!.revision
      }
      for (let version = 1; version <= BEFORE_SEGMENT; version++) await keepNext(version)
      const storage = fileStorage({ directory })
      await storage.ready()
      const keep = async () => await storage.versions.keep(fileId, revision, optionsOf(BEFORE_SEGMENT + 1))
      let call: string | undefined
      if (how === 'is not reached') call = await calls.kill(nth, keep)
      else {
        calls.fail({ nth })
        await keep().catch(() => {})
        call = calls.heal()
      }
      if (call === undefined) withoutFault++
      else faults++

      const found = await wholeVersions(other.versions, fileId)
      t.strictSame(found, expected(Object.keys(found).length === BEFORE_SEGMENT ? BEFORE_SEGMENT : BEFORE_SEGMENT + 1), `call ${nth}: ${call ?? 'none'} ${how}`)
      await keepNext(BEFORE_SEGMENT + 1)
      await keepNext(BEFORE_SEGMENT + 2)
      t.strictSame(await wholeVersions(other.versions, fileId), expected(BEFORE_SEGMENT + 2))
      t.strictSame(
        (await other.versions.list(fileId)).map(({ details }) => details),
        Array.from({ length: BEFORE_SEGMENT + 2 }, (_, index) => optionsOf(index + 1).details)
      )
      t.equal((await blobsIn(directory)).length, 30, '19 contents, 5 changes, 5 long details and a segment')
      await other.remove(fileId)
    }
    t.ok(faults > 10)
  }
})

/** Paths of all that is kept beside the indexes. */
async function blobsIn (directory: string): Promise<string[]> {
  return (await readdir(join(directory, VERSIONS), { recursive: true })).filter(name => name.includes('-') && !name.includes('~'))
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
