import { memoryStorage } from 'fastify-onlyoffice'
import t from 'tap'
import { start } from './start.js'

t.test('a temporarily full disk loses nothing', async t => {
  const storage = memoryStorage()
  const { stage } = storage
  let isFull = true
  storage.stage = async (fileId, content) => { // a save is written there before anybody sees it
    if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    return await stage(fileId, content)
  }
  const { documentServer, upload, open, read, stop } = await start({ storage })
  t.teardown(stop)
  const fileId = await upload('notes.txt', 'first draft')

  const session = await open(fileId, 'Ada')
  await session.edit('second draft')
  t.equal((await session.close()).accepted, false)
  t.equal((await read(fileId)).text, 'first draft', 'the stored document is whole')
  t.equal(documentServer.forgotten.size, 1, 'the document server keeps what it could not hand over')

  isFull = false
  const again = await open(fileId, 'Ada')
  t.equal(again.key, session.key, 'the key is the same, else the document server would not find it')
  t.equal(String(await again.content()), 'second draft')
  t.equal((await again.close()).accepted, true)
  t.equal((await read(fileId)).text, 'second draft')
  t.equal(documentServer.forgotten.size, 0)
})

t.test('a saved file cut in half is not stored', async t => {
  const { documentServer, upload, open, read, stop } = await start()
  t.teardown(stop)
  const fileId = await upload('notes.txt', 'first draft')
  const session = await open(fileId, 'Ada')
  await session.edit('second draft')

  documentServer.fault('file', { type: 'reset', afterBytes: 6 }, { times: Infinity })
  t.equal((await session.close()).accepted, false)
  t.equal((await read(fileId)).text, 'first draft')
})
