import t from 'tap'
import { memoryStorage, type SavedEvent, type SaveFailedEvent } from '../../lib/index.js'
import { profiles, startEditing } from '../helpers/editing.js'
import { memoryLog } from '../helpers/log.js'

const LASTSAVE = '2026-11-20T16:12:26.000Z'

for (const profile of profiles) {
  t.test(`onSaveFailed: called once for each refused save, with the reason (${profile})`, async t => {
    const failed: SaveFailedEvent[] = []
    const { key, post, fileId, documentServer: { origin } } = await startEditing(t, {
      profile,
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

  t.test(`onSaveFailed: a hook that fails or never settles does not change the answer (${profile})`, async t => {
    for (const onSaveFailed of [() => { throw new Error('the listener failed') }, () => new Promise<never>(() => {})]) {
      const { key, post } = await startEditing(t, { profile, onSaveFailed, timeouts: { hooks: 50 } })
      t.equal(await post({ key, status: 2, url: 'http://127.0.0.1:1/refused' }), 1)
    }
  })

  t.test(`onSaveFailed: a system error keeps its code (${profile})`, async t => {
    const failed: SaveFailedEvent[] = []
    const memory = memoryStorage()
    const { key, post, url } = await startEditing(t, {
      profile,
      memory: true,
      onSaveFailed: event => { failed.push(event) },
      storage: { ...memory, replace: async () => { throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }) } }
    })
    t.equal(await post({ key, status: 2, url }), 1)
    t.match(failed, [{ status: 2, code: 'ENOSPC', error: { message: 'no space left on device' } }])
  })
}

t.test('a save from a foreign origin: the error and the log say which option to change', async t => {
  for (const [url, remedy] of [
    ['http://docs.example.com/cache/1', 'http://docs.example.com is not an origin of the document server (https://docs.example.com): add it to documentServer.origins, or set X-Forwarded-Proto at its proxy'],
    ['https://10.0.0.7:8443/cache/1', 'https://10.0.0.7:8443 is not an origin of the document server (https://docs.example.com): add it to documentServer.origins, or set X-Forwarded-Host at its proxy']
  ] as const) {
    const failed: SaveFailedEvent[] = []
    const log = memoryLog()
    const { key, post } = await startEditing(t, { documentServerOrigin: 'https://docs.example.com', server: log.server, onSaveFailed: event => { failed.push(event) } })
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

t.test('onSaved: an event that was not delivered because the process died is delivered with the repeat of the save, or with the next save, under the same id', async t => {
  for (const next of ['repeat', 'another'] as const) {
    await t.test(next, async t => {
      const storage = memoryStorage()
      const dying = { ...storage, state: { ...storage.state, owner: 'the first', hasEnded: () => false } }
      const told: SavedEvent[] = []
      const first = await startEditing(t, {
        memory: true,
        storage: dying,
        publicBaseUrl: 'https://app.example.com',
        timeouts: { hooks: 50 },
        async onSaved (event) {
          told.push(event)
          dying.state.set = async () => { throw new Error('this process has ended') }
        }
      })
      const { key, post, url, fileId, documentServer } = first
      t.equal(await post({ key, status: 1 }), 0)
      t.equal(await post({ key, status: 6, url, lastsave: LASTSAVE, users: ['u1'] }), 0)
      t.equal(told.length, 1, 'but its delivery could not be noted')

      const again: SavedEvent[] = []
      const second = await startEditing(t, {
        memory: true,
        storage: { ...storage, state: { ...storage.state, owner: 'the second', hasEnded: owner => owner === 'the first' } },
        publicBaseUrl: 'https://app.example.com',
        documentServerOrigin: documentServer.origin,
        onSaved: event => { again.push(event) }
      })
      const path = next === 'repeat' ? url : `${documentServer.origin}/another`
      t.equal(await second.post({ key, status: 6, url: path, lastsave: LASTSAVE, users: ['u1'] }, fileId), 0)
      t.strictSame(again[0], told[0])
      t.equal(again.length, next === 'repeat' ? 1 : 2)
      t.equal(await second.post({ key, status: 6, url: path, lastsave: LASTSAVE, users: ['u1'] }, fileId), 0)
      t.equal(again.length, next === 'repeat' ? 1 : 2, 'not once more')
    })
  }
})

t.test('a force save that is older by the document server\'s clock is not stored, and this is logged', async t => {
  const log = memoryLog()
  const { key, post, documentServer: { origin, requests }, storedText, fileId } = await startEditing(t, { server: log.server, serve: (request, response) => response.end(request.url) })
  t.equal(await post({ key, status: 6, url: `${origin}/1`, lastsave: LASTSAVE }), 0)
  t.equal(await post({ key, status: 6, url: `${origin}/2`, lastsave: '2026-11-20T16:11:26.000Z' }), 0)
  t.strictSame(requests, ['/1'])
  t.match(log.records().filter(({ level }) => level === 40), [{ fileId, lastsave: '2026-11-20T16:11:26.000Z', msg: /clock/ }])
  t.equal(await post({ key, status: 2, url: `${origin}/3`, lastsave: '2026-11-20T16:11:36.000Z' }), 0)
  t.equal(await storedText(fileId), '/3', 'the finished save is stored')
})
