import t from 'tap'
import type { CallbackEvent, ForceSaveResult, SavedEvent } from '../../lib/index.js'
import { commandsAnswered, type Pair, startPair, watched } from '../kit/sessions.js'

/** A force save whose document takes a second to be assembled. */
async function startSlow (t: Parameters<typeof startPair>[0]) {
  const pair = await startPair(t)
  const session = await pair.open()
  await session.edit('edited')
  pair.documentServer.fault('assembly', { type: 'slow', ms: 1000 })
  return { pair, session, control: await pair.control() }
}

t.test('a force save that takes longer than its timeout rejects', async t => {
  const { pair, control } = await startSlow(t)
  await t.rejects(control.forceSave({ timeout: 200 }), { code: 'FST_EDITOR_FORCE_SAVE_TIMEOUT', retryable: true })
  await pair.clock.advance(1000)
})

t.test('an aborted force save rejects with the reason of the signal, before and during the wait, and others know that it is under way', async t => {
  const { pair, control } = await startSlow(t)
  const reason = new Error('the user has left')
  await t.rejects(control.forceSave({ signal: AbortSignal.abort(reason) }), reason)
  t.strictSame(pair.documentServer.receivedRequests.filter(({ url }) => /Command/.test(url)), [], 'nothing was sent')
  const controller = new AbortController()
  const aborted = watched(control.forceSave({ signal: controller.signal }))
  await commandsAnswered(pair.documentServer)
  const other = watched((await pair.control('b')).forceSave())
  await commandsAnswered(pair.documentServer, 2)
  controller.abort(reason)
  await t.rejects(aborted.promise, reason)
  await pair.clock.advance(1000)
  t.match(await pair.afterQuiet(other.promise), { saved: true })
  t.equal(await pair.stored(), 'edited')
})

t.test('a force save of a document that is deleted meanwhile rejects', async t => {
  const { pair, control } = await startSlow(t)
  const saving = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  await pair.a.storage.remove(pair.fileId)
  await t.rejects(saving.promise, { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /deleted/, retryable: true })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FILE_NOT_FOUND' })
  await pair.clock.advance(1000)
})

t.test('a command without an answer ends with the timeout', async t => {
  const { pair, control } = await startSlow(t)
  pair.documentServer.fault('command', { type: 'stall' })
  await t.rejects(control.forceSave({ timeout: 200 }), { code: 'FST_EDITOR_FORCE_SAVE_TIMEOUT' })
})

t.test('closing the app ends the wait, and does not wait for it', async t => {
  const { pair, control } = await startSlow(t)
  const saving = watched(control.forceSave())
  await commandsAnswered(pair.documentServer)
  await pair.a.app.close()
  await t.rejects(saving.promise, { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /closing/, retryable: true })
  await t.rejects(control.forceSave(), { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /closing/ })
  await pair.clock.advance(1000)
})

for (const hook of ['onCallback', 'onSaved', 'onSaveFailed'] as const) {
  t.test(`in ${hook} of the same document it rejects at once, and works after the hook has returned`, async t => {
    const inHook: Array<Promise<ForceSaveResult>> = []
    const afterwards: Array<() => Promise<ForceSaveResult>> = []
    const started: { pair?: Pair } = {}
    const call = async (event: CallbackEvent | SavedEvent) => {
      if (started.pair === undefined || event.status !== 6) return
      const control = await started.pair.control()
      const saving = control.forceSave()
      inHook.push(saving)
      await saving.catch(() => {})
      // What is left for later keeps the context of the hook.
      await new Promise<void>(resolve => setImmediate(() => {
        afterwards.push(async () => await control.forceSave())
        resolve()
      }))
    }
    const pair = await startPair(t, { [hook]: call })
    started.pair = pair
    const session = await pair.open()
    await session.edit('edited')
    if (hook === 'onSaveFailed') pair.documentServer.fault('file', { type: 'answer', status: 404 })
    await session.forceSave()
    t.equal(inHook.length, 1)
    await t.rejects(inHook[0]!, { code: 'FST_EDITOR_FORCE_SAVE_FAILED', message: /hook/ })
    await session.edit('edited again')
    t.match(await afterwards[0]!(), { saved: true })
  })
}

t.test('a hook may force-save another document', async t => {
  const results: ForceSaveResult[] = []
  let other = ''
  const pair: Pair = await startPair(t, {
    async onSaved ({ fileId }) {
      if (fileId === pair.fileId) results.push(await (await pair.a.app.editorControl().openDocument(other)).forceSave())
    }
  })
  const another = pair.a.app.editorControl({ user: { id: 'bob', name: 'Bob' } })
  other = (await another.uploadDocument(Buffer.from('uploaded'), 'Other.txt')).fileId
  const bob = await pair.documentServer.open(another.config!)
  await bob.edit('by Bob')
  const ada = await pair.open()
  await ada.edit('by Ada')
  await ada.forceSave()
  t.match(results, [{ saved: true }])
  t.equal(await pair.a.storedText(other), 'by Bob')
})
