// A conflict copy whose record a newer version of the library has written: saves of the file go on without it.
import t from 'tap'
import { type SavedEvent } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'
import { packageOf } from '../kit/packages.js'
import { isOnS3 } from '../kit/storage.js'

t.test('a save is stored as another conflict copy if the record of the first one is unknown, which stays as it is', { skip: isOnS3 && 'This storage keeps that record inside another' }, async t => {
  const saved: SavedEvent[] = []
  const contents = [packageOf('first'), packageOf('second')]
  const { key, post, url, fileId, storage, storedText } = await startEditing(t, {
    serve: (_request, response) => response.end(contents[saved.length]),
    policies: { conflict: 'keep-both' },
    onSaved: event => { saved.push(event) }
  })
  t.equal(await post({ key, status: 1, users: ['ada'] }), 0)
  await storage.replace(fileId, Buffer.from('from outside'))
  t.equal(await post({ key, status: 6, url, lastsave: '2026-01-01T10:00:00.000Z' }), 0)
  const copyId = saved[0]!.conflictFileId!
  const { state } = storage
  t.ok(await state!.set(copyId, { format: 2 }, null))
  const before = await storage.stat(copyId)
  t.equal(await post({ key, status: 2, url: `${url}&2`, lastsave: '2026-01-01T10:01:00.000Z' }), 0)
  t.equal(await storedText(fileId), 'from outside')
  t.match(saved, [{ conflict: true }, { conflict: true }])
  const other = saved[1]!.conflictFileId!
  t.not(other, copyId)
  t.equal(await storedText(other), contents[1])
  t.strictSame(await storage.stat(copyId), before)
})
