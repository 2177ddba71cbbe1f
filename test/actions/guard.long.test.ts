import http from 'node:http'
import t from 'tap'
import type { AuthorizeTarget } from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'
import { ADA, HANDLER, startPageHost } from '../kit/host.js'
import { send } from '../kit/http.js'

const OTHER_SECRET = 'a-secret-of-another-service-0123456789'
const renamed: Array<Record<string, unknown>> = []
const actions = { rename: (action: object) => { renamed.push({ ...action }) } }

t.beforeEach(() => { renamed.length = 0 })

t.test('the user and the file are those of the token: headers, cookies, the query and the body name nobody', async t => {
  const targets: AuthorizeTarget[] = []
  const host = await startPageHost(t, { actions, authorize: target => { targets.push(target); return undefined } })
  const { fileId: other } = await host.storage.create('docx', Buffer.from('other'))
  const user = { id: 'admin', name: 'Admin' }
  const answer = await host.ask('rename', {
    name: 'Minutes',
    user,
    userId: 'admin',
    fileId: other,
    defaults: { user },
    claims: { fileId: other },
    token: 'x',
    title: '../../etc/passwd'
  }, {
    headers: {
      userid: 'admin',
      'x-user': 'admin',
      'x-user-id': 'admin',
      'x-forwarded-user': 'admin',
      'remote-user': 'admin',
      cookie: 'user=admin; userId=admin',
      'file-id': other,
      'x-http-method-override': 'GET'
    }
  })
  t.equal(answer.status, 200)
  t.strictSame(renamed, [{ fileId: host.fileId, user: ADA, name: 'Minutes', title: 'Minutes.docx' }])
  t.match(targets, [{ action: 'rename', fileId: host.fileId, user: ADA, rights: { edit: true } }])
  t.equal(targets.length, 1)

  await host.ask('rename', { name: 'a' }, { token: await host.tokenOf({ editorConfig: { user: { id: '7' } } }) })
  t.strictSame(renamed[1]?.user, { id: '7' }, 'also where the control got it below editorConfig')
  await host.ask('rename', { name: 'a' }, { token: await host.tokenOf({}) })
  t.equal(renamed[2]?.user, undefined, 'and a page without a user has none')
})

t.test('keys of prototypes in a body change nothing', async t => {
  const host = await startPageHost(t, { actions })
  for (const body of [
    '{"name":"a","__proto__":{"user":{"id":"admin"},"polluted":1}}',
    '{"name":"a","constructor":{"prototype":{"polluted":1}}}',
    '{"name":"a","prototype":{"polluted":1},"__proto__":null}'
  ]) t.equal((await host.ask('rename', body)).status, 200)
  for (const action of renamed) t.strictSame(Object.keys(action), ['fileId', 'user', 'name', 'title'])
  t.equal(renamed.length, 3)
  t.equal((await host.ask('rename', '{"__proto__":{"name":"a"}}')).status, 400, 'a name that is inherited is none')
  t.notOk('polluted' in {})
})

t.test('a body that is not a small JSON object of the right form, in time, is refused, and no hook runs', async t => {
  const host = await startPageHost(t, { actions })
  const table: Array<[what: string, status: number, body: unknown, type?: string]> = [
    ['empty', 400, ''],
    ['no JSON', 400, '{"name":'],
    ['a list', 400, '[{"name":"a"}]'],
    ['a text', 400, '"name"'],
    ['null', 400, 'null'],
    ['without the name', 400, {}],
    ['a number for a name', 400, { name: 7 }],
    ['a list for a name', 400, { name: ['a'] }],
    ['more than 64 KiB', 400, { name: 'a', more: 'x'.repeat(64 * 1024) }],
    ['a form', 415, 'name=a', 'application/x-www-form-urlencoded'],
    ['plain text, which a page of another site may send', 415, '{"name":"a"}', 'text/plain'],
    ['no type that exists', 415, '{"name":"a"}', 'json'],
    ['64 KiB at most', 200, { name: 'a', more: 'x'.repeat(64 * 1024 - 30) }]
  ]
  for (const [what, status, body, type = 'application/json'] of table) {
    t.equal((await host.ask('rename', body, { headers: { 'content-type': type } })).status, status, what)
  }
  t.equal(renamed.length, 1)

  const impatient = await startPageHost(t, { actions, timeouts: { body: 100 } })
  const token = await impatient.tokenOf()
  const status = await new Promise((resolve, reject) => {
    const request = http.request(`${impatient.origin}${HANDLER}/actions/rename`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': token, 'content-length': 20 }
    }, response => {
      response.resume()
      resolve(response.statusCode)
      request.destroy()
    })
    request.on('error', reject)
    request.write('{"name":')
  })
  t.equal(status, 400, 'a body that does not end')
})

t.test('the token is checked before the body is read', async t => {
  const host = await startPageHost(t, { actions })
  for (const headers of [{}, { 'x-editor-page-token': 'x.y' }]) {
    const status = await new Promise((resolve, reject) => {
      const request = http.request(`${host.origin}${HANDLER}/actions/rename`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': 1000, ...headers }
      }, response => {
        response.resume()
        resolve(response.statusCode)
        request.destroy()
      })
      request.on('error', reject)
      request.flushHeaders()
    })
    t.match(status, /^40[13]$/)
  }
})

t.test('requests of a sibling site, and of a page without an origin, are refused', async t => {
  const host = await startPageHost(t, { actions })
  const token = await host.tokenOf()
  for (const headers of [{ 'sec-fetch-site': 'same-site' }, { origin: 'null' }]) {
    const { status } = await send(`${host.origin}${HANDLER}/actions/rename`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-editor-page-token': token, ...headers },
      body: '{"name":"a"}'
    })
    t.equal(status, 403, JSON.stringify(headers))
  }
  t.strictSame(renamed, [])
})

t.test('authorize cannot grant what the page must not do', async t => {
  const host = await startPageHost(t, { actions, authorize: () => 'grant' })
  t.equal((await host.ask('rename', { name: 'a' }, { token: await host.tokenOf({ user: ADA, mode: 'view' }) })).status, 403)
})

t.test('without the option there is no action besides the configuration; the old secret of a list opens it, a foreign one does not', async t => {
  const clock = { now: () => 1_700_000_000_000 }
  const before = await startPageHost(t, { jwtSecret: OTHER_SECRET, clock, publicBaseUrl: 'https://app.example.com' })
  const after = await startPageHost(t, { jwtSecret: [SECRET, OTHER_SECRET], clock, publicBaseUrl: 'https://app.example.com', storage: before.storage })
  const later = await startPageHost(t, { jwtSecret: SECRET, clock, publicBaseUrl: 'https://app.example.com', storage: before.storage })
  const token = await before.tokenOf()
  const statuses = []
  for (const host of [before, after, later]) statuses.push((await host.ask('config', { purpose: 'refresh' }, { token })).status)
  t.strictSame(statuses, [200, 200, 403])

  for (const action of [
    'rename', 'saveAs', 'images', 'documents', 'spreadsheets', 'reference', 'users', 'notify', 'sharing', 'favorite',
    'create', 'templates', 'editRights', 'links', '__proto__', ''
  ]) {
    t.equal((await before.ask(action, {}, { token })).status, 404, action)
  }
  t.equal((await before.ask('config', { purpose: 'edit' }, { token })).status, 403)
  t.match((await before.app.editorControl().openDocument(before.fileId)).render(), ' data-actions=""')
})
