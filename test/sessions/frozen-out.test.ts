import t from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'

t.test('a frozen conflict copy is not replaced by later saves of its session', async t => {
  const saved: SavedEvent[] = []
  let content = 'PK\x03\x04 one PK\x05\x06'
  const { post, url, key, fileId, app, storedText, storage } = await startEditing(t, {
    serve: (_request, response) => response.end(content),
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 1, users: ['u1'] }), 0)
  await storage.replace(fileId, Buffer.from('of another program'))
  const save = async (minute: number) =>
    await post({ key, status: 6, url: url.replace('_1/', `_${minute}/`), lastsave: `2026-01-01T10:0${minute}:00.000Z`, users: ['u1'] })
  t.equal(await save(1), 0)
  const copyId = saved[0]!.conflictFileId!
  await app.editorSessions.freeze(copyId, { reason: 'Legal hold' })
  content = 'PK\x03\x04 two PK\x05\x06'
  t.equal(await save(2), 0)
  t.equal(await storedText(copyId), 'PK\x03\x04 one PK\x05\x06')
  t.equal(await storedText(saved[1]!.conflictFileId!), content, 'nothing is lost')
})
