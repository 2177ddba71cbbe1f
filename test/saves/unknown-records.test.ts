// What a newer version of the library may have stored about a document: this version refuses it, whatever it is asked
// for, and leaves every file as it is.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { directoryOf, type Editing, type EditingOptions, type Instance, startEditing, startInstance } from '../kit/editing.js'
import { isOnS3, OWN_FOLDER } from '../kit/storage.js'

const UNKNOWN = { code: 'FST_EDITOR_UNKNOWN_RECORD', statusCode: 500, retryable: false }

/** A path in JSON, and what it has there; `undefined`: nothing. */
type Change = readonly [path: string, to: unknown]

const RECORD: readonly Change[] = [
  ['format', 2],
  ['next', 1],
  ['sessions.0.state', 'paused'],
  ['saves.0.result.next', 1],
  ['forceSaves', [{ id: 'a', key: 'b', startedAt: 1, result: { from: 'elsewhere' } }]]
]

/** Of the file that has the record, and of the list of versions in it. */
const GENERATION: readonly Change[] = [
  ['', {}],
  ['format', 2],
  ['record.format', 2],
  ['record.next', 1],
  ['record.versions.0.next', 1]
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

/** The newest generation of a document's record. */
async function generationOf (fileId: string, directory: string): Promise<string> {
  const entries = await readdir(join(directory, OWN_FOLDER), { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile() && /^\d+$/.test(entry.name))
    .sort((a, b) => Number(b.name) - Number(a.name)).map(({ name, parentPath }) => join(parentPath, name))
  for (const path of paths) if ((await readFile(path, 'utf8')).includes(`"fileId":"${fileId}"`)) return path
  throw new Error('it has no record')
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
  { editing, directory, isInside, change }: { editing: Editing, directory: string, isInside: boolean, change: Change },
  expectRefusals: (t: Test, instance: Instance) => Promise<void>
): Promise<void> {
  await t.test(`${isInside ? 'value ' : ''}${JSON.stringify(change)}`, async t => {
    const path = await generationOf(editing.fileId, directory)
    const text = await readFile(path, 'utf8')
    const [name, to] = change
    await writeFile(path, JSON.stringify(changed(JSON.parse(text), isInside ? [`record.state.value${name && '.'}${name}`, to] : change)))
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
    await withChange(t, { editing, directory, isInside, change }, async (t, instance) => {
      const { app, storage, post } = instance
      await t.rejects(instance.openedKey(), { ...UNKNOWN, message: `"${fileId}"` })
      for (const status of [1, 4]) t.equal(await post({ key, status, users: ['ada'] }), 1)
      t.equal(await post({ key, status: 6, url: `${url}&third` }), 1)
      t.equal(await post({ key, status: 2, url: `${url}&fourth` }), 1)
      await t.rejects(app.editorSessions.get(fileId), UNKNOWN)
      await t.rejects(app.editorSessions.freeze(fileId, { timeout: 0 }), UNKNOWN)
      t.strictSame(await app.editorSessions.list({ scan: true }), [], 'other documents are listed')
      if (change[0].endsWith('format')) await t.rejects(storage.remove(fileId), UNKNOWN)
    })
  }
  const instance = await startInstance(t, editing, OPTIONS)
  t.equal(await instance.openedKey(), key, 'when the record is known again')
  t.equal(await instance.post({ key, status: 2, url: `${url}&third` }), 0)
})

for (const change of [['record.state', { value: { format: 2 }, version: 'newer' }], ['record.next', 1]] as const) {
  t.test(`saves go to another conflict copy if this version does not know the record of the first one: ${JSON.stringify(change)}`, {
    skip: isOnS3 && 'This storage keeps nothing in files'
  }, async t => {
    const saved: SavedEvent[] = []
    const options: EditingOptions = { ...OPTIONS, onSaved: event => { saved.push(event) } }
    const editing = await startEditing(t, { ...options, serve: (request, response) => response.end(request.url!.slice(0, 2)) })
    const { key, fileId, post, others, app, documentServer: { origin } } = editing
    t.equal(await post({ key, status: 1, users: ['ada'] }), 0)
    await others.write(fileId, 'txt', 'from outside')
    t.equal(await post({ key, status: 6, url: `${origin}/a` }), 0)
    await app.close()
    const path = await generationOf(saved[0]!.stored.fileId, directoryOf(t))
    await writeFile(path, JSON.stringify(changed(JSON.parse(await readFile(path, 'utf8')), change)))
    const before = await bytesIn(directoryOf(t))

    const instance = await startInstance(t, editing, options)
    t.equal(await instance.post({ key, status: 6, url: `${origin}/a-again` }), 0)
    t.equal(await instance.post({ key, status: 2, url: `${origin}/b` }), 0)
    t.equal(await instance.storedText(saved.at(-1)!.stored.fileId), '/b')
    t.equal(await instance.storedText(fileId), 'from outside')
    const after = await bytesIn(directoryOf(t))
    for (const name of [path, ...Object.keys(before).filter(name => name.includes(saved[0]!.stored.fileId))]) t.equal(after[name], before[name])
  })
}
