import t from 'tap'
import { deferred } from '../kit/time.js'
import { errorOf, NEW, startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'
import { send } from '../kit/http.js'

t.test('authorize returning true accepts the unsigned fields only if the callback has no token', async t => {
  const editing = await startEditing(t, { authorize: () => true })
  const { body } = await editing.postCallback(editing.fileId, { status: 2, url: editing.url, token: signed({ key: editing.key, status: 1 }) })
  t.equal(errorOf(body), 0)
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'the claims say status 1')
})

t.test('authorize returning true does not let a browser page act as the document server', async t => {
  const editing = await startEditing(t, { authorize: () => true })
  const save = { key: editing.key, status: 2, url: editing.url }
  for (const header of ['origin', 'sec-fetch-site']) {
    const headers = { 'content-type': 'text/plain', [header]: header === 'origin' ? editing.origin : 'same-origin' }
    const address = editing.handler({ action: 'callback', fileId: editing.fileId })
    const post = { method: 'POST', headers, body: JSON.stringify(save) }
    t.equal((await send(address, post)).body, '{"error":1}', header)
    t.equal((await send(editing.urls.callback(editing.fileId), post)).body, '{"error":1}', `${header}, at the signed URL`)
  }
  await editing.unchanged(t, 'from a browser')
  t.equal(errorOf((await editing.postCallback(editing.fileId, save)).body), 0)
})

t.test('a save does not wait for an authorize decision about an unauthenticated callback', async t => {
  const asked = deferred()
  const decided = deferred()
  const editing = await startEditing(t, {
    async authorize ({ headers }) {
      if (!headers['x-stranger']) return undefined
      asked.resolve()
      await decided.promise
      return false
    }
  })
  const stranger = editing.postCallback(editing.fileId, { key: editing.key, status: 2, url: editing.url }, {
    'content-type': 'application/json',
    'x-stranger': '1'
  })
  await asked.promise
  t.equal(await editing.post({ status: 2, url: editing.url }), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
  decided.resolve()
  t.equal(errorOf((await stranger).body), 1)
})
