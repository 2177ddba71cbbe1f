import t from 'tap'
import { commandsAnswered, DISK_FULL, startPair, watched } from '../kit/sessions.js'

t.test('the save may reach the other instance', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  const { revision } = await (await pair.control('a')).forceSave() as { readonly revision: string }
  t.equal(await pair.stored(), 'edited')
  t.equal(revision, (await pair.a.storage.stat(pair.fileId))!.revision)
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

t.test('the other instance refuses the save, and then its repeat; the next repeat it stores', async t => {
  let isFull = true
  const pair = await startPair(t, {
    storing: (storage, side) => ({
      ...storage,
      stage: async (...given) => {
        if (isFull && side === 'b') throw DISK_FULL
        return await storage.stage!(...given)
      }
    })
  })
  pair.target = 'b'
  const session = await pair.open()
  const control = await pair.control('a')
  await session.edit('edited')
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /ENOSPC/, retryable: false })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /ENOSPC/ })
  isFull = false
  t.match(await control.forceSave(), { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.equal(await pair.stored(), 'edited')
  t.strictSame(await pair.notes(), [])
})

t.test('a temporary refusal of the other instance is retryable', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('file', { type: 'answer', status: 503 })
  await t.rejects((await pair.control('a')).forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', retryable: true })
})

t.test('the other instance gets the final save of the last editor, who left before the document was assembled', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const saving = watched((await pair.control('a')).forceSave())
  await commandsAnswered(pair.documentServer)
  await session.close()
  t.match(await pair.afterQuiet(saving.promise), { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  t.equal(await pair.stored(), 'edited')
  await pair.clock.advance(1000)
})

t.test('the other instance stores a conflict copy, and its id arrives', async t => {
  const pair = await startPair(t)
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  const control = await pair.control('a')
  await pair.a.storage.replace(pair.fileId, Buffer.from('from outside'))
  const { conflictFileId } = await control.forceSave() as { readonly conflictFileId: string }
  t.equal(await pair.a.storedText(conflictFileId), 'edited')
})

t.test('the other instance dies when it has published the save, and before it notes that: whoever breaks its lock notes it', async t => {
  let isDying = true
  const pair = await startPair(t, {
    storing: ({ commit, snapshot, ...storage }, side) => ({ // they would be one write
      ...storage,
      state: {
        ...storage.state!,
        async set (fileId, value, version, options) {
          if (isDying && side === 'b' && options?.durable !== false) throw DISK_FULL
          return await storage.state!.set(fileId, value, version, options)
        }
      }
    })
  })
  pair.target = 'b'
  const session = await pair.open()
  await session.edit('edited')
  const saving = watched((await pair.control('a')).forceSave())
  await pair.documentServer.nextCallback(6)
  t.equal(await pair.stored(), 'edited')
  t.notOk(saving.isSettled)
  isDying = false
  await pair.control('b')
  t.strictSame(await saving.promise, { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
})

t.test('without state an instance waits for what reaches itself', async t => {
  const pair = await startPair(t, { storing: ({ state, commit, snapshot, ...storage }) => storage })
  const session = await pair.open()
  const control = await pair.control('a')
  await session.edit('edited')
  t.match(await control.forceSave(), { saved: true, revision: (await pair.a.storage.stat(pair.fileId))!.revision })
  await session.edit('edited again')
  pair.target = 'b'
  await t.rejects(control.forceSave({ timeout: 500 }), { code: 'FST_EDITOR_FORCE_SAVE_TIMEOUT' })
})

t.test('more force saves at a time than the record has room for wait for each other', async t => {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  const controls = await Promise.all(Array.from({ length: 12 }, async (_, index) => await pair.control(index % 2 === 0 ? 'a' : 'b')))
  // each with a grace of its own, so that no two share a command
  const results = controls.map(async (control, index) => await control.forceSave({ grace: 3000 + index }))
  while ((await pair.notes()).length < 8) await new Promise(resolve => setImmediate(resolve))
  await commandsAnswered(pair.documentServer, 8)
  await pair.clock.advance(1000)
  const saved = await Promise.all(results.map(pair.afterQuiet))
  t.ok(saved.filter(result => result.saved).length >= 8, 'those that were noted before the save are saved')
  t.ok(saved.every(result => result.saved || result.reason === 'no-changes'))
  t.strictSame(await pair.notes(), [])
})
