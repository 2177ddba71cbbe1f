import { setTimeout as delay } from 'node:timers/promises'
import { fakeClock } from 'onlyoffice-emulator'
import t from 'tap'
import { memoryStorage, type Storage } from '../../lib/index.js'
import { type EditingOptions, NEW, profiles, recordSessions, startEditing, startInstance, told } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'
import { startService } from '../kit/sessions.js'
import { deferred } from '../kit/time.js'

const BEN = { user: { id: 'ben', name: 'Ben' } }

for (const profile of profiles) {
  t.test(`two users who edit together and force saves are one session: one start, one end (${profile})`, async t => {
    const { hooks, until, events } = recordSessions()
    const { open, fileId, stored, app } = await startService(t, { profile, ...hooks })
    const ada = await open()
    t.strictSame(await until(1), [['start', { fileId, key: ada.key, users: ['ada'] }]])
    const ben = await open(BEN)
    await ada.edit('by Ada')
    t.match(await ada.forceSave(), { status: 6, accepted: true })
    await ben.edit('by Ada and Ben')
    t.match(await ada.close(), { status: 1 })
    t.match(await ben.forceSave(), { status: 6, accepted: true })
    t.equal(events.length, 1, 'it goes on')
    t.match(await ben.close(), { status: 2, accepted: true })
    t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'saved', users: ['ben'] }])
    t.equal(await stored(), 'by Ada and Ben')
    await app.close()
    t.equal(events.length, 2)
  })

  t.test(`a document that is closed without a change ends unchanged, and the next session has the same key (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { open, fileId } = await startService(t, { profile, ...hooks })
    const first = await open()
    await until(1)
    t.match(await first.close(), { status: 4 })
    t.strictSame((await until(2))[1], ['end', { fileId, key: first.key, reason: 'unchanged' }])
    const second = await open()
    t.equal(second.key, first.key)
    t.match((await until(3))[2], ['start', { key: first.key }])
    await second.edit('changed')
    await second.close()
    t.match((await until(4))[3], ['end', { key: first.key, reason: 'saved' }])
  })

  t.test(`a refused save ends the session, and opening the document again starts it again (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { open, documentServer, fileId, stored, app } = await startService(t, { profile, ...hooks })
    const ada = await open()
    await ada.edit('refused at first')
    documentServer.fault('file', { type: 'reset' })
    t.match(await ada.close(), { status: 2, accepted: false })
    t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'refused', users: ['ada'] }])
    t.strictSame(await app.editorSessions.list(), [])

    const again = await open(BEN)
    t.equal(again.key, ada.key)
    t.strictSame((await until(3))[2], ['start', { fileId, key: ada.key, users: ['ben'] }])
    t.match(await app.editorSessions.list(), [{ fileId, key: ada.key }])
    t.match(await again.close(), { status: 2, accepted: true })
    t.match((await until(4))[3], ['end', { key: ada.key, reason: 'saved' }])
    t.equal(await stored(), 'refused at first')
  })

  t.test(`changes that the document server could not assemble: the session ends, by policies.corrupted (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { open, documentServer } = await startService(t, { profile, ...hooks })
    const ada = await open()
    await ada.edit('cannot be assembled')
    documentServer.fault('assembly', { type: 'fail' })
    t.match(await ada.close(), { status: 3 })
    t.match((await until(2))[1], ['end', { key: ada.key, reason: profile === 'secure' ? 'refused' : 'discarded', users: ['ada'] }])
  })

  t.test(`a file that is deleted while it is edited: the session ends, by policies.missingFile (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { open, fileId, app } = await startService(t, { profile, ...hooks })
    const ada = await open()
    await ada.edit('of a deleted file')
    await until(1)
    t.equal(await app.editorStorage.remove!(fileId), true)
    t.match(await ada.close(), { status: 2, accepted: profile === 'classic' })
    t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: profile === 'secure' ? 'refused' : 'discarded', users: ['ada'] }])
  })

  t.test(`a session whose final save goes to a conflict copy ends saved, by its users (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { post, key, url, fileId, storage } = await startEditing(t, { profile, memory: true, policies: { conflict: 'keep-both' }, ...hooks })
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    await storage.replace(fileId, Buffer.from('changed from outside'))
    t.equal(await post({ key, status: 2, url, users: ['u1'] }), 0)
    t.strictSame((await until(2))[1], ['end', { fileId, key, reason: 'saved', users: ['u1'] }])
  })

  t.test(`a storage without state: one start, one end (${profile})`, async t => {
    const { hooks, until } = recordSessions()
    const { state, ...storage } = memoryStorage()
    const { post, key, url, fileId } = await startEditing(t, { profile, memory: true, storage, ...hooks })
    for (const users of [['u1'], ['u1', 'u2'], ['u2']]) t.equal(await post({ key, status: 1, users }), 0)
    t.equal(await post({ key, status: 2, url, users: ['u2'] }), 0)
    t.strictSame(await until(2), [['start', { fileId, key, users: ['u1'] }], ['end', { fileId, key, reason: 'saved', users: ['u2'] }]])
  })
}

t.test('callbacks without a key are stored, but are no session (classic)', async t => {
  const { hooks, events } = recordSessions()
  const { post, url, app } = await startEditing(t, { profile: 'classic', memory: true, ...hooks })
  for (const fields of [{ status: 1, users: ['u1'] }, { status: 6, url }, { status: 2, url }, { status: 4 }]) t.equal(await post(fields), 0)
  t.strictSame(await app.editorSessions.list(), [])
  await app.close()
  t.strictSame(events, [])
})

t.test('a closed file that was deleted ends unchanged', async t => {
  const { hooks, until } = recordSessions()
  const { post, key, fileId, storage } = await startEditing(t, { memory: true, ...hooks })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await storage.remove!(fileId)
  t.equal(await post({ key, status: 4 }), 0)
  t.strictSame((await until(2))[1], ['end', { fileId, key, reason: 'unchanged' }])
})

t.test('a session that went on after its final save, and has nothing to store then, ends as discarded', async t => {
  const { hooks, until } = recordSessions()
  const serve: EditingOptions['serve'] = ({ method }, response) => response.end(method === 'GET' ? NEW : '{"error":0,"users":["u1"]}')
  const { post, key, url, openedKey, app } = await startEditing(t, { memory: true, policies: { corrupted: 'discard' }, serve, ...hooks })
  for (const fields of [{ status: 1 }, { status: 2, url }, { status: 1 }]) t.equal(await post({ key, ...fields }), 0)
  t.equal(await openedKey(), key, 'the document server says that somebody is editing')
  t.match(told(await until(3)), ['start', 'saved', 'start'])
  t.equal(await post({ key, status: 3 }), 0)
  t.match(told(await until(4))[3], 'discarded')
  t.strictSame(await app.editorSessions.list({ scan: true }), [])
  t.not(await openedKey(), key)
})

t.test('a finished session without anything to store ends as discarded, if that is accepted', async t => {
  const { hooks, until } = recordSessions()
  const { post, key } = await startEditing(t, { memory: true, policies: { corrupted: 'discard' }, ...hooks })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 2, users: ['u1'] }), 0)
  t.match(await until(2), [['start', { key }], ['end', { key, reason: 'discarded', users: ['u1'] }]])
})

t.test('a refused save whose session was opened and closed again without a change ends twice: refused, then unchanged', async t => {
  const { hooks, until, events } = recordSessions()
  const { post, key, url } = await startEditing(t, { memory: true, serve: (_request, response) => response.writeHead(404).end(), ...hooks })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  t.equal(await post({ key, status: 2, url }), 1)
  t.equal(await post({ key, status: 1, users: [] }), 0, 'only unsaved changes are left')
  t.strictSame(told(events), ['start', 'refused'])
  t.equal(await post({ key, status: 1, users: ['u2'] }), 0)
  t.equal(await post({ key, status: 4 }), 0)
  t.equal(await post({ key, status: 1, users: ['u3'] }), 0)
  t.strictSame(told(await until(5)), ['start', 'refused', 'start', 'unchanged', 'start'])
})

t.test('a report that arrives after the final save of its session, or a repeat of that save, starts and ends nothing', async t => {
  const { hooks, events } = recordSessions()
  const { post, key, url, app } = await startEditing(t, { memory: true, ...hooks })
  for (const fields of [{ status: 1 }, { status: 2, url }, { status: 1, users: ['u1'] }, { status: 2, url }]) t.equal(await post({ key, ...fields }), 0)
  await app.close()
  t.strictSame(told(events), ['start', 'saved'])
})

t.test('a session that is reported after its final save starts when the document server confirms it', async t => {
  const { hooks, until, events } = recordSessions()
  const { post, key, url, openedKey } = await startEditing(t, {
    memory: true,
    serve: (request, response) => response.end(request.method === 'POST' ? '{"error":0,"users":["u2"]}' : NEW),
    ...hooks
  })
  for (const fields of [{ status: 1 }, { status: 2, url }, { status: 1, users: ['u2'] }]) t.equal(await post({ key, ...fields }), 0)
  t.strictSame(told(events), ['start', 'saved'])
  t.equal(await openedKey(), key)
  t.strictSame(told(await until(3)), ['start', 'saved', 'start'])
  t.equal(await post({ key, status: 4 }), 0)
  t.strictSame(told(await until(4)), ['start', 'saved', 'start', 'unchanged'])
})

t.test('a save that nobody announced ends no session', async t => {
  const { hooks, events } = recordSessions()
  const { post, key, url, app } = await startEditing(t, { memory: true, ...hooks })
  t.equal(await post({ key, status: 2, url }), 0)
  await app.close()
  t.strictSame(events, [])
})

t.test('a session of which only unsaved changes are left starts when somebody opens it', async t => {
  const { hooks, until, events } = recordSessions()
  const clock = fakeClock()
  const { post, key, app } = await startEditing(t, { memory: true, clock, ...hooks })
  for (let count = 0; count < 2; count++) {
    t.equal(await post({ key, status: 1, users: [] }), 0)
    clock.jump(2 * 60 * 60_000)
  }
  t.strictSame(events, [])
  t.strictSame(await app.editorSessions.list(), [])
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  t.strictSame((await until(1)).map(([, { users }]) => users), [['u1']])
})

t.test('a force save of a session that nobody announced starts it', async t => {
  const { hooks, until } = recordSessions()
  const { post, key, url, fileId } = await startEditing(t, { memory: true, ...hooks })
  t.equal(await post({ key, status: 6, url, users: ['u1'] }), 0)
  t.match(await until(1), [['start', { fileId, key }]])
})

t.test('a session that the document server no longer knows is lost when the document is opened', async t => {
  const { hooks, until } = recordSessions()
  const { open, documentServer, key, clock, fileId } = await startService(t, { timeouts: { session: 1_800_000 }, ...hooks })
  const ada = await open()
  await ada.edit('lost in a crash')
  await until(1)
  await documentServer.crash()
  await documentServer.restart({ sessions: 'lost' })
  clock.jump(1_800_000)
  await key()
  t.strictSame((await until(2))[1], ['end', { fileId, key: ada.key, reason: 'lost' }])
})

t.test('of too many sessions of a file the least important one is lost, and starts again when it is reported', async t => {
  const { hooks, until } = recordSessions()
  const { post, key, keys, fileId } = await startEditing(t, { memory: true, ...hooks })
  const others = Array.from({ length: 8 }, (_, index) => keys.of({ fileId, revision: `old ${index}` }))
  for (const one of [key, ...others]) t.equal(await post({ key: one, status: 1, users: ['u1'] }), 0)
  const [name, event] = (await until(10)).find(([name]) => name === 'end')!
  t.match([name, event], ['end', { reason: 'lost', users: undefined }])
  t.equal(await post({ key: event.key, status: 1, users: ['u1'] }), 0)
  t.equal((await until(12)).filter(([name, { key }]) => name === 'start' && key === event.key).length, 2)
})

t.test('two instances over one storage: exactly one start and one end, however the callbacks are distributed', async t => {
  const { hooks, until, events } = recordSessions()
  const first = await startEditing(t, hooks)
  const second = await startInstance(t, first, hooks)
  const { key, url, fileId } = first
  const both = async (fields: object) => t.strictSame(await Promise.all([first, second].map(async ({ post }) => await post(fields))), [0, 0])
  await both({ key, status: 1, users: ['u1'] })
  t.equal(await second.post({ key, status: 6, url: `${url}&forced`, lastsave: '2026-11-20T16:12:20.000Z' }), 0)
  await both({ key, status: 2, url, users: ['u1'], lastsave: '2026-11-20T16:12:21.000Z' })
  await until(2)
  await Promise.all([first.app.close(), second.app.close()])
  t.strictSame(events, [['start', { fileId, key, users: ['u1'] }], ['end', { fileId, key, reason: 'saved', users: ['u1'] }]])
})

t.test('a save that is published but cannot be noted: whoever finds it in the lock later reports the end, once', async t => {
  const { hooks, until, events } = recordSessions()
  const memory = memoryStorage()
  let isFull = false
  const storage: Storage = {
    ...memory,
    state: {
      ...memory.state,
      async set (fileId, value, version, options) {
        if (isFull && options?.durable !== false) throw new Error('no space left on device')
        return await memory.state.set(fileId, value, version, options)
      }
    }
  }
  const { post, key, url, app } = await startEditing(t, { memory: true, storage, ...hooks })
  t.equal(await post({ key, status: 1 }), 0)
  isFull = true
  t.equal(await post({ key, status: 2, url }), 0)
  t.strictSame(told(events), ['start'])
  isFull = false
  t.equal(await post({ key, status: 2, url }), 0)
  t.match((await until(2))[1], ['end', { key, reason: 'saved' }])
  t.equal(await post({ key, status: 2, url }), 0)
  await app.close()
  t.equal(events.length, 2)
})

t.test('a hook that does not end holds up neither callbacks nor saves, and the end of its session waits for it', async t => {
  const release = deferred()
  const { hooks, until, events } = recordSessions({ onSessionStart: async () => await release.promise })
  const { open, stored, fileId, app, documentServer } = await startService(t, hooks)
  const ada = await open()
  await ada.edit('stored all the same')
  t.match(await ada.forceSave(), { status: 6, accepted: true })
  t.match(await ada.close(), { status: 2, accepted: true })
  t.equal(await stored(), 'stored all the same')
  t.strictSame(told(events), ['start'])

  const other = await app.editorControl().setDocumentFromBytes(Buffer.from('another file'), 'Other.txt')
  const ben = await documentServer.open((await app.editorControl(BEN).openDocument(other)).config!)
  t.match(await until(2), [['start', { fileId }], ['start', { fileId: other }]], 'those of other files are called')
  release.resolve()
  t.match((await until(3))[2], ['end', { fileId, key: ada.key, reason: 'saved' }])
  await ben.close()
})

t.test('a hook that takes longer than timeouts.hooks is given up, and the end follows', async t => {
  const log = memoryLog()
  const { hooks, until } = recordSessions({ onSessionStart: async () => await new Promise(() => {}) })
  const { post, key } = await startEditing(t, { memory: true, timeouts: { hooks: 100 }, server: log.server, ...hooks })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 4 }), 0)
  t.match(await until(2), [['start', { key }], ['end', { key, reason: 'unchanged' }]])
  t.strictSame(log.records().filter(({ err }) => err?.code === 'FST_EDITOR_HOOK_TIMEOUT').map(({ msg }) => msg), ['the hook onSessionStart failed'])
})

t.test('onSessionStart and onSessionEnd that throw are logged, and change nothing', async t => {
  const log = memoryLog()
  const fail = () => { throw new Error('the hook is broken') }
  const { hooks, until } = recordSessions({ onSessionStart: fail, onSessionEnd: fail })
  const { post, key, url, storedText, fileId, app } = await startEditing(t, { memory: true, server: log.server, ...hooks })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 2, url }), 0)
  await until(2)
  await app.close()
  t.strictSame(log.records().filter(({ err }) => err?.message === 'the hook is broken').map(({ msg }) => msg), [
    'the hook onSessionStart failed',
    'the hook onSessionEnd failed'
  ])
  t.match(await storedText(fileId), /what the document server saved/)
})

t.test('app.close() waits for the hook of a session that has ended', async t => {
  const begun = deferred()
  let hasEnded = false
  const { post, key, app } = await startEditing(t, {
    memory: true,
    async onSessionEnd () {
      begun.resolve()
      await delay(50)
      hasEnded = true
    }
  })
  t.equal(await post({ key, status: 1 }), 0)
  t.equal(await post({ key, status: 4 }), 0)
  await begun.promise
  await app.close()
  t.equal(hasEnded, true)
})
