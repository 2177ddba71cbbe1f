import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { InvalidOptionError, memoryStorage, type SavedEvent } from '../../lib/index.js'
import { NEW, startEditing, startInstance } from '../kit/editing.js'
import { startPageHost } from '../kit/host.js'
import { OLD, startHistorian, startPair, startService } from '../kit/sessions.js'

const REASON = 'The archive is moving. <b>Back</b> at noon.'

t.test('freeze: ends the session with a save, and whoever opens the document then views it with the reason, on every instance', async t => {
  const pair = await startPair(t, { inRealTime: true })
  const { a, b, fileId } = pair
  const session = await pair.open()
  await session.edit('typed')
  const freeze = await b.app.editorSessions.freeze(fileId, { by: 'move', reason: REASON })
  t.equal(await pair.stored(), 'typed', 'saved when it resolves')
  t.match(freeze, { fileId, by: 'move', reason: REASON, since: Date, until: undefined })
  await session.nextEvent('dropped')
  t.strictSame((await a.app.editorSessions.get(fileId)).sessions, [])

  for (const side of ['a', 'b'] as const) {
    const control = await pair.control(side)
    t.equal(control.lockReason, REASON)
    t.match(control.config, { document: { permissions: { edit: false, comment: false, fillForms: false, review: false } }, editorConfig: { mode: 'view' } })
    t.match(control.render(), 'data-lock-reason="The archive is moving. &#60;b&#62;Back&#60;/b&#62; at noon."')
  }
  const viewer = await a.app.editorControl({ mode: 'view' }).openDocument(fileId)
  t.equal(viewer.lockReason, null, 'a viewer does not notice')

  t.equal(await freeze.release(), true)
  t.equal(await freeze.release(), false, 'again is no error')
  t.equal((await pair.control('b')).lockReason, null)
  t.match((await pair.control('b')).config, { editorConfig: { mode: 'edit' } })
})

t.test('freeze: of an open on another instance that was faster than the freeze, the editors are sent away, too', async t => {
  const pair = await startPair(t, { inRealTime: true })
  const { b, fileId, documentServer } = pair
  const { config } = await pair.control('a')
  await b.app.editorSessions.freeze(fileId)
  const session = await documentServer.open(config!)
  await session.nextEvent('dropped')
  while ((await b.app.editorSessions.get(fileId)).sessions.length > 0) await turn()
  t.strictSame(documentServer.sentRequests.flatMap(({ body }) => body?.status ?? []), [1, 4])
})

t.test('freeze: a save of a session that began before is stored in the file, whenever it arrives', async t => {
  const first = await startEditing(t)
  const { post, url, key, fileId, app, storedText } = first
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  // The document server accepts no commands here: the process might as well have crashed between two steps.
  await t.rejects(app.editorSessions.freeze(fileId, { reason: 'Moving' }), { code: 'FST_EDITOR_UPSTREAM' })
  t.match(await app.editorSessions.get(fileId), { sessions: [{ fileId, key, frozen: true }], freezes: [{ fileId, by: '', reason: 'Moving' }] })
  t.match(await app.editorSessions.list(), [{ key, frozen: true }])
  const second = await startInstance(t, first, {})
  t.equal(await second.post({ key, status: 2, url }), 0)
  t.equal(await storedText(fileId), NEW)
  t.match(await second.app.editorSessions.get(fileId), { sessions: [], freezes: [{ reason: 'Moving' }] }, 'it is still frozen')
})

for (const policies of [{}, { conflict: 'overwrite' }] as const) {
  t.test(`freeze: a save of a session that began later is a conflict copy, also under a key that has ended: ${JSON.stringify(policies)}`, async t => {
    const saved: SavedEvent[] = []
    const { post, url, key, fileId, app, storedText, storage } = await startEditing(t, { policies, onSaved: event => { saved.push(event) } })
    t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
    await app.editorSessions.freeze(fileId).catch(() => {})
    t.equal(await post({ key, status: 2, url, lastsave: '2026-01-01T10:00:00.000Z' }), 0)
    t.equal(await storedText(fileId), NEW)
    await storage.replace(fileId, Buffer.from('what the application made of it'))

    const { revision } = (await storage.stat(fileId))!
    for (const [again, lastsave] of [[key, '2026-01-01T10:05:00.000Z'], [(await app.editorControl().openDocument(fileId)).documentKey, '2026-01-01T10:06:00.000Z']] as const) {
      t.equal(await post({ key: again, status: 1, users: ['u1'] }), 0)
      t.equal(await post({ key: again, status: 2, url: `${url}?${lastsave}`, lastsave }), 0)
      const { conflict, stored } = saved.at(-1)!
      t.equal(conflict?.reason, 'frozen')
      t.equal(await storedText(stored.fileId), NEW)
    }
    t.equal((await storage.stat(fileId))!.revision, revision, 'the file is as it was')
    t.equal(await app.editorSessions.release(fileId), true)
    const next = (await app.editorControl().openDocument(fileId)).documentKey
    t.equal(await post({ key: next, status: 2, url }), 0)
    t.equal(await storedText(fileId), NEW)
  })
}

t.test('freeze: a version is not restored', async t => {
  const { app, edit, control, fileId, stored } = await startHistorian(t)
  await edit('two')
  const { release } = await app.editorSessions.freeze(fileId, { reason: 'Legal hold' })
  await t.rejects((await control()).restore(1), { code: 'FST_EDITOR_LOCKED', statusCode: 423, message: 'The document cannot be changed now: Legal hold' })
  t.equal(await stored(), 'two')
  await release()
  await (await control()).restore(1)
  t.equal(await stored(), OLD)
})

t.test('freeze: who else freezes it, expiry, and release', async t => {
  const { app, fileId, clock, key } = await startService(t)
  const { editorSessions } = app
  const lockReason = async () => (await app.editorControl().openDocument(fileId)).lockReason
  await editorSessions.freeze(fileId, { by: 'dav', reason: 'Locked by Grace', duration: 60_000 })
  await editorSessions.freeze(fileId, { by: 'law' })
  await editorSessions.freeze(fileId, { by: 'dav', reason: 'Locked by Grace until tomorrow', duration: 120_000 })
  const { freezes } = await editorSessions.get(fileId)
  t.match(freezes, [{ by: 'dav', reason: 'Locked by Grace until tomorrow' }, { by: 'law' }])
  t.equal(freezes.length, 2)
  t.equal(Number(freezes[0]!.until) - Number(freezes[0]!.since) >= 120_000, true)
  t.equal(await lockReason(), 'Locked by Grace until tomorrow')
  await clock.advance(121_000)
  t.equal(await lockReason(), '', 'the other one stays')
  t.equal(await editorSessions.release(fileId, 'dav'), false)
  t.equal(await editorSessions.release(fileId, 'law'), true)
  t.equal(await lockReason(), null)
  t.ok(await key())
  await editorSessions.freeze(fileId, { duration: 1 })
  await clock.advance(1)
  t.equal(await lockReason(), null)
  t.strictSame(await editorSessions.get(fileId), { sessions: [], freezes: [] })

  for (let index = 0; index < 16; index++) await editorSessions.freeze(fileId, { by: String(index) })
  await t.rejects(editorSessions.freeze(fileId, { by: 'x' }), { code: 'FST_EDITOR_INVALID_OPTION' })
  await t.resolves(editorSessions.freeze(fileId, { by: '3' }))
  await t.rejects(editorSessions.freeze('missing'), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
  for (const wrong of [{ by: 'x'.repeat(101) }, { reason: 'x'.repeat(501) }, { duration: 0 }, { duration: 9e15 }, { timeout: -1 }, { until: 1 }]) {
    await t.rejects(editorSessions.freeze(fileId, wrong as object), InvalidOptionError)
  }
  t.strictSame(await editorSessions.get('missing'), { sessions: [], freezes: [] })
  t.equal(await editorSessions.release('missing'), false)
})

t.test('freeze: while a hook of the save would have to wait for it, it is refused', async t => {
  const codes: unknown[] = []
  const service = await startService(t, {
    onSaved: async ({ fileId }) => { await service.app.editorSessions.freeze(fileId).catch(({ code }) => codes.push(code)) }
  })
  const session = await service.open()
  await session.edit('typed')
  await session.close()
  t.strictSame(codes, ['FST_EDITOR_BUSY'])
  t.equal(await service.stored(), 'typed')
})

t.test('a page of a frozen document gets a configuration for viewing, whatever it asks for, and changes nothing', async t => {
  const renamed: unknown[] = []
  const { app, fileId, ask, tokenOf } = await startPageHost(t, { actions: { rename: action => { renamed.push(action) }, editRights: () => true }, storage: memoryStorage(), versions: {} })
  const token = await tokenOf()
  await app.editorSessions.freeze(fileId, { reason: 'Legal hold' }).catch(() => {}) // there is no document server to ask
  for (const purpose of ['refresh', 'reopen', 'edit', 'retry']) {
    const { status, body } = await ask('config', { purpose }, { token })
    t.equal(status, 200)
    t.match(body, { lockReason: 'Legal hold', config: { editorConfig: { mode: 'view' }, document: { permissions: { edit: false } } } })
    t.strictSame(body.actions, 'history historyData editRights')
  }
  for (const [action, body] of [['rename', { name: 'Other.docx' }], ['restore', { version: 1 }]] as const) {
    t.match(await ask(action, body, { token }), { status: 423, body: { code: 'FST_EDITOR_LOCKED', message: 'The document cannot be changed now: Legal hold' } })
  }
  t.strictSame(renamed, [])
  await app.editorSessions.release(fileId)
  const { body } = await ask('config', { purpose: 'refresh' }, { token })
  t.notOk('lockReason' in body)
  t.match(body, { config: { editorConfig: { mode: 'edit' } }, actions: /rename/ })
})
