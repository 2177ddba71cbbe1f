import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { fileStorage } from '../../../lib/index.js'
import { documentNames, storedVersion, tempNames, versionsBeside } from './directory.js'
import { download, openedKey, type Save, startDocumentServer } from './document-server.js'
import { makeDocument, versionOf } from './documents.js'
import { type EditedFile, editedFile, nextSave } from './edited-file.js'
import { type Holds, STEPS } from './holds.js'
import { startInstance } from './instances.js'
import { randomFrom } from './random.js'
import { deferred } from '../../kit/time.js'

/** Where a save is when its instance is frozen. */
const MOMENTS = ['unread', 'downloading', ...STEPS] as const
type Moment = typeof MOMENTS[number]

/** What happens to the file meanwhile. */
const EVENTS = {
  'the session saves again': { status: 6 },
  'the save is handed over to another instance, and the next session saves': { status: 2 },
  'somebody else replaces the file': { status: 2 },
  'a session that goes back to older content saves': { status: 2 }
} as const
type Event = keyof typeof EVENTS

const isFormatChange = (moment: Moment) => ['naming', 'named', 'removing', 'removed'].includes(moment)

/** The others find it in its file, whatever happens next. */
const isStored = (moment: Moment) => ['published', 'named', 'removing', 'removed', 'stored', 'telling'].includes(moment)

interface Case {
  readonly moment: Moment
  readonly event: Event
  readonly file: EditedFile
  readonly frozen: Save
  /** Key of the file as it was at first. */
  readonly older: string
  /** What the document server was answered. */
  answer: Promise<unknown>
  /** What it was answered by the other instance, and what should be stored in the end. */
  meanwhile: { readonly answers: unknown[], readonly stored: number, readonly beside: number[] }
}

t.setTimeout(300_000)

t.test('an instance that was frozen in the middle of a save replaces nothing newer when it resumes', {
  skip: process.platform !== 'linux' && 'looks into /proc'
}, async t => {
  const root = t.testdir({ uploads: {} })
  const directory = join(root, 'uploads')
  const documentServer = await startDocumentServer()
  t.teardown(() => documentServer.close())
  const storage = fileStorage({ directory })
  const random = randomFrom(1)
  const pairs = MOMENTS.flatMap(moment => (Object.keys(EVENTS) as Event[]).map(event => ({ moment, event })))
  const names = new Map(pairs.map((pair, index) => [`file-${index}`, pair]))
  for (const fileId of names.keys()) await writeFile(join(directory, `${fileId}.docx`), makeDocument({ fileId, version: 0 }, 1000))
  const holds = Object.fromEntries([...names].map(([fileId, { moment }]) => [fileId, moment])) as Holds
  const [a, b] = await Promise.all([
    startInstance(t, { directory, documentServer: documentServer.origin, holds }),
    startInstance(t, { directory, documentServer: documentServer.origin })
  ])

  async function open (file: EditedFile): Promise<void> {
    file.key = await openedKey(file.fileId, b.origin)
    await documentServer.postOpened(file.fileId, file.key, b.origin)
  }

  function saveOf (file: EditedFile, status: 2 | 6, filetype = 'docx'): Save {
    const save = Object.assign(nextSave(file, { status }, random), { filetype, pause: 0 })
    documentServer.offer(save)
    return save
  }

  /** Another program replaces the file. Nobody can tell it what is about to be renamed there, but others look first. */
  async function replaceFromOutside (file: EditedFile, extension = 'docx'): Promise<number> {
    const [{ fileId }, version] = [file, ++file.version]
    const replacing = join(root, `${fileId}.new`)
    await writeFile(replacing, makeDocument({ fileId, version }, 1000))
    await rename(replacing, join(directory, `${fileId}.${extension}`))
    await storage.stat(fileId)
    return version
  }

  async function begin (fileId: string, { moment, event }: { moment: Moment, event: Event }): Promise<Case> {
    const file = editedFile(fileId, 'docx')
    await open(file)
    const older = file.key
    if (event === 'a session that goes back to older content saves') {
      await replaceFromOutside(file)
      await open(file)
    }
    const frozen = saveOf(file, EVENTS[event].status, isFormatChange(moment) ? 'odt' : 'docx')
    return { moment, event, file, frozen, older, answer: Promise.resolve(), meanwhile: { answers: [], stored: 0, beside: [] } }
  }

  async function happen ({ moment, event, file, frozen, older }: Case): Promise<Case['meanwhile']> {
    if (event === 'the session saves again') {
      const newer = saveOf(file, 6)
      return { answers: [await documentServer.post(newer, b.origin)], stored: newer.version, beside: [] }
    }
    if (event === 'the save is handed over to another instance, and the next session saves') {
      const answer = await documentServer.post(frozen, b.origin)
      await open(file)
      const newer = saveOf(file, 2)
      return { answers: [answer, await documentServer.post(newer, b.origin)], stored: newer.version, beside: [] }
    }
    if (event === 'somebody else replaces the file') {
      if (!isStored(moment)) return { answers: [], stored: await replaceFromOutside(file), beside: [frozen.version] }
      return { answers: [], stored: await replaceFromOutside(file, (await storage.stat(file.fileId))!.fileType), beside: [] }
    }
    const present = file.key
    file.key = older
    const stale = saveOf(file, 6)
    file.key = present
    return { answers: [await documentServer.post(stale, b.origin)], stored: frozen.version, beside: [stale.version] }
  }

  const cases = await Promise.all([...names].map(([fileId, pair]) => begin(fileId, pair)))
  const at = (...moments: Moment[]) => cases.filter(({ moment }) => moments.includes(moment))
  const gate = deferred()
  const begun = at('downloading').map(({ frozen }) => new Promise<void>(resolve => { Object.assign(frozen, { begun: resolve, pause: gate.promise }) }))
  for (const one of cases) if (one.moment !== 'unread') one.answer = documentServer.post(one.frozen, a.origin)
  await Promise.all([a.held(at(...STEPS).length), ...begun])
  await a.freeze()
  for (const one of at('unread')) one.answer = documentServer.post(one.frozen, a.origin)
  for (const { frozen } of at('downloading')) frozen.pause = 0 // when it is fetched by the other one
  await Promise.all(cases.map(async one => { one.meanwhile = await happen(one) }))
  a.wakeUp()
  a.goOn()
  gate.resolve()
  await Promise.all(cases.map(({ answer }) => answer))

  for (const { moment, event, file, answer, meanwhile } of cases) {
    t.test(`frozen when ${moment}, ${event}`, async t => {
      const { fileId } = file
      t.same(meanwhile.answers, meanwhile.answers.map(() => 0), 'the other instance stores what it is given')
      t.equal(await answer, 0, 'the frozen instance has nothing to refuse')
      const fetched = file.saves.map(({ asked }) => asked)
      for (const save of file.saves) t.equal(await documentServer.post(save, b.origin), 0)
      t.same(file.saves.map(({ asked }) => asked), fetched, 'no save is forgotten: a repeat is not even fetched')
      const names = (await documentNames(directory)).filter(name => name.startsWith(`${fileId}.`))
      t.same(await Promise.all(names.map(async name => await storedVersion(directory, name))), [meanwhile.stored], 'one file')
      t.same(await versionsBeside(directory, fileId), meanwhile.beside, 'and next to it the part that does not fit')
      const keys = new Set<string>()
      for (const { origin } of [a, b]) {
        t.equal(versionOf((await download(fileId, origin))!, fileId), meanwhile.stored)
        keys.add(await openedKey(fileId, origin))
      }
      t.equal(keys.size, 1, 'both instances give the key of the same session')
      await open(file)
      const next = saveOf(file, 2)
      t.equal(await documentServer.post(next, a.origin), 0)
      t.equal(versionOf((await download(fileId, b.origin))!, fileId), next.version, 'and the next save goes to the right file')
    })
  }

  t.test('nothing is left', async t => {
    await storage.sweep({ olderThan: -60_000 })
    t.same(await tempNames(directory), [])
  })
})
