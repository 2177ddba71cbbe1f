import t from 'tap'
import { NEW, startEditing } from '../kit/editing.js'

for (const status of [2, 6]) {
  t.test(`status ${status}: the file is fetched and stored, answered with error 0`, async t => {
    const editing = await startEditing(t)
    const before = await editing.listing()
    const fields = { key: editing.key, status, url: editing.url }
    const answer = await editing.postSignedCallback(editing.fileId, fields)

    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type'), 'application/json')
    t.equal(answer.body, '{"error":0}')
    t.strictSame(editing.documentServer.requests, [new URL(editing.url).pathname + new URL(editing.url).search])
    t.equal(await editing.storedText(editing.fileId), NEW)
    t.strictSame(await editing.listing(), before, 'under the same name, nothing beside it')
  })
}

for (const [status, why] of Object.entries({
  0: 'no document with this key',
  1: 'an editor joined or left',
  3: 'the document could not be assembled',
  4: 'closed without changes',
  5: 'mail merge',
  7: 'a failed force save',
  '-1': 'unknown',
  99: 'unknown'
})) {
  t.test(`status ${status} (${why}) stores nothing`, async t => {
    const told: number[] = []
    const editing = await startEditing(t, { onCallback: event => { told.push(event.status) } })
    const refused = status === '3'
    t.equal(await editing.post({ key: editing.key, status: Number(status), url: editing.url }), refused ? 1 : 0)
    t.strictSame(told, [Number(status)], 'onCallback is called')
    t.strictSame(editing.documentServer.requests, [], 'no outbound request')
    await editing.unchanged(t, `status ${status}`)
  })
}

t.test('status 3 without a url, as the document server sends it, stores nothing and is answered with error 1', async t => {
  const told: unknown[] = []
  const editing = await startEditing(t, { onCallback: event => { told.push(event) } })
  const error = await editing.post({ key: editing.key, status: 3, users: ['u1'], notmodified: false })
  t.equal(error, 1)
  t.strictSame(told, [{ fileId: editing.fileId, key: editing.key, status: 3, users: ['u1'], notmodified: false }])
  await editing.unchanged(t, 'status 3')
})

t.test('policies.corrupted overrides the profile', async t => {
  const editing = await startEditing(t, { policies: { corrupted: 'discard' } })
  t.equal(await editing.post({ key: editing.key, status: 3 }), 0)
})

for (const [name, fields] of Object.entries({
  missing: {},
  empty: { url: '' },
  blank: { url: ' \t\n ' },
  null: { url: null }
})) {
  t.test(`a save whose url is ${name} stores nothing; a final one is refused`, async t => {
    const editing = await startEditing(t)
    for (const status of [2, 6]) t.equal(await editing.post({ key: editing.key, status, ...fields }), status === 2 ? 1 : 0)
    t.strictSame(editing.documentServer.requests, [])
    await editing.unchanged(t, name)
  })
}
