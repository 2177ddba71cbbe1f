import { EventEmitter, once } from 'node:events'
import t from 'tap'
import type { SavedEvent } from '../../lib/index.js'
import { forceSaveAnswers, startPair } from '../kit/sessions.js'

t.test('with saveEvery, what is typed is stored while a document stays open, once for all instances; an idle document is left alone', async t => {
  const saves: SavedEvent[] = []
  const told = new EventEmitter()
  const pair = await startPair(t, {
    inRealTime: true,
    saveEvery: 1000,
    onSaved (event) {
      saves.push(event)
      told.emit('saved')
    }
  })
  const { app } = pair.a
  const { fileId: idleId } = await app.editorControl().uploadDocument(Buffer.from('idle'), 'Idle.txt')
  await pair.documentServer.open((await app.editorControl().openDocument(idleId)).config!)
  const session = await pair.open()
  await pair.control('b') // so that both instances know that it is edited
  for (const text of ['first', 'second']) {
    const saved = once(told, 'saved')
    await session.edit(text)
    await saved
    t.equal(await pair.stored(), text)
  }
  const nothingNew = () => forceSaveAnswers(pair.documentServer).filter(answer => answer === 4).length
  const before = nothingNew()
  while (nothingNew() < before + 3) await new Promise(resolve => setImmediate(resolve))
  t.strictSame(saves.map(({ fileId, status }) => [fileId, status]), [[pair.fileId, 6], [pair.fileId, 6]])
})
