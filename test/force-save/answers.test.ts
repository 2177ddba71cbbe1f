import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { CommandFailedError, type ForceSaveFailedError } from '../../lib/errors.js'
import { startScripted } from '../kit/editing.js'
import { commandsAnswered, DISK_FULL, forceSaveAnswers, startPair, watched } from '../kit/sessions.js'

t.test('a force save resolves when its save is stored, with the stored revision, and leaves no note', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  const result = await (await pair.control()).forceSave()
  t.equal(await pair.stored(), 'edited')
  t.strictSame(result, { saved: true, stored: { fileId: pair.fileId, revision: (await pair.a.storage.stat(pair.fileId))!.revision } })
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

t.test('while somebody edits of whom no callback has told, it is unknown whether everything is stored', async t => {
  const { app, fileId } = await startScripted(t, async ({ c }) => c === 'forcesave' ? { error: 4 } : { users: ['u1'] })
  const control = await app.editorControl().openDocument(fileId)
  await t.rejects(control.forceSave({ grace: 1 }), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /no callback has reported it/, retryable: true })
})

t.test('a force save that cannot be assembled rejects, and so does the next one until something is edited', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  const control = await pair.control()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'fail' })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /could not assemble/, retryable: false })
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
    storing: storage => ({ ...storage, stage: async (...given) => { if (isFull) throw DISK_FULL; return await storage.stage(...given) } })
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
  t.match(result, { saved: true, stored: { fileId: pair.fileId, revision: (await pair.a.storage.stat(pair.fileId))!.revision } })
  t.strictSame(pair.documentServer.sentRequests.filter(({ body }) => body?.status === 6).map(({ body }) => body!.encrypted), [undefined, false, false])
  t.strictSame(await pair.notes(), [])
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
  t.strictSame(await saving, { saved: true, stored: { fileId: pair.fileId, revision: (await pair.a.storage.stat(pair.fileId))!.revision } })
  t.equal(await pair.stored(), 'edited')
  await pair.clock.advance(1000)
  t.strictSame(pair.documentServer.sentRequests.filter(({ body }) => body?.status === 6), [], 'no force save was sent')
  t.strictSame(await pair.notes(), [])
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
    while (forceSaveAnswers(pair.documentServer)[0] === undefined) await turn()
    t.strictSame(forceSaveAnswers(pair.documentServer), [3])
    t.notOk(saving.isSettled)
    await pair.clock.advance(5000)
    t.match(await closed, { accepted: name === 'is still being assembled' })
    if (name === 'is still being assembled') {
      t.match(await pair.afterQuiet(saving.promise), {
        saved: true,
        stored: { fileId: pair.fileId, revision: (await pair.a.storage.stat(pair.fileId))!.revision }
      })
    } else {
      await t.rejects(pair.afterQuiet(saving.promise), {
        code: 'FST_EDITOR_FORCE_SAVE_FAILED',
        cause: { code: 'FST_EDITOR_UPSTREAM' }
      })
    }
  })
}

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

t.test('a force save that is stored as a conflict copy names the copy', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  const control = await pair.control()
  await pair.a.storage.replace(pair.fileId, Buffer.from('from outside'))
  const { stored } = await control.forceSave()
  t.equal(await pair.stored(), 'from outside')
  t.equal(await pair.a.storedText(stored!.fileId), 'edited')
  t.equal(stored!.revision, (await pair.a.storage.stat(stored!.fileId))!.revision)
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
  await a.storage.remove(fileId)
  await t.rejects(deleted.forceSave(), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
})
