import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { start } from './start.js'

/** @type {Awaited<ReturnType<typeof start>>} */
let running
before(async () => { running = await start() })
after(async () => { await running.stop() })

test('what Ada writes is stored when she closes the editor', async () => {
  const { upload, open, read } = running
  const fileId = await upload('notes.txt', 'first draft')

  const session = await open(fileId, 'Ada')
  assert.equal(String(await session.content()), 'first draft')
  await session.edit('second draft')
  assert.equal((await read(fileId)).text, 'first draft', 'nothing is stored while she writes')
  const result = await session.close()

  assert.equal(result.accepted, true)
  assert.deepEqual(await read(fileId), { text: 'second draft', savedBy: 'ada' })
})

test('the next editor opens what was stored, under a new key', async () => {
  const { upload, open } = running
  const fileId = await upload('notes.txt', 'first draft')
  const first = await open(fileId, 'Ada')
  await first.edit('second draft')
  await first.close()

  const second = await open(fileId, 'Bob')
  assert.notEqual(second.key, first.key)
  assert.equal(second.viewOnly, false)
  assert.equal(String(await second.content()), 'second draft')
})
