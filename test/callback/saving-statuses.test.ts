import t from 'tap'
import { NEW, OLD, profiles, startEditing } from '../helpers/editing.js'

for (const profile of profiles) {
  for (const memory of [false, true]) {
    for (const status of [2, 6]) {
      t.test(`row 1: specification, callback, rule 1: Events, status ${status}: stored, ${profile}, ${memory ? 'memory' : 'files'}`, async t => {
        const editing = await startEditing(t, { profile, memory })
        const before = await editing.listing()
        const fields = { key: editing.key, status, url: editing.url }
        const answer = profile === 'secure'
          ? await editing.postSignedCallback(editing.fileId, fields)
          : await editing.postCallback(editing.fileId, fields)

        t.equal(answer.status, 200)
        t.equal(answer.headers.get('content-type'), 'application/json')
        t.equal(answer.body, '{"error":0}')
        t.strictSame(editing.documentServer.requests, [new URL(editing.url).pathname + new URL(editing.url).search])
        t.equal(await editing.storedText(editing.fileId), NEW)
        t.strictSame(await editing.listing(), before, 'under the same name, nothing beside it')
      })
    }
  }

  for (const [status, why] of Object.entries({
    0: 'Events, status 0',
    1: 'Events, status 1',
    3: 'row 3: Events, status 3',
    4: 'Events, status 4',
    5: 'mail merge',
    7: 'Events, status 7',
    '-1': 'unknown',
    99: 'unknown'
  })) {
    t.test(`row 2: specification, callback, rule 2: Limits: status ${status} (${why}) stores nothing, ${profile}`, async t => {
      const told: number[] = []
      const editing = await startEditing(t, { profile, onCallback: event => { told.push(event.status) } })
      const refused = profile === 'secure' && status === '3'
      t.equal(await editing.post({ key: editing.key, status: Number(status), url: editing.url }), refused ? 1 : 0)
      t.strictSame(told, [Number(status)], 'the event is told')
      t.strictSame(editing.documentServer.requests, [], 'no outbound request')
      await editing.unchanged(t, `status ${status}`)
    })
  }

  t.test(`row 3: status 3 as the document server sends it, without a url, ${profile}`, async t => {
    const told: unknown[] = []
    const editing = await startEditing(t, { profile, onCallback: event => { told.push(event) } })
    const error = await editing.post({ key: editing.key, status: 3, users: ['u1'], notmodified: false })
    t.equal(error, profile === 'secure' ? 1 : 0)
    t.strictSame(told, [{ fileId: editing.fileId, key: editing.key, status: 3, users: ['u1'], notmodified: false }])
    await editing.unchanged(t, 'status 3')
  })

  t.test(`row 3: onCorrupted overrides the profile, ${profile}`, async t => {
    const editing = await startEditing(t, { profile, onCorrupted: profile === 'secure' ? 'discard' : 'keep' })
    t.equal(await editing.post({ key: editing.key, status: 3 }), profile === 'secure' ? 0 : 1)
  })

  for (const [name, fields] of Object.entries({
    missing: {},
    empty: { url: '' },
    blank: { url: ' \t\n ' },
    null: { url: null }
  })) {
    t.test(`row 4: specification, callback, rule 2: the url of a save is ${name}, ${profile}`, async t => {
      const editing = await startEditing(t, { profile })
      for (const status of [2, 6]) t.equal(await editing.post({ key: editing.key, status, ...fields }), 0)
      t.strictSame(editing.documentServer.requests, [])
      await editing.unchanged(t, name)
    })
  }
}

t.test('specification, callback, rule 4: Authentication 4: classic takes a callback without any credential', async t => {
  const editing = await startEditing(t, { profile: 'classic' })
  t.equal(await editing.storedText(editing.fileId), OLD)
  const { body } = await editing.postCallback(editing.fileId, { status: 2, url: editing.url }, {})
  t.equal(body, '{"error":0}')
  t.equal(await editing.storedText(editing.fileId), NEW)
})
