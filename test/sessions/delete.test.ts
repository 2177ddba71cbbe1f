import t from 'tap'
import type { DocumentFreeze, SavedEvent } from '../../lib/index.js'
import { OLD, startEditing } from '../kit/editing.js'
import { startPair, startService } from '../kit/sessions.js'

t.test('delete: what people have typed is saved and their editors are closed, on every instance, before the document is gone', async t => {
  const saved: SavedEvent[] = []
  const pair = await startPair(t, { inRealTime: true, onSaved: event => { saved.push(event) } })
  const { a, b, fileId } = pair
  const session = await pair.open()
  await session.edit('typed')
  const deleting = [a, b].map(async ({ app }) => await app.editorSessions.delete(fileId, { reason: 'Nobody needs it' }))
  await session.nextEvent('dropped')
  t.ok((await Promise.all(deleting)).includes(true), 'who comes second has nothing to complain about')
  t.match(saved.at(-1), { fileId, stored: { fileId, size: 'typed'.length } })
  t.equal(await b.app.editorStorage.stat(fileId), null)
  t.equal(await b.app.editorSessions.delete(fileId), false, 'there is nothing to delete')
})

t.test('delete: if the sessions cannot be ended, the document stays and can be edited', async t => {
  const { post, key, fileId, app, storedText } = await startEditing(t)
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await t.rejects(app.editorSessions.delete(fileId), { code: 'FST_EDITOR_UPSTREAM' }) // no commands are accepted here
  const { sessions, freezes } = await app.editorSessions.get(fileId)
  t.match(sessions, [{ key }])
  t.strictSame(freezes, [])
  t.equal(await storedText(fileId), OLD)
  await t.rejects(app.editorSessions.delete(fileId, { by: 'me' } as object), { code: 'FST_EDITOR_INVALID_OPTION' })
})

t.test('delete: not what somebody else has frozen', async t => {
  const { app, fileId, stored } = await startService(t)
  await app.editorSessions.freeze(fileId, { by: 'law', reason: 'Legal hold' })
  await t.rejects(app.editorSessions.delete(fileId), { code: 'FST_EDITOR_LOCKED', message: /Legal hold/ })
  t.notSame(await stored(), null)
  t.match(await app.editorSessions.get(fileId), { freezes: [{ by: 'law' }] })
})

t.test('delete: a storage that never answers leaves no document frozen, and neither does a crash', async t => {
  const freezes: DocumentFreeze[] = []
  const { app, fileId } = await startService(t, {
    timeouts: { storage: 2000 },
    storing: storage => Object.assign(Object.create(storage) as typeof storage, {
      async remove () {
        freezes.push(...(await app.editorSessions.get(fileId)).freezes)
        return await new Promise(() => {})
      }
    })
  })
  await t.rejects(app.editorSessions.delete(fileId), { code: 'FST_EDITOR_STORAGE_TIMEOUT' })
  t.match(freezes, [{ until: Date }], 'it would have expired')
  t.strictSame((await app.editorSessions.get(fileId)).freezes, [])
})
