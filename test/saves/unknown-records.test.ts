// What a newer version of the library may have stored about a document: this version refuses it, whatever it is asked
// for, and leaves every file as it is.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { directoryOf, type Editing, type EditingOptions, type Instance, NEW, startEditing, startInstance } from '../kit/editing.js'
import { isOnS3, oneWriteStorage, STATE, VERSIONS } from '../kit/storage.js'
import { memoryStorage, type Storage } from '../../lib/index.js'
import { startAfterOutage } from '../recovery/outage.js'

const UNKNOWN = { code: 'FST_EDITOR_UNKNOWN_RECORD', statusCode: 500, retryable: false }

/** A path in JSON, and what it has there; `undefined`: nothing. */
type Change = readonly [path: string, to: unknown]

const RECORD: readonly Change[] = [
  ['', {}],
  ['', []],
  ['', 'text'],
  ['format', 2],
  ['format', undefined],
  ['next', 1],
  ['sessions', {}],
  ['sessions.0.next', 1],
  ['sessions.0.state', 'paused'],
  ['sessions.0.lastReported', undefined],
  ['saves.0.next', 1],
  ['saves.0.status', 3],
  ['saves.0.result.next', 1],
  ['saves.0.result.conflictReason', 'moved'],
  ['saves.0.result', {}],
  ['forceSaves', [{ id: 'a', key: 'b', startedAt: 1, result: { from: 'elsewhere' } }]],
  ['forceSaves', [{ id: 'a', key: 'b', startedAt: 1, stored: { next: 1 } }]],
  ['refusals', [{ key: 'a', since: 1, code: 'b', next: 1 }]],
  ['unopened', { key: 'a', at: 1, next: 1 }],
  ['lock', {}],
  ['lock', { id: 'a', next: 1 }],
  ['lock', { id: 'a', publishing: { next: 1 } }],
  ['lock', { id: 'a', publishing: { relation: { next: 1 } } }],
  ['frozen', { holds: [], keys: [], next: 1 }],
  ['frozen', { holds: [{ by: '', since: 1, next: 1 }], keys: [] }]
]

const INDEX: readonly Change[] = [
  ['', {}],
  ['format', 2],
  ['format', undefined],
  ['next', 1],
  ['log.next', 1],
  ['log.entries.0.next', 1],
  ['log.entries.0.content.next', 1],
  ['log.entries.0.content', 'elsewhere'],
  ['log.entries.0.label', { name: 'a', next: 1 }],
  ['superseded.0', { name: 'a', version: 1, next: 1 }]
]

/** Of the file that has the record or the index. */
const GENERATION: readonly Change[] = [
  ['', {}],
  ['', []],
  ['format', 2],
  ['format', undefined],
  ['next', 1],
  ['value', undefined]
]

function changed (value: unknown, [path, to]: Change): unknown {
  if (path === '') return to
  const whole = structuredClone(value)
  const names = path.split('.')
  const last = names.pop()!
  const inner = names.reduce((object, name) => (object as Record<string, object>)[name]!, whole as object) as Record<string, unknown>
  if (to === undefined) Reflect.deleteProperty(inner, last)
  else inner[last] = to
  return whole
}

/** Everything in a directory, by path. */
async function bytesIn (directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(await Promise.all(paths.map(async path => [path, await readFile(path, 'base64')])))
}

/** The newest generation of the only record in a folder. */
async function generationIn (folder: string): Promise<string> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(({ name, parentPath }) =>
    /^\d+$/.test(name) && !/blobs$/.test(parentPath))
  const [newest] = entries.filter(entry => entry.isFile()).sort((a, b) => Number(b.name) - Number(a.name))
  return join(newest!.parentPath, newest!.name)
}

const OPTIONS: EditingOptions = { versions: {}, policies: { conflict: 'keep-both' } }

/** A document with two versions and a live session, in files; nobody has them open any more. */
async function startEdited (t: Test) {
  const editing = await startEditing(t, OPTIONS)
  const { post, url, openedKey, storage, app } = editing
  t.equal(await post({ status: 2, url }), 0)
  const key = await openedKey()
  t.equal(await post({ key, status: 1, users: ['ada'] }), 0)
  t.equal(await post({ key, status: 6, url: `${url}&second` }), 0)
  await storage.create('txt', Buffer.from('of another document'))
  await app.close()
  return { editing, key, directory: directoryOf(t) }
}

/** Starts an instance on what is stored with a change in one file, and undoes the change when it has ended. */
async function withChange (
  t: Test,
  { editing, directory, folder, isInside, change }: {
    editing: Editing, directory: string, folder: string, isInside: boolean, change: Change
  },
  expectRefusals: (t: Test, instance: Instance) => Promise<void>
): Promise<void> {
  await t.test(`${folder}: ${isInside ? 'value ' : ''}${JSON.stringify(change)}`, async t => {
    const path = await generationIn(join(directory, folder))
    const text = await readFile(path, 'utf8')
    const generation = JSON.parse(text) as { value: unknown }
    await writeFile(path, JSON.stringify(isInside ? { ...generation, value: changed(generation.value, change) } : changed(generation, change)))
    const before = await bytesIn(directory)
    const instance = await startInstance(t, editing, OPTIONS)
    await expectRefusals(t, instance)
    await instance.app.close()
    t.strictSame(await bytesIn(directory), before)
    await writeFile(path, text)
  })
}

t.test('a record that this version does not know is refused, and nothing is changed or deleted', {
  skip: isOnS3 && 'This storage keeps nothing in files'
}, async t => {
  const { editing, key, directory } = await startEdited(t)
  const { fileId, url } = editing
  const changes = [...RECORD.map(change => ({ change, isInside: true })), ...GENERATION.map(change => ({ change, isInside: false }))]
  for (const { change, isInside } of changes) {
    await withChange(t, { editing, directory, folder: STATE, isInside, change }, async (t, instance) => {
      const { app, storage, post } = instance
      await t.rejects(instance.openedKey(), { ...UNKNOWN, message: `"${fileId}"` })
      for (const status of [1, 4]) t.equal(await post({ key, status, users: ['ada'] }), 1)
      t.equal(await post({ key, status: 6, url: `${url}&third` }), 1)
      t.equal(await post({ key, status: 2, url: `${url}&fourth` }), 1)
      await t.rejects(app.editorSessions.get(fileId), UNKNOWN)
      await t.rejects(app.editorSessions.freeze(fileId, { timeout: 0 }), UNKNOWN)
      t.strictSame(await app.editorSessions.list({ scan: true }), [], 'other documents are listed')
      await t.rejects(storage.replace(fileId, Buffer.from('new')), UNKNOWN)
      await t.rejects(storage.remove!(fileId), UNKNOWN)
    })
  }
  const instance = await startInstance(t, editing, OPTIONS)
  t.equal(await instance.openedKey(), key, 'when the record is known again')
  t.equal(await instance.post({ key, status: 2, url: `${url}&third` }), 0)
})

t.test('a list of versions that this version does not know is refused, and nothing is changed or deleted', {
  skip: isOnS3 && 'This storage keeps nothing in files'
}, async t => {
  const { editing, directory } = await startEdited(t)
  const { fileId } = editing
  const changes = [...INDEX.map(change => ({ change, isInside: true })), ...GENERATION.map(change => ({ change, isInside: false }))]
  for (const { change, isInside } of changes) {
    await withChange(t, { editing, directory, folder: VERSIONS, isInside, change }, async (t, { storage }) => {
      const { versions } = storage
      const { revision } = (await storage.stat(fileId))!
      await t.rejects(versions!.list(fileId), { ...UNKNOWN, message: `"${fileId}"` })
      await t.rejects(versions!.read(fileId, 1), UNKNOWN)
      await t.rejects(versions!.keep(fileId, revision), UNKNOWN)
      await t.rejects(versions!.remove(fileId, [1]), UNKNOWN)
      await t.rejects(versions!.prune!(fileId, { keep: 0, maxBytes: 0, keptSince: new Date() }), UNKNOWN)
      await t.rejects(versions!.label!(fileId, 1, { name: 'Final' }), UNKNOWN)
    })
  }
})

t.test('with a list of versions that this version does not know, saves, the history, restoring and removing are refused', {
  skip: isOnS3 && 'This storage keeps nothing in files'
}, async t => {
  const { editing, key, directory } = await startEdited(t)
  const { fileId } = editing
  const url = editing.url.replace('_1', '_3')
  const path = await generationIn(join(directory, VERSIONS))
  const text = await readFile(path, 'utf8')
  const { value, ...generation } = JSON.parse(text) as { value: object }
  await writeFile(path, JSON.stringify({ ...generation, value: { ...value, format: 2 } }))
  const instance = await startInstance(t, editing, OPTIONS)
  const folder = join(directory, VERSIONS)
  const before = await bytesIn(folder)
  const stored = await instance.storedText(fileId)
  const control = await instance.app.editorControl().openDocument(fileId)
  await t.rejects(control.history(), UNKNOWN)
  for (const status of [6, 2]) t.equal(await instance.post({ key, status, url }), 1)
  t.equal(await instance.post({ key, status: 4 }), 0)
  await t.rejects(control.restore(1, { timeout: 0 }))
  await t.rejects(instance.storage.remove!(fileId), UNKNOWN)
  t.equal(await instance.storedText(fileId), stored)
  t.strictSame(await bytesIn(folder), before)
  await writeFile(path, text)
  t.equal(await instance.post({ key, status: 2, url }), 0, 'when it is known again')
  t.equal((await instance.storage.versions!.list(fileId)).length, 3)
})

for (const [name, storageOf] of [
  ['that publishes with a lock', memoryStorage],
  ['that publishes in one write', oneWriteStorage]
] as ReadonlyArray<readonly [string, () => Storage & ReturnType<typeof memoryStorage>]>) {
  t.test(`a storage of the application ${name}: a record that this version does not know is refused`, async t => {
    const storage = storageOf()
    const { key, openedKey, post, url, fileId, storedText } = await startEditing(t, { memory: true, storage })
    t.equal(await post({ key, status: 1 }), 0)
    const { value, version } = (await storage.state.get(fileId))!
    let last: string | null = version
    for (const change of RECORD) {
      const unknown = changed({ ...value as object, saves: [{ key: 'K', status: 2, storedAt: 1, result: { revision: 'r' } }] }, change)
      last = await storage.state.set(fileId, unknown, last)
      await t.rejects(openedKey(), UNKNOWN, JSON.stringify(change))
      for (const fields of [{ status: 1 }, { status: 6, url }, { status: 2, url }, { status: 4 }]) t.equal(await post({ key, ...fields }), 1)
      t.strictSame(await storage.state.get(fileId), { value: unknown, version: last })
    }
    t.equal(await storedText(fileId), 'the stored content')
    await storage.state.set(fileId, null, last)
    t.equal(await openedKey(), key, 'nothing that can be read counts as no record')
    t.equal(await post({ key, status: 2, url }), 0)
    t.equal(await storedText(fileId), NEW)
  })

  t.test(`a storage of the application ${name} whose revisions are no strings: nothing is stored that could not be read`, async t => {
    const storage = storageOf()
    const { stat, create, replace, commit } = storage as ReturnType<typeof oneWriteStorage>
    const numbered = <Info extends { readonly revision: string } | null>(info: Info) => info && { ...info, revision: 1 as never }
    const { key, post, url, fileId, storedText } = await startEditing(t, {
      memory: true,
      storage: {
        ...storage,
        stat: async id => numbered(await stat(id)),
        create: async (...given) => numbered(await create(...given)),
        replace: async (id, content, { beforePublish } = {}) => await replace(id, content, { beforePublish: async info => await beforePublish?.(numbered(info!)) }),
        ...(commit && {
          snapshot: async id => ({ info: numbered(await stat(id)), record: await storage.state.get(id) }),
          commit: async (id, content, options) => await commit(id, content, {
            ...options,
            ifRevision: (await stat(id))!.revision,
            record: info => options.record(numbered(info))
          })
        })
      }
    })
    for (const fields of [{ status: 6, url }, { status: 2, url }]) t.equal(await post({ key, ...fields }), 1)
    t.equal(await storedText(fileId), 'the stored content')
    t.equal(await storage.state.get(fileId), null)
  })
}

t.test('a forgotten file of a document whose record is unknown stays at the document server', async t => {
  const { recover, fileId, forgotten, storage, lostKey, stored } = await startAfterOutage(t, 'made before the outage')
  const { value, version } = (await storage.state!.get(fileId))!
  const unknown = await storage.state!.set(fileId, { ...value as object, format: 2 }, version)
  t.match(await recover(), [{ key: lostKey, fileId, outcome: 'failed', kept: true, error: UNKNOWN }])
  t.equal(await stored(), 'what was uploaded')
  t.strictSame(forgotten(), ['made before the outage'])
  t.ok(await storage.state!.set(fileId, value, unknown))
  t.match(await recover(), [{ outcome: 'stored', kept: false }])
})
