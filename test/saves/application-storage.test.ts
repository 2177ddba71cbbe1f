import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { directoryOf, startEditing } from '../kit/editing.js'

t.test('replace and remove of the application do what those of the storage do', async t => {
  const directory = directoryOf(t)
  const { app, fileId, storage, storedText, key, post, url } = await startEditing(t, { storage: fileStorage({ directory }) })
  const { revision } = (await storage.stat(fileId))!
  t.match(await app.editorStorage.replace(fileId, Buffer.from('one'), { ifRevision: revision }), { fileId, size: 3 })
  t.equal(await app.editorStorage.replace(fileId, Buffer.from('two'), { ifRevision: revision }), null)
  t.equal(await app.editorStorage.replace('absent', Buffer.from('two')), null)
  t.equal(await app.editorStorage.replace('../x', Buffer.from('two')), null)
  t.match(await app.editorStorage.replace(fileId, (async function * () { yield Buffer.from('three') })(), { fileType: 'md' }), { fileType: 'md' })
  t.equal(await storedText(fileId), 'three')
  t.match(await app.editorStorage.replace(fileId, Buffer.from('four')), { size: 4 })
  const failure = new Error('the source failed')
  await t.rejects(app.editorStorage.replace(fileId, (async function * () { throw failure })()), failure)
  t.equal(await storedText(fileId), 'four')

  t.equal(await post({ key, status: 2, url }), 0)
  t.equal(await storedText(fileId), 'four', 'the save of the session is a conflict copy')
  t.equal(await app.editorStorage.remove(fileId), true)
  t.equal(await app.editorStorage.remove(fileId), false)
  t.equal(await app.editorStorage.remove('../x'), false)
})
