import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'
import type { AuthorizeTarget, EditorOptions } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { errorOf, NEW, OLD, profiles, startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'

type Authorize = NonNullable<EditorOptions['authorize']>

const decisions: Record<string, Authorize> = {
  true: () => true,
  'true, later': async () => true,
  undefined: () => undefined,
  false: () => false,
  'false, later': async () => false,
  'a throw': () => { throw new Error('no directory of users') },
  'a rejection': async () => { throw new Error('no directory of users') },
  'no end': () => new Promise<never>(() => {}),
  'something true': () => 'yes' as unknown as boolean,
  'something false': () => 0 as unknown as boolean,
  null: () => null as unknown as boolean
}

/** Whether a callback is taken: with a token, without one, with a worthless one. */
const outcomes = {
  secure: {
    allows: [true, true, false],
    leaves: [true, false, false],
    denies: [false, false, false]
  },
  classic: {
    allows: [true, true, true],
    leaves: [true, true, true],
    denies: [false, false, false]
  }
}

function effectOf (decision: string): 'allows' | 'leaves' | 'denies' {
  if (decision.startsWith('true')) return 'allows'
  return decision === 'undefined' ? 'leaves' : 'denies'
}

for (const profile of profiles) {
  for (const [decision, authorize] of Object.entries(decisions)) {
    t.test(`authorize for a callback: ${decision} ${effectOf(decision)} (${profile})`, async t => {
      const editing = await startEditing(t, { profile, authorize, timeouts: { hooks: 100 } })
      const taken: boolean[] = []
      for (const [index, credential] of ['good', 'none', 'worthless'].entries()) {
        const save = { key: editing.keyOf(editing.fileId), status: 6, lastsave: `2026-11-20T15:12:0${index}.000Z`, url: `${editing.url}&attempt=${credential}` }
        const token = { good: { token: signed(save) }, none: {}, worthless: { token: 'worthless' } }[credential]
        const { status, body } = await editing.postCallback(editing.fileId, { ...save, ...token })
        t.equal(status, 200)
        const requested = editing.documentServer.requests.some(path => path.endsWith(`attempt=${credential}`))
        t.equal(requested, errorOf(body) === 0, 'a refused URL causes no request')
        taken.push(errorOf(body) === 0)
      }
      const expected = outcomes[profile][effectOf(decision)]
      t.strictSame(taken, expected)
      t.equal(await editing.storedText(editing.fileId), expected.includes(true) ? NEW : OLD)
    })
  }

  t.test(`authorize for a callback is called once, with the request and the file (${profile})`, async t => {
    const asked: Array<[string | undefined, AuthorizeTarget]> = []
    const editing = await startEditing(t, {
      profile,
      authorize (request, target) {
        asked.push([request.headers['x-user'] as string | undefined, target])
        return true
      }
    })
    t.equal(errorOf((await editing.postCallback(editing.fileId, { status: 1 }, { 'content-type': 'application/json', 'x-user': 'ada' })).body), 0)
    t.strictSame(asked, [['ada', { action: 'callback', fileId: editing.fileId }]])
  })

  t.test(`a callback that authorize denies is not reported to hooks (${profile})`, async t => {
    const told: unknown[] = []
    const editing = await startEditing(t, {
      profile,
      authorize: () => false,
      onCallback: event => {
        told.push(event)
      },
      onSaved: event => {
        told.push(event)
      }
    })
    t.equal(await editing.post({ status: 2, url: editing.url }), 1)
    t.strictSame(told, [])
  })
}

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
    const address = new URL(editing.handler({ action: 'callback', fileId: editing.fileId }))
    t.equal(await answerTo(address, headers, save), '{"error":1}', header)
    t.equal(await answerTo(new URL(editing.urls.callback(editing.fileId)), headers, save), '{"error":1}', `${header}, at the signed URL`)
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

/** `fetch` lets nobody set these headers. */
async function answerTo (url: URL, headers: Record<string, string>, body: object): Promise<string> {
  const request = http.request(url, { method: 'POST', headers }).end(JSON.stringify(body))
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  return (await response.toArray()).join('')
}
