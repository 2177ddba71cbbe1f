import t from 'tap'
import { type SavedEvent, type SaveFailedEvent } from '../../lib/index.js'
import { startEditing, startInstance } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'

const LASTSAVE = '2026-11-20T16:12:26.000Z'

t.test('onSaveFailed: called once for each refused save, with the reason', async t => {
  const failed: SaveFailedEvent[] = []
  const { key, post, fileId, documentServer: { origin } } = await startEditing(t, {
    onSaveFailed: event => { failed.push(event) },
    serve: (_request, response) => response.writeHead(404).end()
  })
  const save = { key, status: 6, url: `${origin}/1`, users: ['u1'], lastsave: LASTSAVE }
  t.equal(await post(save), 1)
  t.strictSame(failed, [{ fileId, key, status: 6, users: ['u1'], code: 'FST_EDITOR_UPSTREAM', error: failed[0]!.error }])
  t.match(failed[0]!.error, { message: /status 404/ })
  t.equal(await post({ ...save, url: `${origin}/1?md5=again` }), 1)
  t.equal(failed.length, 1, 'a repeat')
  t.equal(await post({ ...save, status: 2, url: `${origin}/2` }), 1)
  t.match(failed[1], { status: 2, code: 'FST_EDITOR_UPSTREAM' })
  t.equal(failed.length, 2)
})

t.test('onSaveFailed: a hook that fails or never settles does not change the answer', async t => {
  for (const onSaveFailed of [() => { throw new Error('the listener failed') }, () => new Promise<never>(() => {})]) {
    const { key, post } = await startEditing(t, { onSaveFailed, timeouts: { hooks: 100 } })
    t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
  }
})

t.test('a save from a foreign origin: the error and the log say which option to change', async t => {
  const remedy = 'the url in the callback is neither a result file of the document server nor a signed URL at one of documentServer.origins'
  for (const url of ['http://docs.example.com/cache/1', 'https://10.0.0.7:8443/bucket/1?X-Amz-Signature=1']) {
    const failed: SaveFailedEvent[] = []
    const log = memoryLog()
    const { key, post } = await startEditing(t, {
      documentServerOrigin: 'https://docs.example.com',
      server: log.server,
      onSaveFailed: event => {
        failed.push(event)
      }
    })
    t.equal(await post({ key, status: 2, url }), 1)
    t.match(failed, [{ code: 'FST_EDITOR_ADDRESS_BLOCKED' }])
    t.ok(failed[0]!.error.message.includes(remedy), failed[0]!.error.message)
    t.ok(log.records().some(({ err }) => err?.message.includes(remedy)))
  }
})

t.test('onSaved: a repeat of a save has the same id, another save has another id', async t => {
  const saved: SavedEvent[] = []
  const { key, post, url, openedKey } = await startEditing(t, { onSaved: event => { saved.push(event) } })
  t.equal(await post({ key, status: 6, url, lastsave: LASTSAVE }), 0)
  t.equal(await post({ key, status: 2, url, lastsave: LASTSAVE }), 0)
  t.equal(await post({ key: await openedKey(), status: 2, url, lastsave: LASTSAVE }), 0)
  t.equal(new Set(saved.map(({ id }) => id)).size, 3)
})

for (const where of ['the document', 'a conflict copy'] as const) {
  t.test(`onSaved: the instance that stored a save in ${where} may have died before the hook, so another one that the save is repeated to calls it, under the same id`, async t => {
    const [told, again]: [SavedEvent[], SavedEvent[]] = [[], []]
    const editing = await startEditing(t, { policies: { conflict: 'keep-both' }, onSaved: event => { told.push(event) } })
    const { key, post, url, fileId, others } = editing
    const save = { key, status: 2, url, lastsave: LASTSAVE, users: ['u1'] }
    t.equal(await post({ key, status: 1 }), 0)
    if (where === 'a conflict copy') await others.write(fileId, 'txt', 'changed from outside')
    t.equal(await post(save), 0)
    t.match(told, [{ fileId, status: 2, users: ['u1'], conflict: where === 'a conflict copy' ? { reason: 'changed' } : undefined }])
    const other = await startInstance(t, editing, { policies: { conflict: 'keep-both' }, onSaved: event => { again.push(event) } })
    t.equal(await other.post(save), 0)
    t.strictSame(again, told)
    t.equal(await other.post(save), 0)
    t.equal(await post(save), 0)
    t.equal(told.length + again.length, 2, 'each calls it once')
  })
}
