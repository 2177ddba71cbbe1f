import t from 'tap'
import { startPair } from '../kit/sessions.js'

t.test('the save may reach the other instance', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  const { stored } = await (await pair.control('a')).forceSave()
  t.equal(await pair.stored(), 'edited')
  t.equal(stored!.revision, (await pair.a.storage.stat(pair.fileId))!.revision)
  t.strictSame(await pair.notes(), [])
})

t.test('so may the report that it could not be assembled', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'fail' })
  await t.rejects((await pair.control('a')).forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /could not assemble/ })
})

t.test('the other instance stores a conflict copy, and its id arrives', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  const control = await pair.control('a')
  await pair.a.storage.replace(pair.fileId, Buffer.from('from outside'))
  const { stored } = await control.forceSave()
  t.equal(await pair.a.storedText(stored!.fileId), 'edited')
})
