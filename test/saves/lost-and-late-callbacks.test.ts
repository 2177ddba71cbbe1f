import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { type EditingOptions, startEditing } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'
import { startService } from '../kit/sessions.js'
import { storeOf } from '../kit/storage.js'

const HOUR = 3_600_000
/** For so long the document server shows a key that was saved for good for reading only. */
const VIEW_ONLY_MS = 300_000

/** A document server whose saved files have their path as content, and which answers commands so. */
async function startTold (t: Test, options: EditingOptions = {}) {
  const commands = { error: 1, users: undefined as string[] | undefined, asked: [] as string[], report: async () => {}, fetching: () => {} }
  const saved: SavedEvent[] = []
  const clock = fakeClock()
  const editing = await startEditing(t, {
    memory: true,
    clock,
    policies: { conflict: 'keep-both' },
    onSaved: event => { saved.push(event) },
    async serve (request, response) {
      if (request.method === 'GET') {
        commands.fetching()
        return response.end(request.url)
      }
      commands.asked.push(request.url!)
      await commands.report()
      response.end(JSON.stringify({ error: commands.error, users: commands.users }))
    },
    ...options
  })
  const { post, documentServer: { origin }, storage, fileId } = editing
  return {
    ...editing,
    clock,
    commands,
    saved,
    tell: async (key: string, status: 1 | 4) => t.equal(await post({ key, status }), 0),
    save: async (key: string, status: 2 | 6, path: string) => t.equal(await post({ key, status, url: `${origin}/${path}` }), 0),
    changeFromOutside: async () => await storage.replace(fileId, Buffer.from('changed from outside'))
  }
}

t.test('an old page reopens a finished key while others edit under the new one: nobody else ever gets the old key', async t => {
  const { clock, key: first, openedKey, tell, save, commands, storedText, fileId, saved } = await startTold(t)
  await tell(first, 1)
  await save(first, 2, 'first')
  const second = await openedKey()
  await tell(second, 1)
  clock.jump(VIEW_ONLY_MS)
  await tell(first, 1)
  commands.error = 0 // somebody has the old page open
  t.equal(await openedKey(), second)
  await save(second, 6, 'forced')
  t.equal(await openedKey(), second)
  await save(second, 2, 'second')
  const third = await openedKey()
  t.notOk([first, second].includes(third), 'a new editor sees the stored content')
  await save(first, 2, 'old')
  t.equal(await storedText(fileId), '/second')
  t.equal(await storedText(saved.at(-1)!.stored.fileId), '/old')
  t.equal(await openedKey(), third)
})

t.test('a status 4 is lost, then the file changes from outside: the next editor sees the change, and the document server is asked', async t => {
  const { app, key, openedKey, tell, changeFromOutside, commands, fileId } = await startTold(t)
  await tell(key, 1)
  await changeFromOutside()
  const current = await openedKey()
  t.not(current, key)
  t.equal(await openedKey(), current)
  while (commands.asked.length < 2) await new Promise(resolve => setImmediate(resolve))
  t.ok(
    commands.asked.every(path => path === `/coauthoring/CommandService.ashx?shardkey=${key}`),
    'in a cluster the key leads to the server that has the document'
  )
  t.equal(commands.asked.length, 2, 'once for people, once for a forgotten file')
  while (JSON.stringify((await storeOf(app).snapshot(fileId)).record).includes(key)) await new Promise(resolve => setImmediate(resolve))
})

t.test('a status 4 overtakes its status 1, then the file changes from outside: the next editor sees the change', async t => {
  const { key, openedKey, tell, changeFromOutside } = await startTold(t)
  await tell(key, 4)
  await tell(key, 1)
  t.equal(await openedKey(), key, 'the same content still')
  await changeFromOutside()
  t.not(await openedKey(), key)
})

t.test('after a refused save, a viewer, and an hour: the next editor finds the unsaved work', async t => {
  const { open, key, documentServer, clock, stored } = await startService(t)
  const editor = await open()
  const viewer = await open({ user: { id: 'viewer', name: 'Viewer' }, mode: 'view' })
  await editor.edit('a first part')
  t.match(await editor.forceSave(), { accepted: true })
  await editor.edit('an hour of work')
  documentServer.fault('file', { type: 'answer', status: 404 })
  t.match(await editor.close(), { status: 2, accepted: false })
  clock.jump(HOUR + 1)
  t.equal(await key(), editor.key)
  const [info, forgotten] = documentServer.receivedRequests.slice(-2)
  t.match(info, { answer: { key: editor.key, error: 1 } }, 'the document server was asked and reports no editor')
  t.match(forgotten, { answer: { key: editor.key, error: 0, url: String } }, 'but contains the edits')
  t.equal(await key(), editor.key)
  await viewer.close()
  clock.jump(HOUR + 1)
  const again = await open()
  t.equal(String(await again.content()), 'an hour of work')
  t.match(await again.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'an hour of work')
  t.not(await key(), editor.key)
})

t.test('a command service that hangs delays no opening for long', async t => {
  const log = memoryLog()
  const { clock, key, openedKey, tell, commands, save } = await startTold(t, { server: log.server })
  commands.report = async () => await new Promise(() => {})
  await tell(key, 1)
  clock.jump(HOUR + 1)
  t.equal(await openedKey(), key, 'the session may be live')
  await save(key, 2, 'first')
  t.not(await openedKey(), key)
  await tell(key, 1)
  t.not(await openedKey(), key, 'a finished session is joined only if it is known to go on')
  t.strictSame(log.records().filter(({ level }) => level === 40), [], 'it is still being asked')
})
