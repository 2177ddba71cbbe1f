import t from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { OLD, startEditing } from '../kit/editing.js'
import { startPair } from '../kit/sessions.js'

t.test('delete: what people have typed is saved and their editors are closed, on every instance, before the document is gone', async t => {
  const saved: SavedEvent[] = []
  const pair = await startPair(t, { inRealTime: true, onSaved: event => { saved.push(event) } })
  const { b, fileId } = pair
  const session = await pair.open()
  await session.edit('typed')
  const deleting = b.app.editorSessions.delete(fileId, { reason: 'Nobody needs it' })
  await session.nextEvent('dropped')
  t.equal(await deleting, true)
  t.match(saved.at(-1), { fileId, stored: { fileId, size: 'typed'.length } })
  t.equal(await b.app.editorStorage.stat(fileId), null)
  t.equal(await b.app.editorSessions.delete(fileId), false, 'there is nothing to delete')
})

t.test('delete: if the sessions cannot be ended, the document stays and can be edited', async t => {
  const { post, key, fileId, app, storedText } = await startEditing(t)
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await t.rejects(app.editorSessions.delete(fileId), { code: 'FST_EDITOR_UPSTREAM' }) // no commands are accepted here
  t.match(await app.editorSessions.get(fileId), { sessions: [{ key }], freezes: [] })
  t.equal(await storedText(fileId), OLD)
  await t.rejects(app.editorSessions.delete(fileId, { by: 'me' } as object), { code: 'FST_EDITOR_INVALID_OPTION' })
})
