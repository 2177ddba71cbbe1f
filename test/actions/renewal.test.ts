import t, { type Test } from 'tap'
import { inflateRawSync } from 'node:zlib'
import type { AuthorizeTarget, EditorControlDefaults } from '../../lib/index.js'
import { profiles } from '../helpers/editing.js'
import type { HostOptions } from '../helpers/host.js'
import { ADA, type PageHost, startPageHost } from './support.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Paged extends PageHost {
  later (milliseconds: number): void
  /** Status of an action that needs the token, and changes nothing. */
  statusWith (token: string): Promise<number>
  renewed (token: string): Promise<string>
}

async function start (t: Test, options: HostOptions = {}): Promise<Paged> {
  let now = Date.UTC(2026, 0, 1)
  const host = await startPageHost(t, { actions: { rename: () => {}, favorite: () => {}, users: () => [] }, clock: { now: () => now }, ...options })
  return {
    ...host,
    later: milliseconds => { now += milliseconds },
    statusWith: async token => (await host.ask('users', { c: 'mention' }, { token })).status,
    async renewed (token) {
      const { status, body } = await host.ask('renew', {}, { token })
      t.equal(status, 200)
      return String(body.pageToken)
    }
  }
}

function claimsOf (token: string): Record<string, unknown> {
  return JSON.parse(inflateRawSync(Buffer.from(token.split('.')[0]!, 'base64url')).toString()) as Record<string, unknown>
}

for (const profile of profiles) {
  t.test(`the token of a page is valid for an hour, or as long as pageTokenLifetime says, never longer than downloadUrlLifetime (${profile})`, async t => {
    const table: Array<[options: HostOptions, lifetime: number, renewAfter: number]> = [
      [{}, HOUR, HOUR / 2],
      [{ pageTokenLifetime: 5 * MINUTE }, 5 * MINUTE, 2.5 * MINUTE],
      [{ pageTokenLifetime: 3 * HOUR, downloadUrlLifetime: 2 * HOUR }, 2 * HOUR, HOUR],
      [{ downloadUrlLifetime: MINUTE }, MINUTE, MINUTE / 2]
    ]
    for (const [options, lifetime, renewAfter] of table) {
      const { app, fileId, later, statusWith } = await start(t, { profile, ...options })
      const control = await app.editorControl({ user: ADA }).openDocument(fileId)
      const { pageToken } = control
      t.match(control.render(), ` data-renew-after="${renewAfter}"`)
      later(lifetime)
      t.equal(await statusWith(pageToken), 200)
      later(1)
      t.equal(await statusWith(pageToken), 401)
    }
  })

  t.test(`a page that renews its token can go on until downloadUrlLifetime after it was made, and not longer (${profile})`, async t => {
    const host = await start(t, { profile })
    let token = await host.tokenOf()
    for (let elapsed = 0; elapsed < 23.5 * HOUR; elapsed += HOUR / 2) {
      host.later(HOUR / 2)
      token = await host.renewed(token)
    }
    t.equal(await host.statusWith(token), 200)
    host.later(HOUR / 2 - 1000)
    token = await host.renewed(token)
    for (const [action, body] of Object.entries({ renew: {}, rename: { name: 'New' }, favorite: { favorite: true }, config: { purpose: 'refresh' } })) {
      const answer = await host.ask(action, body, { token })
      t.equal(answer.status, 200, action)
      token = answer.body.pageToken
    }
    t.equal(await host.statusWith(token), 200)
    host.later(1001)
    t.equal(await host.statusWith(token), 401)
    t.equal((await host.ask('renew', {}, { token })).status, 401)
  })
}

t.test('only the valid token of a page is renewed', async t => {
  const host = await start(t)
  const other = await start(t)
  const token = await host.tokenOf()
  const { proxyToken } = await host.app.editorControl({ user: ADA }).openDocument(host.fileId)
  for (const wrong of ['', 'x.y', `${token}x`, proxyToken, await other.tokenOf()]) t.equal((await host.ask('renew', {}, { token: wrong })).status, 403)
  t.equal((await host.ask('renew', {}, { token: undefined })).status, 401)
  t.equal((await host.ask('renew', {}, { token, headers: { 'sec-fetch-site': 'cross-site' } })).status, 403)
  host.later(HOUR + 1)
  const { status, body } = await host.ask('renew', {}, { token })
  t.equal(status, 401)
  t.strictSame(body, { code: 'FST_EDITOR_UNAUTHORIZED', message: 'Not authorized' })
  t.match(host.logText(), 'the x-editor-page-token has expired')
})

t.test('a renewed token is for the same page, and gives its user nothing more', async t => {
  const host = await start(t)
  for (const defaults of [{ user: ADA }, { user: ADA, mode: 'view' }, { user: { id: 'grace' }, permissions: { edit: false, comment: true } }] satisfies EditorControlDefaults[]) {
    const token = await host.tokenOf(defaults)
    host.later(MINUTE)
    const { expires, ...claims } = claimsOf(token)
    const { expires: renewedExpires, ...renewedClaims } = claimsOf(await host.renewed(token))
    t.strictSame(renewedClaims, claims)
    t.equal(Number(renewedExpires) - Number(expires), 60)
  }
  const view = await host.renewed(await host.tokenOf({ user: ADA, mode: 'view' }))
  t.equal((await host.ask('rename', { name: 'New' }, { token: view })).status, 403)
  const forged = { fileId: 'other', defaults: { mode: 'edit' }, expires: 4e9, until: 4e9 }
  const { body } = await host.ask('renew', forged, { token: view })
  t.equal((await host.ask('rename', { name: 'New' }, { token: body.pageToken })).status, 403, 'the body says nothing')
})

t.test('authorize is asked about each renewal', async t => {
  const targets: AuthorizeTarget[] = []
  let decision: boolean | undefined
  const host = await start(t, { authorize: (_request, target) => { targets.push(target); return decision } })
  const token = await host.tokenOf()
  const renewed = await host.renewed(token)
  t.match(targets, [{ action: 'renew', fileId: host.fileId, user: ADA }])
  decision = false
  t.equal((await host.ask('renew', {}, { token: renewed })).status, 403)

  decision = true
  host.later(2 * HOUR)
  const allowed = await host.renewed(renewed)
  decision = undefined
  t.equal(await host.statusWith(allowed), 200, 'a user who is still logged in')
  decision = true
  host.later(23 * HOUR)
  const old = await host.renewed(allowed)
  decision = undefined
  t.equal(await host.statusWith(old), 401, 'a renewal does not prolong what the page was made for')
})
