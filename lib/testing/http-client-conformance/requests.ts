import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import type { HttpClient } from '../../../types/http.js'
import { assertRejects, bytesOf, type ConformanceCase, send } from './case.js'

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Records requests and responds without a body. */
function recorder (): { received: ReceivedRequest[], listener: RequestListener } {
  const received: ReceivedRequest[] = []
  return {
    received,
    async listener (request, response) {
      const body = await text(request).catch(() => 'truncated')
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.end()
    }
  }
}

export const requestCases: readonly ConformanceCase[] = [
  {
    name: 'GET requests the path and query of the URL, with the headers and without a body, for every purpose',
    async run ({ client, serve }) {
      const { received, listener } = recorder()
      const server = await serve(listener)
      for (const purpose of ['callback', 'conversion', 'proxy'] as const) {
        const { body } = await send(client, server.url('/a%20b/%C3%BC.docx?x=1&y=%2F+%26&x=2'), {
          purpose,
          headers: { 'X-Custom': 'some value', accept: 'text/x-test' }
        })
        await bytesOf(body)
      }
      assert.equal(received.length, 3, 'the server must receive each of the 3 requests once')
      for (const request of received) {
        assert.equal(request.method, 'GET', 'the method must be GET')
        assert.equal(request.url, '/a%20b/%C3%BC.docx?x=1&y=%2F+%26&x=2', 'the path and query must be those of the URL')
        assert.equal(request.headers['x-custom'], 'some value', 'the header X-Custom must be sent')
        assert.equal(request.headers.accept, 'text/x-test', 'the header Accept must be sent')
        assert.equal(request.body, '', 'a GET must not have a body')
      }
    }
  },
  {
    name: 'POST sends bytes unchanged',
    async run ({ client, serve }) {
      const received: Buffer[] = []
      const server = await serve(async (request, response) => {
        received.push(await buffer(request))
        response.end()
      })
      const body = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
      const response = await send(client, server.url('/convert'), {
        purpose: 'conversion',
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body
      })
      await bytesOf(response.body)
      assert.ok(received.length === 1 && received[0]!.equals(body), 'the bytes must be sent, complete and unchanged')
    }
  },
  {
    name: 'POST sends the body in UTF-8 and the headers',
    async run ({ client, serve }) {
      const { received, listener } = recorder()
      const server = await serve(listener)
      const body = JSON.stringify({ title: 'Übung 😀', text: 'x'.repeat(100_000) })
      const response = await send(client, server.url('/convert'), {
        purpose: 'conversion',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer abc' },
        body
      })
      await bytesOf(response.body)
      assert.equal(received.length, 1, 'the server must receive one request')
      assert.equal(received[0]!.method, 'POST', 'the method must be POST')
      assert.equal(received[0]!.headers['content-type'], 'application/json', 'the header Content-Type must be sent')
      assert.equal(received[0]!.headers.authorization, 'Bearer abc', 'the header Authorization must be sent')
      assert.ok(received[0]!.body === body, 'the body must be sent in UTF-8, complete and unchanged')
    }
  },
  {
    name: 'every status resolves to a response with its body',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        response.statusCode = Number(request.url?.slice(1))
        response.end(`body of ${response.statusCode}`)
      })
      for (const status of [200, 201, 206, 400, 401, 403, 404, 410, 429, 500, 503]) {
        const response = await send(client, server.url(`/${status}`))
        assert.equal(response.status, status, `the status must be ${status}`)
        assert.equal(
          (await bytesOf(response.body)).toString(),
          `body of ${status}`,
          `a response with status ${status} must have its body`
        )
      }
      for (const status of [204, 304]) {
        const response = await send(client, server.url(`/${status}`))
        assert.equal(response.status, status, `the status must be ${status}`)
        assert.equal(
          (await bytesOf(response.body)).length,
          0,
          `the body of a response with status ${status} must be empty`
        )
      }
    }
  },
  {
    name: 'redirects are not followed',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        response.writeHead(Number(request.url?.slice(1)) || 200, { location: '/target' }).end('moved')
      })
      for (const method of ['GET', 'POST'] as const) {
        for (const status of [301, 302, 303, 307, 308]) {
          const response = await send(client, server.url(`/${status}`), {
            method,
            ...(method === 'POST' ? { body: 'x' } : {})
          })
          assert.equal(response.status, status, `a ${method} must resolve to the redirect with status ${status}`)
          assert.equal(response.header('location'), '/target', 'header() must return the Location as it was sent')
          assert.equal((await bytesOf(response.body)).toString(), 'moved', 'the body must be that of the redirect')
        }
      }
      assert.ok(!server.requests.includes('/target'), 'the target of the redirect must not be requested')
    }
  },
  {
    name: 'header() ignores the case of names and returns undefined for an absent header',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Custom-Header': 'value' }).end()
      })
      const { header, body } = await send(client, server.url())
      await bytesOf(body)
      for (const name of ['content-type', 'Content-Type', 'CONTENT-TYPE']) {
        assert.equal(header(name), 'text/plain', `header('${name}') must return the value`)
      }
      for (const name of ['x-custom-header', 'X-CUSTOM-HEADER']) {
        assert.equal(header(name), 'value', `header('${name}') must return the value`)
      }
      for (const name of ['x-absent', 'constructor', '__proto__', 'toString']) {
        assert.equal(header(name), undefined, `header('${name}') must return undefined`)
      }
    }
  },
  {
    name: 'header() returns the first value of a repeated header',
    async run ({ client, serveBytes }) {
      const names = ['Content-Type', 'Content-Disposition', 'X-Twice', 'Set-Cookie', 'Location']
      const lines = names.flatMap(name => [`${name}: first`, `${name}: second`])
      const server = await serveBytes(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
      const { header, body } = await send(client, server.url())
      await bytesOf(body)
      for (const name of names) assert.equal(header(name), 'first', `header('${name}') must return the first value`)
    }
  },
  {
    name: 'request rejects if no server listens, the connection is closed, or the response is not HTTP',
    async run ({ client, serve, serveBytes }) {
      const closing = await serve(request => { request.socket.destroy() })
      const silent = await serveBytes('')
      const notHttp = await serveBytes('220 mail.example.com ESMTP\r\n')
      const truncated = await serveBytes('HTTP/1.1 200 OK\r\nContent-Type: text/pl')
      await assertRejects(send(client, new URL('http://127.0.0.1:1/')), 'no server listens')
      await assertRejects(send(client, closing.url()), 'the connection is closed before the request is read')
      await assertRejects(send(client, silent.url()), 'the connection is closed without a response')
      await assertRejects(send(client, notHttp.url()), 'the response is not HTTP')
      await assertRejects(send(client, truncated.url()), 'the headers are truncated')
    }
  }
]

async function assertBlocked (client: HttpClient, url: URL): Promise<void> {
  const outcome = await send(client, url, { publicOnly: true }).then(
    ({ status }) => `status ${status}`,
    (error: NodeJS.ErrnoException) => error.code
  )
  assert.equal(
    outcome,
    'FST_EDITOR_ADDRESS_BLOCKED',
    `a request to ${url} with publicOnly must reject with an error with code FST_EDITOR_ADDRESS_BLOCKED`
  )
}

export const publicOnlyCases: readonly ConformanceCase[] = [
  {
    name:
      'publicOnly refuses loopback IP addresses and hosts that resolve to one, with FST_EDITOR_ADDRESS_BLOCKED and without connecting',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { port } = server.url()
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
        await assertBlocked(client, new URL(`http://${host}:${port}/`))
      }
      assert.equal(server.connections(), 0, 'the client must not connect to the server')
    }
  },
  {
    name:
      'without publicOnly a loopback IP address is reached, and requests with publicOnly are still refused afterwards',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => { response.end('reached') })
      const { body } = await send(client, server.url(), { publicOnly: false })
      assert.equal((await bytesOf(body)).toString(), 'reached', 'a request without publicOnly must reach the server')
      await assertBlocked(client, server.url())
      assert.equal(server.requests.length, 1, 'the server must receive only the request without publicOnly')
    }
  }
]
