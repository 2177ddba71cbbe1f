import t from 'tap'
import { memoryState } from '../../lib/storage/memory-storage.js'

t.test('the memory state keeps the most recently used records, up to the limit', async t => {
  const state = memoryState({ maxRecords: 3 })
  for (const fileId of ['a', 'b', 'c']) await state.set(fileId, `value of ${fileId}`, null)
  await state.get('a')
  await state.set('d', 'value of d', null)
  t.equal(await state.get('b'), null, 'the least recently used record is gone')
  for (const fileId of ['a', 'c', 'd']) t.equal((await state.get(fileId))?.value, `value of ${fileId}`)

  const version = (await state.get('a'))!.version
  await state.set('a', 'newer', version)
  for (let number = 0; number < 100; number++) {
    await state.set(`file-${number}`, number, null)
    t.equal((await state.get('a'))?.value, 'newer', 'one in use stays')
  }
  t.equal(await state.get('file-97'), null)
  t.ok(await state.get('file-98'))
})

t.test('a dropped record can be created again, and its old version never matches', async t => {
  const state = memoryState({ maxRecords: 1 })
  const version = await state.set('a', 'first', null)
  await state.set('b', 'other', null)
  t.equal(await state.set('a', 'stale', version), null)
  const again = await state.set('a', 'second', null)
  t.not(again, null)
  t.not(again, version)
})

t.test('without a limit all records are kept', async t => {
  const state = memoryState()
  for (let number = 0; number < 2000; number++) await state.set(`file-${number}`, number, null)
  t.equal((await state.get('file-0'))?.value, 0)
})
