import { inflateRawSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type ActionOptions, type AuthorizeTarget, memoryStorage } from '../../lib/index.js'
import { ADA, type HostOptions, type PageHost, startPageHost } from '../kit/host.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Paged extends PageHost {
  now (): number
  later (milliseconds: number): void
  /** Status of an action that needs the token, and changes nothing. */
  statusWith (token: string): Promise<number>
  renewed (token: string): Promise<string>
}

async function start (t: Test, options: HostOptions & { readonly actions?: ActionOptions | undefined } = {}): Promise<Paged> {
  let now = Date.UTC(2026, 0, 1)
  const host = await startPageHost(t, { actions: { rename: () => {}, favorite: () => {}, users: () => [] }, clock: { now: () => now }, ...options })
  return {
    ...host,
    now: () => now,
    later: milliseconds => { now += milliseconds },
    statusWith: async token => (await host.ask('users', { c: 'mention' }, { token })).status,
    async renewed (token) {
      const { status, body, tokens } = await host.ask('renew', {}, { token })
      t.strictSame([status, body], [200, {}])
      return tokens.pageToken!
    }
  }
}

function claimsOf (token: string): Record<string, unknown> {
  return JSON.parse(inflateRawSync(Buffer.from(token.split('.')[0]!, 'base64url')).toString()) as Record<string, unknown>
}

t.test('the token of a page is valid for an hour, or as long as pageTokenLifetime says, never longer than downloadUrlLifetime', async t => {
  const table: Array<[options: HostOptions, lifetime: number, renewAfter: number]> = [
    [{}, HOUR, HOUR / 2],
    [{ pageTokenLifetime: 5 * MINUTE }, 5 * MINUTE, 2.5 * MINUTE],
    [{ pageTokenLifetime: 3 * HOUR, downloadUrlLifetime: 2 * HOUR }, 2 * HOUR, HOUR],
    [{ downloadUrlLifetime: MINUTE }, MINUTE, MINUTE / 2]
  ]
  for (const [options, lifetime, renewAfter] of table) {
    const { app, fileId, later, statusWith } = await start(t, { ...options })
    const control = await app.editorControl({ user: ADA }).openDocument(fileId)
    const { pageToken } = control
    t.match(control.render(), ` data-renew-after="${renewAfter}"`)
    later(lifetime)
    t.equal(await statusWith(pageToken), 200)
    later(1)
    t.equal(await statusWith(pageToken), 401)
  }
})

t.test('a page in use does not expire: every action answers fresh tokens, and one that is left alone expires', async t => {
  const SECOND = 1000
  for (const options of [{ pageTokenLifetime: 20 * SECOND }, { downloadUrlLifetime: 20 * SECOND }]) {
    const host = await start(t, {
      ...options,
      actions: { rename: () => {}, favorite: () => {}, users: () => [], notify: () => {}, sharing: () => [] },
      versions: {},
      storage: memoryStorage()
    })
    const bodies = {
      users: { c: 'mention' },
      sharing: {},
      rename: { name: 'New' },
      favorite: { favorite: true },
      config: { purpose: 'refresh' },
      renew: {},
      notify: { emails: ['grace@example.com'], message: 'hello' },
      history: {},
      historyData: { version: 1 }
    }
    let token = await host.tokenOf()
    let proxyToken = ''
    for (const [action, body] of Object.entries(bodies)) {
      host.later(8 * SECOND)
      const answer = await host.ask(action, body, { token })
      t.equal(answer.status, 200, action)
      t.not(answer.tokens.pageToken, token)
      ;({ pageToken: token, proxyToken } = answer.tokens as Required<typeof answer.tokens>)
      t.match(claimsOf(token), { fileId: host.fileId, page: String, expires: (host.now() + 20 * SECOND) / SECOND })
      const report = { method: 'POST', headers: { 'x-editor-proxy-token': proxyToken } }
      t.equal((await fetch(host.handler({ action: 'report', fileId: host.fileId, code: '0' }), report)).status, 204, `the proxy token of ${action}`)
    }
    t.match(claimsOf(token), { title: 'New.docx' }, 'what rename has said stays')
    host.later(20 * SECOND + 1)
    t.equal(await host.statusWith(token), 401, JSON.stringify(options))
  }
})

t.test('no token is fresh that authorize has not seen: what it denies is answered without one, what it grants may have expired', async t => {
  const targets: AuthorizeTarget[] = []
  let decision: boolean | 'grant' | undefined
  const host = await start(t, { authorize: target => { targets.push(target); return decision } })
  const token = await host.tokenOf()
  const renewed = await host.renewed(token)
  t.match(targets, [{ action: 'renew', fileId: host.fileId, user: ADA }])
  decision = false
  for (const [action, body] of [['renew', {}], ['users', { c: 'mention' }]] as const) {
    const answer = await host.ask(action, body, { token: renewed })
    t.equal(answer.status, 403)
    t.strictSame(answer.tokens, {})
  }
  t.equal(targets.length, 3)

  host.later(2 * HOUR)
  decision = true
  t.equal((await host.ask('renew', {}, { token: renewed })).status, 401)
  decision = 'grant'
  const allowed = await host.renewed(renewed)
  decision = undefined
  t.equal(await host.statusWith(allowed), 200, 'a user who is still logged in')
})
