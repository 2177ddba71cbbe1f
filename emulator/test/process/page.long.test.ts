import t from 'tap'
import { forgedToken } from '../../../test/kit/document-server.js'
import { exchange } from '../../../test/kit/http.js'
import { postSigned, SECRET, sign, startDocumentServer, startFakeHost } from '../support.js'
import type { DocumentServer } from '../../lib/index.js'

/** What is to be read on the page: its text, tags taken out. */
async function read (server: DocumentServer): Promise<string> {
  const page = await (await fetch(`${server.url}/`)).text()
  return page.replace(/<style>[^]*<\/style>/, '').replace(/<[^>]*>/g, ' ').replace(/&quot;/g, '"').replace(/\s+/g, ' ')
}

t.test('the page says what the emulator is and which settings to configure', async t => {
  const server = await startDocumentServer(t, { authorizationHeader: 'X-Document-Token' })
  const text = await read(server)
  t.match(text, `URL of api.js ${server.editorApiUrl} `)
  t.match(text, 'It is not ONLYOFFICE Docs')
  t.match(text, 'Token header X-Document-Token ')
  t.match(text, 'Emulates DocService 9.3.0 ')
  t.match(text, 'Remote control off ')
  t.match(text, /No documents are open\..*None yet\..*None yet\./)
  t.match(await read(await startDocumentServer(t, { remoteControl: true })), 'Remote control at /emulator/ ')
})

t.test('the page shows who has which document open and what is not saved', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { user: { id: 'ada', name: 'Ada' } }))
  await server.open(host.config('K', { user: { id: 'bob', name: 'Bob' }, mode: 'view' }))
  await session.edit('changed')
  t.match(await read(server), ' K docx Ada, Bob (view only) 1 change ')
  await session.close()
  t.match(await read(server), ' K docx Bob (view only) 0 changes ')
})

t.test('the page explains why an answer of the application is not accepted', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  for (const [answer, words] of [
    [{ status: 204, body: '' }, 'HTTP 204 is not accepted. The answer must be HTTP 200 with the JSON {"error":0}.'],
    [{ status: 403, body: '{"error":0}' }, 'HTTP 403 is not accepted.'],
    [{ body: '{"error":1}' }, '{"error":1} Refused: error is not 0.'],
    [{ body: '<p>Sign in</p>' }, 'The body is not JSON. It must be {"error":0}.'],
    [{ body: '' }, 'The body is empty. It must be the JSON {"error":0}.'],
    [{ body: '{"ok":true}' }, 'The JSON has no error field. It must be {"error":0}.']
  ] as const) {
    host.answers[4] = answer
    await (await server.open(host.config('K'))).close()
    t.match(await read(server), words)
  }
  host.routes.set('/cb', request => { request.socket.destroy() })
  await (await server.open(host.config('K'))).close()
  t.match(await read(server), /4 closed without changes K No answer: /)
  host.files.clear()
  await t.rejects(server.open(host.config('K2')))
  t.match(await read(server), 'HTTP 404 is not a document. The status must be 200 or 206.')
})

t.test('the page shows forgotten files, and service errors sent with HTTP status 200', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  host.answers[2] = { body: '{"error":1}' }
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  await session.edit('1234567')
  await session.close()
  await postSigned(`${server.url}/command`, { c: 'forcesave', key: 'nobody' })
  await fetch(`${server.url}/ConvertService.ashx`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  await fetch(`${server.url}/docbuilder`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  const text = await read(server)
  t.match(text, ' Document key Format Bytes K txt 7 ')
  t.match(text, 'POST /command 200 Error 1: the key is missing or unknown.')
  t.match(text, 'POST /ConvertService.ashx 200 Error -8: the token is missing, invalid or expired.')
  t.match(text, 'POST /docbuilder 200 Error -8: the token is missing, invalid or expired.')
})

t.test('the page contains no query string, token, secret or credentials, and escapes foreign text', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const token = forgedToken({ for: 'nobody' }, { secret: SECRET })
  const markup = '<script>alert("K")</script>'
  host.answers[1] = { body: JSON.stringify({ error: `${markup} see http://h/x?secret=in-answer and ${token}` }) }
  const { token: _, ...config } = host.config('K', { user: { id: 'x', name: markup } })
  const callbackUrl = `${host.origin.replace('//', '//name:password@')}/cb?a='"<&secret=in-callback`
  const changed = { ...config, editorConfig: { ...config.editorConfig, callbackUrl } }
  await server.open({ ...changed, token: sign(changed) })
  await server.open({ ...host.config('K2', { document: `/files/${token}?secret=in-document` }) }).catch(() => {})
  await fetch(`${server.url}/${markup}/${token}?secret=in-request`)
  await exchange(t, server.url, 'GET /healthcheck?a="&secret=in-quotes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const page = await (await fetch(`${server.url}/?secret=in-own`)).text()

  t.notMatch(page, /secret=|\?f=1|password/)
  for (const part of token.split('.')) t.notMatch(page, part)
  t.notMatch(page, SECRET)
  t.equal(page.match(/<script/g)?.length, 1, 'its own')
  t.match(page, '&lt;script&gt;alert(&quot;K&quot;)&lt;/script&gt;')
  t.match(page, 'GET <code>/healthcheck</code>')
  t.match(page, `POST <code>${host.origin}/cb</code>`)
})

t.test('the page loads nothing but itself, runs its own script only and cannot be framed', async t => {
  const server = await startDocumentServer(t)
  const { headers } = await fetch(`${server.url}/`)
  t.match(
    headers.get('content-security-policy'),
    /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; script-src 'sha256-[\w+/]+=*'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/
  )
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8')
})

t.test('the page keeps the last fifty requests of each kind, without requests for itself or of the remote control', async t => {
  const server = await startDocumentServer(t, { remoteControl: true })
  await fetch(`${server.url}/emulator`)
  for (let number = 0; number < 60; number++) await fetch(`${server.url}/number-${number}`)
  const text = await read(server)
  t.notMatch(text, 'number-9 ')
  t.match(text, /GET \/number-59 .* GET \/number-10 404 Times are UTC/)
  t.notMatch(text, 'GET /emulator')
  t.notMatch(text, 'GET / ')
})
