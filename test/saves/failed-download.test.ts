import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { NEW, startEditing } from '../kit/editing.js'
import { answerWith, listen } from '../kit/http.js'

const PAGE = '<html><body>An error page that must never become a document</body></html>'

/** Fetches that fail at the document server itself. */
const failures: Record<string, RequestListener> = {
  'status 404': answerWith(PAGE, 404),
  'status 500': answerWith(PAGE, 500),
  'status 204': answerWith('', 204),
  'status 205': answerWith('', 205),
  'status 206': answerWith('a part', 206, { 'content-range': 'bytes 0-5/100' }),
  'status 304': answerWith('', 304),
  'status 400': answerWith(PAGE, 400),
  'status 403': answerWith(PAGE, 403),
  'status 410': answerWith(PAGE, 410),
  'status 503': answerWith(PAGE, 503),
  'a redirect without Location': answerWith(PAGE, 302),
  'a redirect that has no end': answerWith(PAGE, 302, { location: '/again' }),
  'a redirect to file:': answerWith(PAGE, 302, { location: 'file:///etc/passwd' }),
  'a closed connection': (_request, response) => { response.destroy() },
  'truncated, Content-Length, before the first byte': cutAfter({ 'content-length': '100' }, 0),
  'truncated, Content-Length, after some bytes': cutAfter({ 'content-length': '200000' }, 100_000),
  'truncated, Content-Length, one byte before the end': cutAfter({ 'content-length': '100001' }, 100_000),
  'truncated while chunked': cutAfter({}, 100_000),
  'truncated while gzipped': cutAfter({ 'content-encoding': 'gzip' }, 100_000)
}

/** Sends some bytes, then breaks the connection. */
function cutAfter (headers: Record<string, string>, bytes: number): RequestListener {
  const content = headers['content-encoding'] === 'gzip' ? gzipSync(randomBytes(bytes + 1000)) : randomBytes(bytes)
  return (_request, response) => {
    response.writeHead(200, headers).flushHeaders()
    response.write(content.subarray(0, bytes), () => response.destroy())
  }
}

for (const [name, serve] of Object.entries(failures)) {
  t.test(`a save whose fetch fails (${name}) is answered with HTTP 200 and error 1, and the file is unchanged`, async t => {
    let broken = true
    const editing = await startEditing(t, { serve: (request, response) => (broken ? serve : answerWith(NEW))(request, response) })
    for (const status of [2, 6]) {
      t.equal(await editing.post({ key: editing.key, status, url: editing.url }), 1)
      await editing.unchanged(t, name)
    }
    t.ok(editing.documentServer.requests.length >= 2, 'the fetch was attempted')

    broken = false
    t.equal(await editing.post({ key: editing.key, status: 2, url: editing.url }), 0, 'the same save succeeds later')
    t.equal(await editing.storedText(editing.fileId), NEW)
  })
}

/**
 * Addresses that can't be fetched from. In secure they are the document server's, or they would be refused by that
 * alone.
 */
const addresses: Record<string, (t: Test) => Promise<string>> = {
  'refuses connections': async t => {
    const server = net.createServer()
    const { origin } = await listen(t, server)
    await new Promise(resolve => server.close(resolve))
    return origin
  },
  'has no address': async () => 'http://no-such-host.invalid',
  'speaks no TLS': async t => {
    const { port } = await listen(t, net.createServer(socket => { socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nplain')) }))
    return `https://127.0.0.1:${port}`
  },
  'ends the TLS handshake': async t => {
    const { port } = await listen(t, net.createServer(socket => { socket.once('data', () => socket.destroy()) }))
    return `https://127.0.0.1:${port}`
  },
  'answers noise': async t => (await listen(t, net.createServer(socket => { socket.end('no HTTP at all\r\n\r\n') }))).origin
}
for (const [name, start] of Object.entries(addresses)) {
  t.test(`a document server that ${name}: the save is answered with error 1`, async t => {
    const origin = await start(t)
    const editing = await startEditing(t, { documentServerOrigin: origin })
    t.equal(await editing.post({ key: editing.key, status: 2, url: `${origin}/output.docx` }), 1)
    await editing.unchanged(t, name)
  })
}

t.test('a save whose url is not a URL, or has another scheme, is answered with error 1', async t => {
  const editing = await startEditing(t, { documentServer: { origins: 'any' } })
  const { host } = new URL(editing.url)
  for (const url of [
    'nonsense', '/cache/output.docx', `//${host}/output.docx`, 'http://', 'http:///', 'http://[::1', '?', '#', host,
    `${host}/output.docx`, `ftp://${host}/x`, 'file:///etc/passwd', 'FILE:///etc/passwd', 'javascript:alert(1)',
    'data:text/plain,x', `ws://${host}/`, `blob:${editing.url}`, 'about:blank'
  ]) {
    for (const status of [2, 6]) t.equal(await editing.post({ key: editing.key, status, url }), 1, url)
  }
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'no url')
})
