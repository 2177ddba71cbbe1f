// What `freeze` promises when it resolves: nobody edits, the last save is stored, only the application writes.
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { NEW, OLD, startScripted } from '../kit/editing.js'
import { DISK_FULL, startPair, startService } from '../kit/sessions.js'
import { holdTimers, stoppedTime } from '../kit/time.js'

/** An editor sends what was typed 1.0 to 1.1 s after the last key. */
const SENT_AFTER_MS = 1100

for (const before of ['nothing was edited before', 'something was edited before'] as const) {
  t.test(`freeze: what a sole editor has typed just before is sent a second later, and stored: ${before}`, async t => {
    const pair = await startPair(t, { inRealTime: true })
    const session = await pair.open()
    if (before === 'something was edited before') await session.edit('typed at first')
    const freezing = pair.b.app.editorSessions.freeze(pair.fileId)
    await delay(SENT_AFTER_MS)
    await session.edit('typed just before')
    await freezing
    t.equal(await pair.stored(), 'typed just before')
  })
}

t.test('freeze: goes on at once where an editor has changed nothing', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  stoppedTime(t) // so that no pause ends
  holdTimers(t, 10_000) // nor a limit
  await pair.b.app.editorSessions.freeze(pair.fileId)
  await session.nextEvent('dropped')
})

t.test('freeze: rejects while the last save is only at the document server, which recovery stores in the file until it has resolved', async t => {
  let isFull = false
  const service = await startService(t, {
    storing: storage => ({ ...storage, stage: async (...given) => { if (isFull) throw DISK_FULL; return await storage.stage(...given) } })
  })
  const { app, fileId, stored, forgotten } = service
  const session = await service.open()
  await session.edit('typed')
  isFull = true
  const refused = { code: 'FST_EDITOR_BUSY', retryable: true, message: /recoverForgotten/ }
  await t.rejects(app.editorSessions.freeze(fileId, { by: 'law' }), refused)
  await t.rejects(app.editorSessions.freeze(fileId, { by: 'law' }), refused, 'also when everybody has left')
  t.match(await app.editorSessions.get(fileId), { sessions: [], freezes: [{ by: 'law' }] })
  t.strictSame(forgotten(), ['typed'])
  isFull = false
  t.match(await app.editorServer.recoverForgotten(), [{ outcome: 'stored', kept: false }])
  await app.editorSessions.freeze(fileId, { by: 'law' })
  t.equal(await stored(), 'typed')
})

for (const users of [['u1'], []]) {
  t.test(`freeze: rejects at once if the final save never arrived and the document server keeps it: of a session with ${users.length} users`, async t => {
    const { app, post, key, fileId } = await startScripted(t, ({ c }) => c === 'getForgotten' ? { url: 'http://127.0.0.1:9/' } : { error: c === 'drop' || c === 'meta' ? 0 : 1 })
    t.equal(await post({ key, status: 1, users }), 0)
    stoppedTime(t)
    await t.rejects(app.editorSessions.freeze(fileId), { code: 'FST_EDITOR_BUSY', message: /recoverForgotten/ })
  })
}

t.test('freeze: an unconfirmed session that has unsaved changes is waited for, and its save is in the file', async t => {
  const { app, commands, post, key, url, fileId, storedText } = await startScripted(t, async ({ c }, { post }) => {
    if (c === 'info') await post({ key, status: 1, users: [] })
    return { users: [] }
  })
  t.equal(await post({ key, status: 1, users: [] }), 0)
  let isFrozen = false
  const freezing = app.editorSessions.freeze(fileId).then(() => { isFrozen = true })
  while (!commands.some(({ c }) => c === 'drop')) await turn()
  for (let turns = 0; turns < 200; turns++) await turn()
  t.notOk(isFrozen)
  t.equal(await post({ key, status: 2, url }), 0)
  await freezing
  t.equal(await storedText(fileId), NEW)
})

t.test('freeze: the document server is asked about a session whose status 1 was lost', async t => {
  let isLost = true
  const pair = await startPair(t, {
    inRealTime: true,
    prepare (app) {
      app.addHook('onRequest', async (request, reply) => {
        if (isLost && request.method === 'POST') return await reply.code(502).send()
      })
    }
  })
  const session = await pair.open()
  await session.nextEvent('warning')
  isLost = false
  t.strictSame((await pair.b.app.editorSessions.get(pair.fileId)).sessions, [])
  await session.edit('typed')
  await pair.b.app.editorSessions.freeze(pair.fileId)
  t.equal(await pair.stored(), 'typed')
  await session.nextEvent('dropped')
})

for (const when of ['before', 'after'] as const) {
  t.test(`freeze: whoever joined meanwhile with an old page saves into a copy, and nobody joins them: the save comes ${when} the release`, async t => {
    const saved: SavedEvent[] = []
    const { app, post, key, url, fileId, storedText, openedKey } = await startScripted(
      t, ({ c }) => ({ error: c === 'info' || c === 'getForgotten' ? 1 : 0 }),
      { onSaved: event => { saved.push(event) } }
    )
    const { release } = await app.editorSessions.freeze(fileId)
    t.equal(await post({ key, status: 1, users: ['u1'], actions: [{ type: 1, userid: 'u1' }] }), 0)
    const save = async () => await post({ key, status: 6, url, lastsave: '2026-01-01T10:00:00.000Z' })
    if (when === 'before') t.equal(await save(), 0)
    await release()
    const next = await openedKey()
    t.not(next, key)
    if (when === 'after') t.equal(await save(), 0)
    t.equal(await storedText(fileId), OLD)
    t.match(saved, [{ conflict: { reason: 'frozen' } }])
    t.equal(await storedText(saved[0]!.stored.fileId), NEW)

    t.equal(await post({ key: next, status: 1, users: ['u2'] }), 0)
    t.equal(await openedKey(), next, 'all others are together')
    t.equal(await post({ key, status: 2, url: `${url}&2`, lastsave: '2026-01-01T10:01:00.000Z' }), 0)
    t.equal(await storedText(fileId), OLD)
    t.equal(await openedKey(), next)
    t.equal(await post({ key: next, status: 2, url: `${url}&3` }), 0)
    t.equal(await storedText(fileId), NEW)
  })
}
