import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { memoryStorage } from 'fastify-onlyoffice'
import { createDocumentServer } from 'onlyoffice-emulator'
import { createApp } from '../app.js'
import { openDatabase } from '../database.js'
import { openStorage } from '../storage.js'

const PASSWORD = 'correct horse battery'
const jwtSecret = randomBytes(32).toString('hex')
const { TEST_DATABASE_URL, TEST_STORAGE } = process.env
let documentServer, database, storage, app, origin, admin, ada, grace

before(async () => {
  documentServer = await createDocumentServer({ jwtSecret })
  database = await openDatabase({ url: TEST_DATABASE_URL, directory: 'memory://' })
  storage = TEST_STORAGE ? await openStorage(TEST_STORAGE, database) : { storage: memoryStorage(), close () {} }
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  app = await createApp({
    database,
    sessionSecret: randomBytes(32).toString('hex'),
    adminPassword: PASSWORD,
    loginsPerMinute: 15,
    maxEventLoopDelay: 0,
    editor: { editorApiUrl: documentServer.editorApiUrl, jwtSecret, publicBaseUrl: origin, storage: storage.storage }
  })
  await app.listen({ host: '127.0.0.1', port })
  admin = await loggedIn('admin')
  for (const login of ['ada', 'grace']) await admin.post('/admin/users', { login, name: `<b>${login}</b>`, password: PASSWORD })
  ada = await loggedIn('ada')
  grace = await loggedIn('grace')
})

after(async () => {
  await documentServer.close()
  await app.close()
  await storage.close()
  await database.end()
})

test('what Ada writes is stored, and nobody else finds it', async () => {
  const path = await ada.create("Robert'); DROP TABLE users;--", 'txt')
  const session = await ada.open(path)
  await session.edit('second draft')
  assert.equal((await session.close()).accepted, true)
  assert.equal((await ada.get(`${path}/download`)).text, 'second draft')

  for (const way of ['', '/download', '/settings']) assert.equal((await grace.get(path + way)).status, 404, way)
  for (const way of ['/settings', '/shares', '/delete']) {
    assert.equal((await grace.post(path + way, { name: 'mine', mode: 'edit', user: await grace.id() })).status, 404, way)
  }
  assert.equal((await grace.post('/documents', { name: 'Copy', from: path.split('/').at(-1) })).status, 404)
  assert.doesNotMatch((await grace.get('/')).text, /Robert/)
  assert.match((await ada.get('/')).text, /Robert&#39;\); DROP TABLE users;--\.txt/)
})

test('a share counts as long as it is there, also in an open page', async () => {
  const path = await ada.create('Plan', 'txt')
  const share = async mode => await ada.post(`${path}/shares`, { user: await grace.id(), mode })
  await share('edit')
  const { config: early } = await grace.page(path)
  await share('none')
  await (await documentServer.open(early)).nextEvent('dropped')

  await share('view')
  const reader = await grace.open(path)
  assert.equal(reader.viewOnly, true)
  await reader.close()
  assert.equal((await grace.post(`${path}/shares`, { user: await grace.id(), mode: 'edit' })).status, 403)

  await share('edit')
  const own = await ada.open(path)
  const { config, act } = await grace.page(path)
  const session = await documentServer.open(config)
  await session.edit('by Grace')
  assert.equal((await act('rename', { name: 'The plan' })).status, 200)
  await share('view')
  await assert.rejects(session.edit('too late'), { code: 4007 })
  assert.equal((await act('rename', { name: 'Mine' })).status, 403)
  const { act: actOfReader } = await grace.page(path)
  assert.equal((await actOfReader('renew', {})).status, 200)
  await share('none')
  assert.equal((await actOfReader('renew', {})).status, 403)
  assert.equal((await grace.get(path)).status, 404)
  assert.match((await ada.get('/')).text, /The plan\.txt/)

  const old = await documentServer.open(config) // what her page still has
  await old.nextEvent('dropped')
  await own.close()
  assert.equal((await ada.get(`${path}/download`)).text, 'by Grace', 'what she wrote before is kept')
})

test('a save that cannot replace its document is listed beside it, with its shares', async () => {
  const path = await ada.create('Report', 'txt')
  await ada.post(`${path}/shares`, { user: await grace.id(), mode: 'view' })
  const session = await ada.open(path)
  await session.edit('by Ada')
  await app.editorStorage.replace(path.split('/').at(-1), Buffer.from('by another program'))
  assert.equal((await session.close()).accepted, true)
  for (const user of [ada, grace]) assert.match((await user.get('/')).text, /Report \(copy\)\.txt/)
})

test('folders, and names that are no paths', async () => {
  assert.equal((await ada.post('/folders', { name: '../../etc' })).status, 400)
  await ada.post('/folders', { name: "Q&A' OR 1=1" })
  const [, folder] = /\/folders\/([0-9a-f-]{36})/.exec((await ada.get('/')).text)
  const path = await ada.create('Inside', 'txt', folder)
  assert.match((await ada.get(`/folders/${folder}`)).text, /Inside\.txt/)
  assert.equal((await ada.post(`/folders/${folder}/delete`)).status, 409)
  assert.equal((await grace.get(`/folders/${folder}`)).status, 404)
  assert.equal((await grace.post('/documents', { name: 'Gift', from: 'txt', folder })).status, 404)
  await ada.post(`${path}/delete`)
  assert.equal((await ada.get(path)).status, 404)
  assert.equal((await ada.post(`/folders/${folder}/delete`)).status, 303)
  assert.equal((await ada.get('/folders/1')).status, 400)
})

test('an upload that is too large or something else is not stored', async () => {
  const upload = async (name, content) => {
    const body = new FormData()
    body.append('file', new Blob([content]), name)
    return (await ada.get('/uploads', { method: 'POST', body })).status
  }
  assert.equal(await upload('large.txt', 'x'.repeat(10 * 1024 * 1024 + 1)), 413)
  assert.equal(await upload('page.docx', '<script>alert(1)</script>'), 422)
  assert.equal(await upload('program.exe', 'MZ'), 415)
  assert.equal(await upload('notes.txt', 'fine'), 303)
  assert.doesNotMatch((await ada.get('/')).text, /large|page\.docx|program/)
})

test('a template is offered, and copied', async () => {
  const path = await ada.create('Letter', 'txt')
  const session = await ada.open(path)
  await session.edit('Dear …')
  await session.close()
  await ada.post(`${path}/settings`, { name: 'Letter', isTemplate: 'on' })
  const id = path.split('/').at(-1)
  assert.match((await ada.get('/')).text, new RegExp(`value="${id}"`))
  assert.equal((await ada.get(`${await ada.create('First', id)}/download`)).text, 'Dear …')

  const { act } = await ada.page(path)
  const { choices: [{ data: template }] } = JSON.parse((await act('templates', { search: 'lett' })).text)
  const { url } = JSON.parse((await act('create', { template })).text)
  assert.equal((await ada.get(`${url}/download`)).text, 'Dear …')
})

test('a login: the same answer for everybody unknown, a new session, and nothing without it', async () => {
  const attempts = [await attempt('nobody', PASSWORD), await attempt('ada', 'wrong')]
  assert.deepEqual(attempts.map(({ status, text }) => [status, text]).at(0), [403, attempts[1].text])
  const { cookie } = ada.headers
  const again = await attempt('ada', PASSWORD, { cookie })
  assert.match(again.setCookie, /HttpOnly; SameSite=Lax/)
  assert.notEqual(again.setCookie.split(';')[0], cookie)
  assert.equal((await ada.get('/')).status, 401, 'the session before the login has ended')
  ada = client({ cookie: again.setCookie.split(';')[0], login: 'ada' })
  for (const path of ['/', '/admin', '/documents/1', '/editor/doctor']) assert.equal((await client({}).get(path)).status, 401)
})

test('other sites cannot act for a user', async () => {
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }, { origin: 'null' }]) {
    assert.equal((await client({ ...ada.headers, ...headers }).post('/folders', { name: 'Forged' })).status, 403)
  }
  assert.doesNotMatch((await ada.get('/')).text, /Forged/)
})

test('an open page can do nothing after a logout, nor for the next user of the browser', async () => {
  const path = await ada.create('Open', 'txt')
  const { act } = await ada.page(path)
  await ada.post(`${path}/shares`, { user: await grace.id(), mode: 'edit' })
  assert.equal((await act('rename', { name: 'Theirs' }, grace.headers)).status, 403)
  await ada.post('/logout')
  assert.equal((await act('rename', { name: 'Later' })).status, 401)

  ada = await loggedIn('ada')
  const page = await ada.page(path)
  const session = await documentServer.open(page.config)
  await session.edit('typed before the login ended')
  await database.query("UPDATE sessions SET expires = now() WHERE data->>'userId' = $1", [await ada.id()])
  assert.equal((await page.act('rename', { name: 'Later' })).status, 401)
  assert.equal((await session.close()).accepted, true)
  ada = await loggedIn('ada')
  assert.equal((await ada.get(`${path}/download`)).text, 'typed before the login ended')
  assert.match((await ada.get('/')).text, /Open\.txt/)
})

test('an administrator sees who edits, and ends it; others are not told that there is such a page', async () => {
  const path = await ada.create('Live', 'txt')
  const session = await ada.open(path)
  await session.edit('…')
  const page = (await admin.get('/admin')).text
  assert.match(page, /Live\.txt<\/span> <small>&#60;b&#62;ada&#60;\/b&#62;/)
  assert.equal((await admin.get('/editor/doctor')).status, 200)
  for (const way of ['/admin', '/editor/doctor']) assert.notEqual((await grace.get(way)).status, 200)
  assert.equal((await grace.post('/admin/users', { login: 'eve', password: PASSWORD })).status, 404)

  await admin.post(`/admin/users/${await ada.id()}/disable`)
  await assert.rejects(session.edit('later'), { code: 4007 })
  assert.equal((await ada.get('/')).status, 401)
  assert.equal((await attempt('ada', PASSWORD)).status, 403)
})

test('an error page says in words what is wrong, and leads back', async () => {
  const path = await grace.create('Mine', 'txt')
  await grace.post(`${path}/shares`, { user: await admin.id(), mode: 'view' })
  await grace.post('/folders', { name: 'Full' })
  const [place, folder] = /\/folders\/([0-9a-f-]{36})/.exec((await grace.get('/')).text)
  await grace.create('Inside', 'txt', folder)
  const isErrorPage = ({ status, text }, expected, words) => {
    assert.equal(status, expected)
    assert.ok(text.includes(words) && text.includes('href="/">Back to the documents'), text)
  }
  isErrorPage(await admin.get(`${path}/settings`), 403, 'Only the owner of a document may do that.')
  isErrorPage(await grace.get('/nothing'), 404, 'There is nothing here, or not for you.')
  isErrorPage(await grace.post(`${place}/delete`), 409, 'The folder is not empty.')
  await database.query('ALTER TABLE folders RENAME TO elsewhere', [])
  const failed = await grace.get('/')
  await database.query('ALTER TABLE elsewhere RENAME TO folders', [])
  isErrorPage(failed, 500, 'tell your administrator the number of the request: req-')
  assert.doesNotMatch(failed.text, /relation|folders/, 'what the database says is for the log')
})

test('passwords cannot be tried out', async () => {
  const statuses = []
  for (let count = 0; count < 16; count++) statuses.push((await attempt('grace', 'guess')).status)
  assert.equal(statuses.at(-1), 429)
})

function client (headers) {
  const request = async (path, init) => {
    const response = await fetch(origin + path, { redirect: 'manual', ...init, headers: { ...headers, ...init?.headers } })
    const { status, headers: answered } = response
    return { status, text: await response.text(), location: answered.get('location'), setCookie: answered.get('set-cookie') }
  }
  return {
    headers,
    get: request,
    post: async (path, fields = {}) => await request(path, { method: 'POST', body: new URLSearchParams(fields) }),
    /** Resolves to the path of the new document. */
    async create (name, from, folder = '') {
      return (await this.post('/documents', { name, from, folder })).location
    },
    async page (path) {
      const { text } = await request(path)
      const [, json] = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(text)
      const [, token] = /data-page-token="([^"]*)"/.exec(text)
      return {
        config: JSON.parse(json),
        act: async (action, body, others = headers) => await request(`/editor/actions/${action}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...others, 'content-type': 'application/json', 'x-editor-page-token': token }
        })
      }
    },
    async open (path) {
      return await documentServer.open((await this.page(path)).config)
    },
    async id () {
      const { rows: [{ id }] } = await database.query('SELECT id FROM users WHERE login = $1', [headers.login])
      return id
    }
  }
}

async function attempt (login, password, headers = {}) {
  return await client(headers).post('/login', { login, password })
}

async function loggedIn (login) {
  const { setCookie } = await attempt(login, PASSWORD)
  return client({ cookie: setCookie.split(';')[0], login })
}

async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await once(server.close(), 'close')
  return port
}
