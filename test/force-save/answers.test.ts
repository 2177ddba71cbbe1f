import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { CommandFailedError, type ForceSaveFailedError } from '../../lib/errors.js'
import { memoryStorage } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'
import { deferred, jumpingTime } from '../kit/time.js'
import { commandsAnswered, DISK_FULL, forceSaveAnswers, startPair, watched } from '../kit/sessions.js'

t.test('a force save resolves when its save is stored, with the stored revision, and leaves no note', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  const result = await (await pair.control()).forceSave()
  t.equal(await pair.stored(), 'edited')
  t.strictSame(result, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.strictSame(await pair.notes(), [])
})

t.test('without a new edit there is nothing to save, before the first edit and after a save', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  t.strictSame(await pair.afterQuiet(control.forceSave()), { saved: false, reason: 'no-changes' })
  await session.edit('edited')
  t.match(await control.forceSave(), { saved: true })
  t.strictSame(await pair.afterQuiet(control.forceSave()), { saved: false, reason: 'no-changes' })
  t.strictSame(await pair.notes(), [])
})

t.test('with grace 0, saves of others are not waited for if there is nothing new', async t => {
  const pair = await startPair(t)
  await pair.open()
  const control = await pair.control()
  t.strictSame(await control.forceSave({ grace: 0, timeout: 2500 }), { saved: false, reason: 'no-changes' })
  await t.rejects(control.forceSave({ grace: -1 }), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('there is no session: never opened, ended with a save, or only a forgotten file is left', async t => {
  const pair = await startPair(t)
  t.strictSame(await (await pair.control()).forceSave(), { saved: false, reason: 'no-session' })

  const saved = await pair.open()
  const control = await pair.control()
  await saved.edit('edited')
  await saved.close()
  t.strictSame(await control.forceSave(), { saved: false, reason: 'no-session' })

  const refused = await pair.open()
  const other = await pair.control()
  await refused.edit('edited again')
  pair.documentServer.fault('file', { type: 'answer', status: 404 })
  await refused.close()
  t.ok(pair.documentServer.forgotten.has(other.documentKey))
  t.strictSame(await other.forceSave(), { saved: false, reason: 'no-session' })
  t.strictSame(await pair.notes(), [])
})

t.test('a force save that cannot be assembled rejects, and so does the next one until something is edited', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'fail' })
  await t.rejects(control.forceSave(), { name: 'FastifyError', code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /could not assemble/, retryable: false })
  const again = await control.forceSave().catch((error: unknown) => error as ForceSaveFailedError)
  t.match(again, { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /only after another edit/ })
  t.match((again as ForceSaveFailedError).cause, { code: 'FST_EDITOR_COMMAND_FAILED', serverCode: 3 })
  await session.edit('edited again')
  t.match(await control.forceSave(), { saved: true })
  t.strictSame(await pair.notes(), [])
})

t.test('a refused save rejects with its cause; repeated by the document server it resolves, refused again it rejects at once', async t => {
  let isFull = true
  const pair = await startPair(t, {
    storing: storage => ({ ...storage, stage: async (...given) => { if (isFull) throw DISK_FULL; return await storage.stage!(...given) } })
  })
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  for (const attempt of ['first', 'repeated']) {
    const error = await control.forceSave().catch((error: unknown) => error as ForceSaveFailedError)
    t.match(error, { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /ENOSPC/ }, attempt)
    t.equal((error as ForceSaveFailedError).cause, DISK_FULL)
  }
  isFull = false
  const result = await control.forceSave()
  t.equal(await pair.stored(), 'edited')
  t.match(result, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.strictSame(pair.documentServer.sentRequests.filter(({ body }) => body?.status === 6).map(({ body }) => body!.encrypted), [undefined, false, false])
  t.strictSame(await pair.notes(), [])
})

for (const odd of [{ code: 11000 }, { code: null }, { code: 'EIO', retryable: 'yes' }]) {
  t.test(`a storage may reject with any error, which is noted all the same: ${JSON.stringify(odd)}`, async t => {
    const error = Object.assign(new Error('odd'), odd)
    const pair = await startPair(t, { storing: storage => ({ ...storage, stage: async () => { throw error } }) })
    const session = await pair.open()
    await session.edit('edited')
    await t.rejects((await pair.control()).forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', cause: error })
    const record = (await pair.a.storage.state!.get(pair.fileId))!.value
    t.match(record, { refusals: [{ code: odd.code === 'EIO' ? 'EIO' : 'Error' }] })
    t.strictSame(await pair.notes(), [])
  })
}

t.test('a save that was stored, but whose answer was lost, counts when the document server repeats it for the command', async t => {
  let isLost = true
  const pair = await startPair(t, {
    prepare (app) {
      app.addHook('onSend', async (request, _reply, payload) => request.method === 'POST' && isLost ? '{"error":1}' : payload)
    }
  })
  const session = await pair.open()
  await session.edit('edited')
  t.match(await session.forceSave({ type: 'button' }), { accepted: false })
  t.equal(await pair.stored(), 'edited')
  isLost = false
  const { revision } = (await pair.a.storage.stat(pair.fileId))!
  t.strictSame(await (await pair.control()).forceSave(), { saved: true, revision })
  t.equal((await pair.a.storage.stat(pair.fileId))!.revision, revision)
})

t.test('a refusal that may pass is retryable', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('file', { type: 'answer', status: 503 })
  await t.rejects((await pair.control()).forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', retryable: true, cause: { code: 'FST_EDITOR_UPSTREAM' } })
})

t.test('if the last editor leaves before the document is assembled, the final save counts', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const saving = (await pair.control()).forceSave()
  await commandsAnswered(pair.documentServer)
  t.match(await session.close(), { status: 2, accepted: true })
  t.strictSame(await saving, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.equal(await pair.stored(), 'edited')
  await pair.clock.advance(1000)
  t.strictSame(pair.documentServer.sentRequests.filter(({ body }) => body?.status === 6), [], 'no force save was sent')
  t.strictSame(await pair.notes(), [])
})

t.test('if that final save is refused or cannot be assembled, the force save rejects', async t => {
  for (const fault of ['refused', 'not assembled']) {
    const pair = await startPair(t)
    const session = await pair.open()
    await session.edit('edited')
    pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
    const saving = watched((await pair.control()).forceSave())
    await commandsAnswered(pair.documentServer)
    if (fault === 'refused') pair.documentServer.fault('file', { type: 'answer', status: 404 })
    else pair.documentServer.fault('assembly', { type: 'fail' })
    await session.close()
    await t.rejects(saving.promise, { code: 'FST_EDITOR_FORCE_SAVE_FAILED' }, fault)
    await pair.clock.advance(1000)
  }
})

t.test('a final save that was under way when it was requested counts, because nobody is left who could edit', async t => {
  const [arrived, gate] = [deferred(), deferred()]
  const pair = await startPair(t, {
    async onCallback ({ status }) {
      if (status !== 2) return
      arrived.resolve()
      await gate.promise
    }
  })
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  const closed = session.close()
  await arrived.promise
  const saving = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  t.notOk(saving.isSettled)
  gate.resolve()
  await closed
  t.match(await pair.afterQuiet(saving.promise), { saved: true })
  t.equal(await pair.stored(), 'edited')
})

for (const name of ['is still being assembled', 'is refused at first'] as const) {
  t.test(`after the last editor has left, the final save counts, also if it ${name}: the document server answers 3 until it is made`, async t => {
    const pair = await startPair(t)
    const session = await pair.open()
    const control = await pair.control()
    await session.edit('edited')
    pair.documentServer.fault('assembly', { type: 'slow', ms: 5000 })
    if (name === 'is refused at first') pair.documentServer.fault('file', { type: 'answer', status: 404 })
    const closed = session.close()
    const saving = watched(control.forceSave())
    while (!(await pair.notes()).some(({ isIdle }) => isIdle)) await turn()
    t.strictSame(forceSaveAnswers(pair.documentServer), [3])
    t.notOk(saving.isSettled)
    await pair.clock.advance(5000)
    t.match(await closed, { accepted: name === 'is still being assembled' })
    if (name === 'is still being assembled') {
      t.match(await pair.afterQuiet(saving.promise), {
        saved: true,
        revision: (await pair.a.storage.stat(pair.fileId))!.revision
      })
    } else {
      await t.rejects(pair.afterQuiet(saving.promise), {
        code: 'FST_EDITOR_FORCE_SAVE_FAILED',
        cause: { code: 'FST_EDITOR_UPSTREAM' }
      })
    }
  })
}

t.test('after a cut connection, that nothing is new does not mean that all is stored: the final save counts', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  await session.disconnect()
  const saves = [watched(control.forceSave()), watched(control.forceSave())]
  const ends = saves.map(async ({ promise }) => await pair.afterQuiet(promise))
  await commandsAnswered(pair.documentServer, 8)
  t.strictSame(new Set(forceSaveAnswers(pair.documentServer)), new Set([3, 4]))
  t.notOk(saves.some(({ isSettled }) => isSettled))
  await pair.clock.advance(5000)
  for (const end of ends) t.match(await end, { saved: true })
  t.equal(await pair.stored(), 'edited')
})

t.test('of two force saves at the same moment, one that is answered 3 waits for the other', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const first = control.forceSave()
  await commandsAnswered(pair.documentServer)
  pair.documentServer.fault('command', { type: 'answer', status: 200, body: JSON.stringify({ key: control.documentKey, error: 3 }) }, { times: 1 })
  const second = control.forceSave()
  await commandsAnswered(pair.documentServer, 2)
  await pair.clock.advance(1000)
  t.match(await first, { saved: true })
  t.match(await pair.afterQuiet(second), { saved: true })
  t.equal(await pair.stored(), 'edited')
})

t.test('no-changes takes twice as long as the slowest force save lately: that of somebody else may take as long', async t => {
  let onRead = () => {}
  const pair = await startPair(t, {
    storing: ({ snapshot, ...storage }) => ({ // one of its own would be read instead
      ...storage,
      state: {
        ...storage.state!,
        async get (fileId) {
          onRead()
          return await storage.state!.get(fileId)
        }
      }
    })
  })
  const jump = jumpingTime(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 4500 }, { times: 2 })
  const own = control.forceSave()
  await commandsAnswered(pair.documentServer)
  jump(4500)
  await pair.clock.advance(4500)
  t.match(await own, { saved: true })

  await session.edit('edited again')
  const pressed = session.forceSave({ type: 'button' })
  await pair.clock.advance(100) // not at the same moment
  const saving = watched(control.forceSave())
  while (!(await pair.notes()).some(({ isIdle }) => isIdle)) await turn()
  jump(4500)
  for (let reads = 0; reads < 3; reads++) await new Promise<void>(resolve => { onRead = resolve })
  t.strictSame(forceSaveAnswers(pair.documentServer), [0, 4], 'it has not decided: it would ask once more')
  await pair.clock.advance(4500)
  await pressed
  t.match(await pair.afterQuiet(saving.promise), { saved: true })
  t.equal(await pair.stored(), 'edited again')
})

t.test('a force save that is requested while an equal one is under way waits for it', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const first = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  const second = watched((await pair.control('b')).forceSave())
  await commandsAnswered(pair.documentServer, 2)
  await pair.clock.advance(1000)
  const revision = (await first.promise as { readonly revision: string }).revision
  t.strictSame(await pair.afterQuiet(second.promise), { saved: true, revision })
  t.strictSame(await pair.notes(), [])
})

t.test('if the equal one is refused, both reject', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  pair.documentServer.fault('file', { type: 'answer', status: 404 })
  const first = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  await pair.clock.advance(100) // not at the same moment
  const second = watched((await pair.control('b')).forceSave())
  await commandsAnswered(pair.documentServer, 2)
  await pair.clock.advance(900)
  await t.rejects(first.promise, { code: 'FST_EDITOR_FORCE_SAVE_FAILED' })
  await t.rejects(pair.afterQuiet(second.promise), { code: 'FST_EDITOR_FORCE_SAVE_FAILED' })
})

t.test('a save by the button that is under way counts if nothing was edited since', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const pressed = session.forceSave()
  const saving = watched((await pair.control()).forceSave())
  await commandsAnswered(pair.documentServer)
  await pair.clock.advance(1000)
  await pressed
  t.match(await pair.afterQuiet(saving.promise), { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
})

t.test('a save by the button that was under way before the last edit does not count', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('one')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const pressed = session.forceSave()
  await session.edit('two')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 5000 })
  const saving = watched((await pair.control()).forceSave())
  await commandsAnswered(pair.documentServer)
  await pair.clock.advance(1000)
  await pressed
  t.equal(await pair.stored(), 'one')
  t.notOk(saving.isSettled)
  await pair.clock.advance(4000)
  const { revision } = await saving.promise as { readonly revision: string }
  t.equal(await pair.stored(), 'two')
  t.equal(revision, (await pair.a.storage.stat(pair.fileId))!.revision)
})

t.test('two saves with changes of one second that arrive in either order: a third request does not claim to know which is the newest', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('one')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const first = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  await session.edit('two')
  const pressed = session.forceSave()
  const third = watched(control.forceSave())
  await commandsAnswered(pair.documentServer, 2)
  await pressed
  await pair.clock.advance(1000)
  t.match(await first.promise, { saved: true })
  await t.rejects(pair.afterQuiet(third.promise), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /same second/, retryable: true })
})

t.test('the save of a later request also counts for earlier ones', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('one')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const first = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  await session.edit('two')
  const second = await (await pair.control('b')).forceSave()
  t.strictSame(await first.promise, second)
  t.equal(await pair.stored(), 'two')
  await pair.clock.advance(1000)
})

t.test('if the button and the command repeat a refused save at the same time, the second repeat counts, too', async t => {
  const [pressed, gate] = [deferred(), deferred()]
  const pair = await startPair(t, {
    async onCallback ({ forcesavetype }) {
      if (forcesavetype !== 1) return
      pressed.resolve()
      await gate.promise
    }
  })
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('file', { type: 'answer', status: 404 })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED' })
  const byButton = session.forceSave()
  await pressed.promise
  const byCommand = control.forceSave()
  await pair.documentServer.nextCallback(6)
  while (pair.documentServer.sentRequests.filter(({ body }) => body?.status === 6).length < 3) await turn()
  gate.resolve()
  t.match(await byButton, { accepted: true })
  t.match(await byCommand, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.equal(await pair.stored(), 'edited')
})

t.test('a final save that was refused and is shown again cannot be saved by force before it is edited, and is stored for certain when everybody has left', async t => {
  const pair = await startPair(t)
  const first = await pair.open()
  await first.edit('edited')
  pair.documentServer.fault('file', { type: 'answer', status: 404 })
  await first.close()
  const session = await pair.open()
  const control = await pair.control()
  t.equal(String(await session.content()), 'edited')
  await t.rejects(pair.afterQuiet(control.forceSave()), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /was refused/ })
  await session.edit('edited again')
  t.match(await control.forceSave(), { saved: true })
  await t.rejects(pair.afterQuiet(control.forceSave()), {
    code: 'FST_EDITOR_FORCE_SAVE_FAILED',
    message: /was refused/
  }, 'a force save that was stored since need not contain it')
  await session.close()
  t.strictSame(await control.forceSave(), { saved: false, reason: 'no-session' })
})

t.test('a repeat that had arrived before the force save was requested does not count, however long an earlier save holds it up', async t => {
  const memory = memoryStorage()
  const [fetching, slow, repeated, answered, polled] = [deferred(), deferred(), deferred(), deferred(), deferred()]
  const received = deferred<string>()
  let reads = -Infinity
  const { app, post, key, fileId, storage, documentServer: { origin } } = await startEditing(t, {
    memory: true,
    storage: {
      ...memory,
      state: {
        ...memory.state,
        async get (...given) {
          if (++reads === 3) polled.resolve()
          return await memory.state.get(...given)
        }
      }
    },
    async serve (request, response) {
      if (request.method === 'GET') {
        if (request.url === '/slow') {
          fetching.resolve()
          await slow.promise
        }
        return response.end(request.url)
      }
      const [, payload] = (JSON.parse(await text(request)) as { token: string }).token.split('.')
      received.resolve((JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { userdata: string }).userdata)
      await answered.promise
      response.end('{"error":0}')
    },
    onCallback: event => { if ('forcesavetype' in event) repeated.resolve() }
  })
  t.equal(await post({ key, status: 1 }), 0)
  const control = await app.editorControl().openDocument(fileId)
  const saving = post({ key, status: 6, url: `${origin}/slow` })
  await fetching.promise
  const repeat = post({ key, status: 6, url: `${origin}/repeat`, forcesavetype: 0, encrypted: false })
  await repeated.promise
  await control.openDocument(fileId) // reads the record, too

  const result = control.forceSave()
  const userdata = await received.promise
  slow.resolve()
  t.strictSame(await Promise.all([saving, repeat]), [0, 0])
  answered.resolve()
  reads = 0
  await Promise.race([polled.promise, result])
  t.equal(await post({ key, status: 6, url: `${origin}/own`, forcesavetype: 0, userdata }), 0)
  t.strictSame(await result, { saved: true, revision: (await storage.stat(fileId))!.revision })
})

t.test('a force save that is stored as a conflict copy names the copy', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  const control = await pair.control()
  await pair.a.storage.replace(pair.fileId, Buffer.from('from outside'))
  const result = await control.forceSave() as { readonly saved: true, readonly revision: string, readonly conflictFileId: string }
  t.equal(await pair.stored(), 'from outside')
  t.equal(await pair.a.storedText(result.conflictFileId), 'edited')
  t.equal(result.revision, (await pair.a.storage.stat(result.conflictFileId))!.revision)
})

t.test('what the document server says about the command', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  const control = await pair.control()
  const answer = (error: number) =>
    pair.documentServer.fault('command', {
      type: 'answer',
      status: 200,
      body: JSON.stringify({ key: control.documentKey, error })
    })
  answer(2)
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /callback URL/, cause: { serverCode: 2 } })
  for (const code of [5, 6, 7]) {
    answer(code)
    const error = await control.forceSave().catch((error: unknown) => error)
    t.ok(error instanceof CommandFailedError && error.serverCode === code, `error ${code}`)
  }
  pair.documentServer.fault('command', { type: 'answer', status: 502 })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_UPSTREAM' })
  await pair.documentServer.crash()
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_UPSTREAM' })
  await pair.documentServer.restart({ sessions: 'kept' })
  t.strictSame(await pair.notes(), [])
})

t.test('without a stored document there is nothing to save by force', async t => {
  const { a, control, fileId, notes } = await startPair(t)
  await t.rejects(a.app.editorControl().forceSave(), { code: 'FST_EDITOR_NO_DOCUMENT' })
  const other = await control()
  other.documentUrl = 'http://127.0.0.1/another'
  await t.rejects(other.forceSave(), { code: 'FST_EDITOR_NO_DOCUMENT' })

  const invalid = await control()
  for (const timeout of [0, -1, NaN, 2 ** 31, '5' as never]) await t.rejects(invalid.forceSave({ timeout }), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.rejects(invalid.forceSave({ signal: {} as never }), { code: 'FST_EDITOR_INVALID_OPTION' })
  invalid.documentKey = 'not/a/key'
  await t.rejects(invalid.forceSave(), { code: 'FST_EDITOR_INVALID_KEY' })

  const deleted = await control()
  t.strictSame(await notes(), [])
  await a.storage.remove!(fileId)
  await t.rejects(deleted.forceSave(), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
})

t.test('notes that are dated in the future, because a clock was set back, hold up no force save', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  const { state } = pair.a.storage
  const { value, version } = (await state!.get(pair.fileId))!
  const startedAt = pair.clock.now() + 365 * 24 * 60 * 60_000
  const forceSaves = Array.from({ length: 8 }, (_, index) => ({ id: `later ${index}`, key: control.documentKey, startedAt }))
  t.ok(await state!.set(pair.fileId, { ...value as object, forceSaves }, version))
  t.match(await control.forceSave(), { saved: true })
  t.strictSame(await pair.notes(), [])
})
