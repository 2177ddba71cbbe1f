import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { EditorHttpClient } from '../../types/http.js'
import { assertRejects, type HttpClientCases, receive, send } from './http-client-scene.js'

interface ReceivedRequest extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: Buffer
}

/** Records requests and responds without a body. */
function recorder (): { received: ReceivedRequest[], listener: RequestListener } {
  const received: ReceivedRequest[] = []
  return {
    received,
    async listener (request, response) {
      const body = await buffer(request).catch(() => Buffer.from('truncated'))
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.end()
    }
  }
}

export const requestCases: HttpClientCases = {
  async 'GET requests the path and query of the URL, with the headers and without a body, for every purpose' (
    { client, serve }
  ) {
    const { received, listener } = recorder()
    const server = await serve(listener)
    const path = '/a%20b/%C3%BC.docx?x=1&y=%2F+%26&x=2'
    for (const purpose of ['callback', 'conversion', 'proxy'] as const) {
      await receive(client, server.url(path), { purpose, headers: { 'X-Custom': 'some value', accept: 'text/x-test' } })
    }
    assert.equal(received.length, 3, 'the server must receive each of the 3 requests once')
    for (const { method, url, headers, body } of received) {
      assert.equal(method, 'GET', 'the method must be GET')
      assert.equal(url, path, 'the path and query must be those of the URL')
      assert.equal(headers['x-custom'], 'some value', 'the header X-Custom must be sent')
      assert.equal(headers.accept, 'text/x-test', 'the header Accept must be sent')
      assert.equal(body.length, 0, 'a GET must not have a body')
    }
  },
  async 'POST sends the body, bytes unchanged and text in UTF-8, and the headers' ({ client, serve }) {
    const { received, listener } = recorder()
    const server = await serve(listener)
    const bytes = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, index) => index % 256))
    const text = JSON.stringify({ title: 'Übung 😀', text: 'x'.repeat(100_000) })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer abc' }
    for (const body of [bytes, text]) {
      await receive(client, server.url('/convert'), { purpose: 'conversion', method: 'POST', headers, body })
    }
    assert.equal(received.length, 2, 'the server must receive each of the 2 requests once')
    for (const { method, headers } of received) {
      assert.equal(method, 'POST', 'the method must be POST')
      assert.equal(headers['content-type'], 'application/json', 'the header Content-Type must be sent')
      assert.equal(headers.authorization, 'Bearer abc', 'the header Authorization must be sent')
    }
    assert.ok(received[0]!.body.equals(bytes), 'bytes must be sent, complete and unchanged')
    assert.ok(String(received[1]!.body) === text, 'text must be sent in UTF-8, complete and unchanged')
  },
  async 'every status resolves to a response with its body' ({ client, serve }) {
    const server = await serve((request, response) => {
      response.statusCode = Number(request.url?.slice(1))
      response.end(`body of ${response.statusCode}`)
    })
    for (const expected of [200, 201, 204, 206, 304, 400, 401, 403, 404, 410, 429, 500, 503]) {
      const { status, bytes } = await receive(client, server.url(`/${expected}`))
      assert.equal(status, expected, `the status must be ${expected}`)
      const body = [204, 304].includes(expected) ? '' : `body of ${expected}`
      assert.equal(String(bytes), body, `the body of a response with status ${expected} must be ${body || 'empty'}`)
    }
  },
  async 'redirects are not followed' ({ client, serve }) {
    const server = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1)) || 200, { location: '/target' }).end('moved')
    })
    for (const request of [{ method: 'GET' }, { method: 'POST', body: 'x' }] as const) {
      for (const expected of [301, 302, 303, 307, 308]) {
        const { status, header, bytes } = await receive(client, server.url(`/${expected}`), request)
        const message = `a ${request.method} must resolve to the redirect with status ${expected}`
        assert.equal(status, expected, message)
        assert.equal(header('location'), '/target', 'header() must return the Location as it was sent')
        assert.equal(String(bytes), 'moved', 'the body must be that of the redirect')
      }
    }
    assert.ok(!server.requests.includes('/target'), 'the target of the redirect must not be requested')
  },
  async 'header() ignores the case of names and returns undefined for an absent header' ({ client, serve }) {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Custom-Header': 'value' }).end()
    })
    const { header } = await receive(client, server.url())
    for (const name of ['content-type', 'Content-Type', 'CONTENT-TYPE']) {
      assert.equal(header(name), 'text/plain', `header('${name}') must return the value`)
    }
    for (const name of ['x-custom-header', 'X-CUSTOM-HEADER']) {
      assert.equal(header(name), 'value', `header('${name}') must return the value`)
    }
    for (const name of ['x-absent', 'constructor', '__proto__', 'toString']) {
      assert.equal(header(name), undefined, `header('${name}') must return undefined`)
    }
  },
  async 'header() returns the first value of a repeated header' ({ client, serveBytes }) {
    const names = ['Content-Type', 'Content-Disposition', 'X-Twice', 'Set-Cookie', 'Location']
    const lines = names.flatMap(name => [`${name}: first`, `${name}: second`])
    const server = await serveBytes(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
    const { header } = await receive(client, server.url())
    for (const name of names) assert.equal(header(name), 'first', `header('${name}') must return the first value`)
  },
  async 'request rejects if no server listens, the connection is closed, or the response is not HTTP' (
    { client, serve, serveBytes }
  ) {
    const closing = await serve(request => { request.socket.destroy() })
    await assertRejects(send(client, new URL('http://127.0.0.1:1/')), 'no server listens')
    await assertRejects(send(client, closing.url()), 'the connection is closed before the request is read')
    const answers = {
      'the connection is closed without a response': '',
      'the response is not HTTP': '220 mail.example.com ESMTP\r\n',
      'the headers are truncated': 'HTTP/1.1 200 OK\r\nContent-Type: text/pl'
    }
    for (const [reason, answer] of Object.entries(answers)) {
      await assertRejects(send(client, (await serveBytes(answer)).url()), reason)
    }
  },
  async 'publicOnly refuses loopback IP addresses and hosts that resolve to one, with FST_EDITOR_ADDRESS_BLOCKED and without connecting' (
    { client, serve }
  ) {
    const server = await serve((_request, response) => { response.end('reached') })
    const { port } = server.url()
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
      await assertBlocked(client, new URL(`http://${host}:${port}/`))
    }
    assert.equal(server.connections(), 0, 'the client must not connect to the server')
  },
  async 'without publicOnly a loopback IP address is reached, and requests with publicOnly are still refused afterwards' (
    { client, serve }
  ) {
    const server = await serve((_request, response) => { response.end('reached') })
    const { bytes } = await receive(client, server.url(), { publicOnly: false })
    assert.equal(String(bytes), 'reached', 'a request without publicOnly must reach the server')
    await assertBlocked(client, server.url())
    assert.equal(server.requests.length, 1, 'the server must receive only the request without publicOnly')
  }
}

async function assertBlocked (client: EditorHttpClient, url: URL): Promise<void> {
  const outcome = await send(client, url, { publicOnly: true }).then(
    ({ status }) => `status ${status}`,
    (error: NodeJS.ErrnoException) => error.code
  )
  const code = 'FST_EDITOR_ADDRESS_BLOCKED'
  assert.equal(outcome, code, `a request to ${url} with publicOnly must reject with an error with code ${code}`)
}
