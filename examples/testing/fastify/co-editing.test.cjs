'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')

test('who joins after a force save lands in the same session, and one save has it all', async t => {
  const { start } = await import('./start.js')
  const { documentServer, upload, open, read, stop } = await start()
  t.after(stop)
  const fileId = await upload('notes.txt', 'first draft')

  const ada = await open(fileId, 'Ada')
  await ada.edit('by Ada')
  await ada.forceSave()
  assert.equal((await read(fileId)).text, 'by Ada')

  const bob = await open(fileId, 'Bob')
  assert.equal(bob.key, ada.key)
  assert.equal(String(await bob.content()), 'by Ada')
  await bob.edit('by Ada and Bob')
  await ada.close()
  assert.equal((await read(fileId)).text, 'by Ada', 'nothing is saved while Bob is there')

  await bob.close()
  assert.deepEqual(await read(fileId), { text: 'by Ada and Bob', savedBy: 'ada bob' })
  assert.equal(documentServer.sentRequests.filter(({ body }) => body?.status === 2).length, 1)
})

test('a lost connection is saved five seconds later, unless the editor comes back', async t => {
  const { fakeClock } = await import('onlyoffice-emulator')
  const { start } = await import('./start.js')
  const clock = fakeClock()
  const { upload, open, read, stop } = await start({}, clock)
  t.after(stop)
  const fileId = await upload('notes.txt', 'first draft')
  const session = await open(fileId, 'Ada')
  await session.edit('second draft')

  await session.disconnect()
  await clock.advance(4000)
  await session.reconnect()
  await clock.advance(60_000)
  assert.equal((await read(fileId)).text, 'first draft', 'she is still writing')

  await session.disconnect()
  await clock.advance(5000)
  await session.saved()
  assert.equal((await read(fileId)).text, 'second draft')
})
