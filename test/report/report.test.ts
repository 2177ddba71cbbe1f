import t, { type Test } from 'tap'
import { HANDLER, type HostOptions, startHost } from '../kit/host.js'
import { memoryLog, WARN } from '../kit/log.js'
import { stoppedTime } from '../kit/time.js'
import { exchange } from '../kit/http.js'

const HEADER = 'x-editor-proxy-token'

/** A service and what it logs as warnings. */
async function start (t: Test, options: HostOptions = {}) {
  const log = memoryLog()
  const host = await startHost(t, { server: log.server, ...options })
  const { fileId } = await host.storage.create('docx', Buffer.from('x'))
  const { proxyToken } = await host.app.editorControl().openDocument(fileId)

  async function report (
    code: string,
    { id = fileId, headers = { [HEADER]: proxyToken } as Record<string, string>, ...init }: RequestInit & {
      id?: string
    } = {}
  ) {
    const response = await fetch(host.handler({ action: 'report', fileId: id, code }), {
      method: 'POST',
      headers,
      ...init
    })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  /** Without the warning of the profile classic. */
  const warnings = () =>
    log.records().filter(({ level, msg }) =>
      level === WARN && msg.startsWith('a document did not open')
    ) as unknown as Array<{ msg: string, fileId: string, code: string }>
  return { ...host, fileId, proxyToken, report, warnings, log }
}

t.test('a page\'s report is answered 204 and logged in one line that says what it means and what to do', async t => {
  const { fileId, proxyToken, report, warnings, log } = await start(t)
  const said: Array<[code: string, words: RegExp]> = [
    ['0', /could not load the document server's api\.js.*editorApiUrl/],
    ['-20', /rejected the token.*jwtSecret.*services\.CoAuthoring\.secret\.inbox\.string/],
    ['-4', /could not download the document.*publicBaseUrl.*in a container/],
    ['-81', /could not download the document/],
    ['4004', /denied access/],
    ['4005', /expired.*clocks/],
    ['4006', /rejected the token/],
    ['4007', /ended the session.*drop/],
    ['4008', /saved since.*no-store/],
    ['csp', /Content-Security-Policy blocks.*script-src/],
    ['no-frame', /made no frame.*alert in the browser/],
    ['slow', /not ready after 30 seconds.*WebSocket/],
    ['-999', /reported an error.*log of the document server/]
  ]
  for (const [code, words] of said) {
    const { status, headers, body } = await report(code)
    t.strictSame([status, body], [204, ''], code)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    const line = warnings().at(-1)!
    t.strictSame([line.fileId, line.code], [fileId, code])
    t.match(line.msg, words)
  }
  for (const code of ['0', '-20', '-4', 'slow', '-999']) t.match(warnings().find(line => line.code === code)!.msg, 'npx fastify-onlyoffice doctor', code)
  t.equal(warnings().length, said.length)
  for (const secret of [proxyToken, proxyToken.split('.')[1]!, 'action=']) t.notOk(log.text().includes(secret), secret)
})

t.test('a report with an unknown code or a body is answered 400; no body is read', async t => {
  const { origin, fileId, proxyToken, report, warnings } = await start(t)
  for (const code of ['', 'fast', '12345', '-12345', '1.5', '1e3', '0x1', ' 1', '1\n', '--1', '__proto__', 'constructor', `-4${'0'.repeat(4000)}`]) {
    const { status, body } = await report(code)
    t.equal(status, 400, code)
    t.match(body, 'The report cannot be used: its code must be')
  }
  for (const body of ['x', '{}', new URLSearchParams({ a: 'b' })]) t.equal((await report('0', { body })).status, 400)

  const head = `POST ${HANDLER}?action=report&fileId=${fileId}&code=0 HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${HEADER}: ${proxyToken}\r\n`
  for (const headers of ['Content-Length: 1000000', 'Transfer-Encoding: chunked', 'Content-Type: text/plain\r\nConnection: close']) {
    // Not one byte of the announced body is sent: the answer does not wait for it.
    const answer = await exchange(t, origin, `${head}${headers}\r\n\r\n`)
    t.match(answer, /^HTTP\/1\.1 400 /, headers)
  }
  t.strictSame(warnings(), [])
})

t.test('a file and code are logged once in a minute, all unknown codes of a file together, and not more than 100 lines in all', async t => {
  const jump = stoppedTime(t)
  const { report, warnings, storage, app, fileId } = await start(t)
  for (let round = 0; round < 5; round++) {
    for (const code of ['-20', '-4', '-300', '-301', '-302']) t.equal((await report(code)).status, 204)
  }
  t.strictSame(warnings().map(({ code }) => code), ['-20', '-4', '-300'])

  const other = await storage.create('docx', Buffer.from('y'))
  const { proxyToken } = await app.editorControl().openDocument(other.fileId)
  await report('-20', { id: other.fileId, headers: { [HEADER]: proxyToken } })
  t.equal(warnings().at(-1)!.fileId, other.fileId, 'another file has lines of its own')

  jump(59_000)
  await report('-20')
  t.equal(warnings().length, 4)
  jump(1001)
  await report('-20')
  t.strictSame([warnings().length, warnings().at(-1)!.fileId], [5, fileId], 'after a minute there is another line')
})

t.test('strangers who may report (classic) cannot fill the log with invented files', async t => {
  const jump = stoppedTime(t)
  const { report, warnings } = await start(t, { profile: 'classic' })
  const flood = async () => {
    for (let index = 0; index < 250; index++) t.equal((await report('0', { id: `invented-${index}`, headers: {} })).status, 204)
  }
  await flood()
  t.equal(warnings().length, 100)
  jump(60_001)
  await report('slow', { id: 'i'.repeat(5000), headers: {} })
  t.equal(warnings().length, 101)
  t.ok(warnings().at(-1)!.fileId.length <= 200, 'an invented fileId is cut')
})
