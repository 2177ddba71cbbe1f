import { fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { type EditingOptions, profiles, startEditing } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'
import { startService } from '../kit/sessions.js'
import { oneWriteStorage } from '../kit/storage.js'

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

for (const profile of profiles) {
  t.test(`a final save is stored when the document server waits no longer for the answer: its session goes on (${profile})`, async t => {
    let stored = deferred()
    const { app, key, openedKey, tell, commands, post, storedText, fileId, documentServer: { origin } } =
      await startTold(t, { profile, onSaved: () => stored.resolve() })
    const at = (second: number) => `2026-11-20T15:12:${second}.000Z`
    async function saveUnheard (key: string, path: string, lastsave: string): Promise<void> {
      stored = deferred()
      commands.fetching = () => app.server.closeAllConnections()
      await t.rejects(post({ key, status: 2, lastsave, url: `${origin}/${path}` }))
      commands.fetching = () => {}
      await stored.promise
    }
    await tell(key, 1)
    await saveUnheard(key, 'first', at(10))
    t.equal(await storedText(fileId), '/first')
    Object.assign(commands, { error: 0, users: [] })
    t.equal(await openedKey(), key, 'it has unsaved changes or a forgotten file')
    t.equal(await post({ key, status: 6, lastsave: at(20), url: `${origin}/second` }), 0)
    t.equal(await storedText(fileId), '/second', 'no conflict')

    await saveUnheard(key, 'third', at(30))
    t.equal(await post({ key, status: 2, lastsave: at(30), url: `${origin}/third` }), 0)
    Object.assign(commands, { error: 1, users: undefined, asked: [] })
    const next = await openedKey()
    t.not(next, key)
    t.strictSame(commands.asked, [], 'a repeated save was answered')

    await tell(next, 1)
    await saveUnheard(next, 'fourth', at(40))
    t.not(await openedKey(), next)
  })

  t.test(`an old page reopens a finished key while others edit under the new one: nobody else ever gets the old key (${profile})`, async t => {
    const { clock, key: first, openedKey, tell, save, commands, storedText, fileId, saved } = await startTold(t, { profile })
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
    t.equal(await storedText(saved.at(-1)!.conflictFileId!), '/old')
    t.equal(await openedKey(), third)
  })

  t.test(`a status 4 is lost, then the file changes from outside: the next editor sees the change, and the document server is asked (${profile})`, async t => {
    const { key, openedKey, tell, changeFromOutside, commands, storage, fileId } = await startTold(t, { profile })
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
    while (JSON.stringify(await storage.state!.get(fileId)).includes(key)) await new Promise(resolve => setImmediate(resolve))
  })

  t.test(`a status 4 overtakes its status 1, then the file changes from outside: the next editor sees the change (${profile})`, async t => {
    const { key, openedKey, tell, changeFromOutside } = await startTold(t, { profile })
    await tell(key, 4)
    await tell(key, 1)
    t.equal(await openedKey(), key, 'the same content still')
    await changeFromOutside()
    t.not(await openedKey(), key)
  })

  t.test(`a status 4 that arrives while a force save is being stored ends the session after the save (${profile})`, async t => {
    const asked = deferred()
    const release = deferred()
    const { key, post, openedKey, url, changeFromOutside } = await startTold(t, {
      profile,
      async serve (request, response) {
        if (request.method === 'GET') {
          asked.resolve()
          await release.promise
        }
        response.end('{"error":0}')
      }
    })
    t.equal(await post({ key, status: 1 }), 0)
    const saving = post({ key, status: 6, url })
    await asked.promise
    t.equal(await post({ key, status: 4 }), 0, 'answered, though the save goes on')
    release.resolve()
    t.equal(await saving, 0)
    let next = await openedKey()
    // nobody waits for what the status 4 does
    while (next === key) {
      await new Promise(resolve => setImmediate(resolve))
      next = await openedKey()
    }
    t.not(next, key, 'a key of what the session has stored')
    await changeFromOutside()
    t.notOk([key, next].includes(await openedKey()))
  })

  t.test(`after a refused save, a viewer, and an hour: the next editor finds the unsaved work (${profile})`, async t => {
    const { open, key, documentServer, clock, stored } = await startService(t, { profile })
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
}

const unusable: Record<string, [answer: (response: import('node:http').ServerResponse) => unknown, logged: object]> = {
  'error 6': [response => response.end('{"error":6}'), { code: 6, msg: /services\.CoAuthoring\.secret\.inbox/ }],
  'status 502': [response => response.writeHead(502).end('Bad Gateway'), { err: { message: /status 502/ }, msg: /editorApiUrl/ }],
  'a page': [response => response.end('<html>'), { err: { message: /not one of a document server/ }, msg: /editorApiUrl/ }],
  'no answer': [response => response.destroy(), { err: { code: 'FST_EDITOR_UPSTREAM' } }]
}
for (const [name, [answer, logged]] of Object.entries(unusable)) {
  t.test(`the command service fails with ${name}: this is logged and the session is kept`, async t => {
    const log = memoryLog()
    const { clock, key, openedKey, tell } = await startTold(t, {
      server: log.server,
      serve: (_request, response) => answer(response)
    })
    await tell(key, 1)
    clock.jump(HOUR + 1)
    t.equal(await openedKey(), key)
    t.match(log.records().filter(({ level }) => level === 40), [{ command: 'info', ...logged }])
  })
}

t.test('a repeat of a final save ends its session only if the document server waits for the answer', async t => {
  let meanwhile = async () => {}
  const { app, key, openedKey, tell, commands, post, documentServer: { origin } } = await startTold(t, { onCallback: async () => await meanwhile() })
  const final = { key, status: 2, lastsave: '2026-11-20T15:12:10.000Z', url: `${origin}/final` }
  async function postUnheard (): Promise<void> {
    const left = deferred()
    meanwhile = async () => {
      app.server.closeAllConnections()
      await left.promise
    }
    await t.rejects(post(final))
    meanwhile = async () => {}
    left.resolve()
    t.equal(await post({ key, status: 1, users: [] }), 0, 'a later callback, which changes nothing')
  }
  await tell(key, 1)
  await postUnheard()
  await postUnheard()
  Object.assign(commands, { error: 0, users: [] })
  t.equal(await openedKey(), key, 'the document server has a forgotten file')
  t.equal(await post(final), 0)
  t.not(await openedKey(), key)
})

t.test('a document that changes while the document server is asked about a lost session opens with a key for what is stored now', async t => {
  const { key, tell, clock, commands, openedKey, changeFromOutside } = await startTold(t, { storage: oneWriteStorage() })
  await tell(key, 1)
  await clock.advance(2 * HOUR)
  commands.report = async () => { await changeFromOutside() }
  const opened = await openedKey()
  t.ok(commands.asked.length > 0)
  commands.report = async () => {}
  t.not(opened, key)
  t.equal(await openedKey(), opened)
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

t.test('a document whose session has to be checked opens although nothing can be noted', async t => {
  let isFull = false
  const { clock, key, openedKey, tell, commands } = await startTold(t, {
    prepare (app) {
      app.addHook('onReady', async () => {
        const { state } = app.editorStorage
        const { set } = state!
        Object.assign(state!, {
          set: async (...given: Parameters<typeof set>) => {
            if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
            return await set(...given)
          }
        })
      })
    }
  })
  await tell(key, 1)
  clock.jump(HOUR + 1)
  isFull = true
  commands.error = 0
  t.equal(await openedKey(), key)
  commands.error = 1
  t.equal(await openedKey(), key, 'the key of the same content')
})
