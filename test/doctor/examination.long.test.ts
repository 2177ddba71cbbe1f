import Fastify from 'fastify'
import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { renderHtml, renderText } from '../../lib/doctor/render.js'
import editor, { memoryStorage } from '../../lib/index.js'
import { holdTimers } from '../kit/time.js'
import { listen, startUpstream } from '../kit/http.js'
import { memoryLog } from '../kit/log.js'
import { expectReport, findingOf, startSetUp } from './support.js'
import { SECRET } from '../kit/document-server.js'

/** A time limit that a test lets pass. */
const TIMEOUT_MS = 200_000

t.test('several doctors at once share an examination, and one after the other make their own', async t => {
  const { host, documentServer } = await startSetUp(t)
  const conversions = () =>
    new Set(
      documentServer.receivedRequests.filter(({ url }) => url.startsWith('/ConvertService')).map(({ body }) =>
        (body as { key: string }).key
      )
    ).size
  const reports = await Promise.all([1, 2, 3].map(() => host.app.editorDoctor()))
  for (const report of reports) expectReport(t, report, { codes: [] })
  t.equal(conversions(), 1)
  await host.app.editorDoctor()
  t.equal(conversions(), 2)
})

t.test('a process that does not listen, such as a command line tool: the running application tells what it saw', async t => {
  const { host, documentServer } = await startSetUp(t)
  const tool = Fastify()
  t.teardown(() => tool.close())
  await tool.register(editor, { editorApiUrl: documentServer.editorApiUrl, jwtSecret: SECRET, publicBaseUrl: host.origin, storage: memoryStorage() })
  const report = await tool.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.match(findingOf(report, 'TOKENS_OUT'), { status: 'ok' })
  t.match(findingOf(report, 'CALLBACK'), { status: 'ok' })
})

t.test('what has not finished in time is skipped, and everything else is reported', async t => {
  const timers = holdTimers(t, TIMEOUT_MS)
  const silent = net.createServer(timers.pass)
  const { origin } = await listen(t, silent)
  const { host } = await startSetUp(t, { documentServerOrigin: origin })
  const report = await host.app.editorDoctor({ timeout: TIMEOUT_MS })
  for (const code of ['SERVER', 'API_SCRIPT', 'TOKENS_IN', 'VERSION', 'DOWNLOAD', 'TOKENS_OUT', 'CLOCK', 'RESULT']) {
    t.equal(findingOf(report, code)?.status, 'skipped', code)
  }
  t.equal(findingOf(report, 'OPTIONS')?.status, 'ok')
  t.strictSame(report.findings.slice(-2).map(({ code }) => code), ['CALLBACK', 'STORAGE'], 'every check is in the report')
  t.match(findingOf(report, 'SERVER')?.evidence, 'Not finished within 200000 ms')
  t.equal(report.healthy, false, 'nobody knows')
  t.match(renderText(report), /\nNot finished: /)
  t.match(renderHtml(report), /Not finished<\/strong>: /)
  t.equal((await host.app.editorDoctor({ timeout: TIMEOUT_MS, fileId: (await host.storage.create('txt', Buffer.from('x'))).fileId })).healthy, false)
})

t.test('a doctor is cancelled by its signal, the others go on; closing the application ends all', async t => {
  const silent = net.createServer()
  const { origin } = await listen(t, silent)
  const { host } = await startSetUp(t, { documentServerOrigin: origin })
  const reason = new Error('no longer needed')
  const controller = new AbortController()
  const connected = once(silent, 'connection')
  const cancelled = host.app.editorDoctor({ signal: controller.signal })
  const other = host.app.editorDoctor()
  await connected
  controller.abort(reason)
  await t.rejects(cancelled, reason)
  await t.rejects(host.app.editorDoctor({ signal: AbortSignal.abort(reason) }), reason)
  const ended = t.rejects(other, { message: 'The application is closing' })
  await host.app.close()
  await ended
})

t.test('a storage that throws something unexpected, a document server that sends garbage: findings, never an error', async t => {
  const { origin } = await startUpstream(t, (request, response) => {
    response.writeHead(request.url === '/healthcheck' ? 200 : 500, {
      location: 'http://[',
      'content-type': 'a;b',
      date: 'never'
    }).end(request.url === '/healthcheck' ? 'true' : Buffer.from([0xff, 0, 0xfe]))
  })
  const storage = { ...memoryStorage(), snapshot: () => { throw null } } // eslint-disable-line no-throw-literal -- as an application might
  const { host } = await startSetUp(t, { documentServerOrigin: origin, storage })
  expectReport(t, await host.app.editorDoctor(), { codes: ['API_MISSING', 'COMMANDS_FAILED', 'STORAGE_FAILED'] })
})

t.test('options of the wrong type are refused', async t => {
  const { host } = await startSetUp(t)
  for (const timeout of [0, -1, 1.5, NaN, 2 ** 31]) {
    await t.rejects(host.app.editorDoctor({ timeout }), { code: 'FST_EDITOR_INVALID_OPTION', message: /timeout/ })
  }
  await t.rejects(host.app.editorDoctor({ fileId: 7 as unknown as string }), {
    code: 'FST_EDITOR_INVALID_OPTION',
    message: /fileId/
  })
})

t.test('words of others appear in a report without markup, tokens and queries', async t => {
  const token = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"a":1}').toString('base64url')}.c2lnbmF0dXJl`
  const body = `<html><script>alert("${SECRET}")</script><p>At https://u:p@x.test/a?md5=abc ${token} ${SECRET}\u202e\u0007</p></html>`
  const log = memoryLog()
  const { origin } = await startUpstream(t, (_request, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end(body) })
  const { host } = await startSetUp(t, { documentServerOrigin: origin, server: log.server })
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: ['SERVER_OTHER'] })
  const { evidence } = findingOf(report, 'SERVER_OTHER')!
  t.match(evidence, 'At https://x.test/a [token] [secret]')
  t.notMatch(evidence, /[<>\u0000-\u001f\u202e]|alert/) // eslint-disable-line no-control-regex -- that there is none
  t.notOk(log.text().includes(SECRET))
})

t.test('the storage is left as it was', async t => {
  const { host } = await startSetUp(t, { storage: { ...memoryStorage(), create: () => { throw new Error('it creates a file') } } })
  const report = await host.app.editorDoctor()
  expectReport(t, report, { codes: [] })
  t.match(findingOf(report, 'STORAGE')?.evidence, 'discarded')
})
