import Fastify from 'fastify'
import t, { type Test } from 'tap'
import editor, { type DoctorReport, type FastifyOnlyofficeOptions, memoryStorage } from '../../lib/index.js'
import { HANDLER, type HostOptions, startHost } from '../kit/host.js'
import { memoryLog, WARN } from '../kit/log.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'

const PATH = `${HANDLER}/doctor`
const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** A service with the route, and a document server. */
async function start (t: Test, options: HostOptions = {}) {
  const documentServer = await startDocumentServer(t)
  const host = await startHost(t, { documentServerOrigin: documentServer.url, doctor: { authorize: () => 'grant' }, ...options })

  async function ask (query = '', headers: Record<string, string> = {}) {
    const response = await fetch(`${host.origin}${PATH}${query}`, { headers })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  const asked = () => documentServer.receivedRequests.length
  return { ...host, documentServer, ask, asked }
}

t.test('without the option there is no route', async t => {
  const { app } = await startHost(t)
  t.equal((await app.inject(PATH)).statusCode, 404)
})

t.test('an invalid option doctor is refused at registration', async t => {
  const options = {
    editorApiUrl: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
    jwtSecret: SECRET,
    publicBaseUrl: 'http://127.0.0.1',
    storage: memoryStorage()
  }
  for (const [doctor, name] of [[true, 'doctor'], [{}, 'doctor.authorize'], [{ authorize: true }, 'doctor.authorize'], [{
    authorize: () => true,
    path: '/doctor'
  }, 'doctor.path']] as const) {
    const app = Fastify()
    await t.rejects(async () => await app.register(editor, { ...options, doctor } as unknown as FastifyOnlyofficeOptions), {
      code: 'FST_EDITOR_INVALID_OPTION',
      message: new RegExp(`^Option ${name} `)
    })
    await app.close()
  }
})

t.test('a browser gets the report as a page that runs nothing and cannot be embedded', async t => {
  const { ask } = await start(t)
  const { status, headers, body } = await ask('', HTML)
  t.equal(status, 200)
  t.match(Object.fromEntries(headers), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin'
  })
  t.match(body, /^<!DOCTYPE html>\n<html lang="en">/)
  t.match(body, /<title>Healthy · Editor doctor<\/title>/)
  t.match(body, /<h3><span class="status"><span aria-hidden="true">✓<\/span> OK<\/span> [^<]+ <code>SERVER<\/code><\/h3>/)
  t.notMatch(body, /<script|onclick|style=|javascript:/i)
})

t.test('programs get the report as JSON', async t => {
  const { ask } = await start(t)
  for (const [query, headers] of [['', { accept: 'application/json' }], ['?format=json', HTML], ['', {}]] as const) {
    const { status, headers: answered, body } = await ask(query, headers)
    t.equal(status, 200)
    t.equal(answered.get('content-type'), 'application/json; charset=utf-8')
    const report: DoctorReport = JSON.parse(body)
    t.match(report, { healthy: true, startedAt: /^\d{4}-/, durationMs: Number })
    t.ok(report.findings.some(({ code, status }) => code === 'SERVER' && status === 'ok'))
  }
})

t.test('?fileId= adds the explanation of that document, and the report is as healthy as that', async t => {
  const { app, storage, ask, urls } = await start(t)
  const { fileId } = await storage.create('docx', Buffer.from('x'))
  t.ok((await app.editorControl().openDocument(fileId)).config)
  await (await fetch(urls.download(fileId))).text()
  const fine: DoctorReport = JSON.parse((await ask(`?format=json&fileId=${fileId}`)).body)
  t.ok(fine.healthy)
  t.ok(fine.findings.some(({ code }) => code === 'OPENING_SERVED'))

  const absent: DoctorReport = JSON.parse((await ask('?format=json&fileId=absent')).body)
  t.notOk(absent.healthy)
  t.ok(absent.findings.some(({ code }) => code === 'OPENING_NO_FILE'))

  const { body } = await ask(`?fileId=${fileId}`, HTML)
  t.match(body, `<h2>Document ${fileId}</h2>`)
  t.match(body, '<code>OPENING_SERVED</code>')
  t.equal((await ask('?fileId=a&fileId=b', HTML)).status, 404)
  t.equal((await ask(`?fileId=${'a'.repeat(2000)}`, HTML)).status, 404)
})

t.test('whatever a fileId contains, it is text', async t => {
  const { ask } = await start(t)
  const hostile = '"><script>alert(1)</script><img src=x onerror=\'alert(1)\'>&amp;'
  const { body } = await ask(`?${new URLSearchParams({ fileId: hostile })}`, HTML)
  t.notMatch(body, /<script|<img/)
  t.match(body, 'value="&#34;&#62;&#60;script&#62;alert(1)')
})

t.test('only authorize opens the route: any other result than "grant" is 403, without details, and examines nothing', async t => {
  let decide: () => unknown = () => false
  const log = memoryLog()
  const { ask, asked, documentServer } = await start(t, { doctor: { authorize: () => decide() as 'grant' }, timeouts: { hooks: 100 }, server: log.server })
  const never = new Promise(() => {})
  const decisions: Array<() => unknown> = [
    () => false,
    () => undefined,
    () => true,
    async () => true,
    () => 'yes',
    () => 1,
    async () => false,
    () => {
      throw new Error('private')
    },
    async () => {
      throw new Error('private')
    },
    () => never
  ]
  for (const decision of decisions) {
    decide = decision
    const { status, body, headers } = await ask('?fileId=x', HTML)
    t.equal(status, 403, String(decision))
    t.match(JSON.parse(body), { code: 'FST_EDITOR_FORBIDDEN', message: /^Forbidden$/ })
    t.equal(headers.get('x-content-type-options'), 'nosniff')
  }
  t.equal(asked(), 0, 'the document server was not bothered')
  t.strictSame(log.records().filter(({ msg }) => msg === 'the hook doctor.authorize failed').map(({ err }) => err?.message), [
    'Forbidden: it returned a string: only \'grant\' shows the report',
    'Forbidden: it returned a number: only \'grant\' shows the report', 'private', 'private',
    'The hook doctor.authorize did not finish within 100 ms'
  ])
  t.strictSame(
    log.records().filter(({ msg }) => msg.startsWith('doctor.authorize returned true')).map(({ level, msg }) => [level, msg]),
    Array(2).fill([WARN, 'doctor.authorize returned true, which shows the report to nobody: return \'grant\''])
  )
  decide = async () => 'grant'
  t.equal((await ask()).status, 200)
  t.ok(documentServer.receivedRequests.length > 0)
})

t.test('a request that another site causes is refused before anybody is asked', async t => {
  let calls = 0
  const { ask, asked } = await start(t, { doctor: { authorize: () => ++calls > 0 && 'grant' } })
  for (const site of ['cross-site', 'same-site', 'whatever']) t.equal((await ask('', { ...HTML, 'sec-fetch-site': site })).status, 403, site)
  t.strictSame([calls, asked()], [0, 0])
  for (const site of ['same-origin', 'none']) t.equal((await ask('', { ...HTML, 'sec-fetch-site': site })).status, 200, site)
})

t.test('the route is below the handler, with all prefixes', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => {
    await scope.register(editor, {
      editorApiUrl: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
      jwtSecret: SECRET,
      publicBaseUrl: 'http://127.0.0.1:9',
      storage: memoryStorage(),
      prefix: '/office',
      path: '/editor',
      doctor: { authorize: () => false }
    })
  }, { prefix: '/app' })
  t.equal((await app.inject('/app/office/editor/doctor')).statusCode, 403)
})
