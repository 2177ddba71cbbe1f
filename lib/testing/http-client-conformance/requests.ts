import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { assertRejects, bytesOf, type ConformanceCase, get } from './case.js'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Notes what it gets and answers with nothing. */
function recorder (): { received: Received[], listener: RequestListener } {
  const received: Received[] = []
  return {
    received,
    async listener (request, response) {
      const body = await text(request).catch(() => 'cut off')
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.end()
    }
  }
}

export const requestCases: readonly ConformanceCase[] = [
  {
    name: 'a GET asks for the path and query of the URL, with the headers and without a body, for every purpose',
    async run ({ client, serve }) {
      const { received, listener } = recorder()
      const server = await serve(listener)
      for (const purpose of ['callback', 'conversion', 'proxy'] as const) {
        const { body } = await get(client, server.url('/a%20b/%C3%BC.docx?x=1&y=%2F+%26&x=2'), { purpose, headers: { 'X-Custom': 'some value', accept: 'text/x-test' } })
        await bytesOf(body)
      }
      assert.equal(received.length, 3)
      for (const request of received) {
        assert.equal(request.method, 'GET')
        assert.equal(request.url, '/a%20b/%C3%BC.docx?x=1&y=%2F+%26&x=2')
        assert.equal(request.headers['x-custom'], 'some value')
        assert.equal(request.headers.accept, 'text/x-test')
        assert.equal(request.body, '')
      }
    }
  },
  {
    name: 'a POST carries the body in UTF-8 and the headers',
    async run ({ client, serve }) {
      const { received, listener } = recorder()
      const server = await serve(listener)
      const body = JSON.stringify({ title: 'Übung 😀', text: 'x'.repeat(100_000) })
      const response = await get(client, server.url('/convert'), { purpose: 'conversion', method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer abc' }, body })
      await bytesOf(response.body)
      assert.equal(received.length, 1)
      assert.equal(received[0]!.method, 'POST')
      assert.equal(received[0]!.headers['content-type'], 'application/json')
      assert.equal(received[0]!.headers.authorization, 'Bearer abc')
      assert.ok(received[0]!.body === body, 'the body arrives as it is')
    }
  },
  {
    name: 'every status is a response, with its body',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        response.statusCode = Number(request.url?.slice(1))
        response.end(`body of ${response.statusCode}`)
      })
      for (const status of [200, 201, 206, 400, 401, 403, 404, 410, 429, 500, 503]) {
        const response = await get(client, server.url(`/${status}`))
        assert.equal(response.status, status)
        assert.equal((await bytesOf(response.body)).toString(), `body of ${status}`)
      }
      for (const status of [204, 304]) {
        const response = await get(client, server.url(`/${status}`))
        assert.equal(response.status, status)
        assert.equal((await bytesOf(response.body)).length, 0)
      }
    }
  },
  {
    name: 'no redirect is followed',
    async run ({ client, serve }) {
      const server = await serve((request, response) => {
        response.writeHead(Number(request.url?.slice(1)) || 200, { location: '/target' }).end('moved')
      })
      for (const method of ['GET', 'POST'] as const) {
        for (const status of [301, 302, 303, 307, 308]) {
          const response = await get(client, server.url(`/${status}`), { method, ...(method === 'POST' ? { body: 'x' } : {}) })
          assert.equal(response.status, status)
          assert.equal(response.header('location'), '/target')
          assert.equal((await bytesOf(response.body)).toString(), 'moved')
        }
      }
      assert.ok(!server.requests.includes('/target'), 'the target of a redirect is not asked for')
    }
  },
  {
    name: 'header() finds a header by its name in any case, and is undefined for an absent one',
    async run ({ client, serve }) {
      const server = await serve((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Custom-Header': 'value' }).end()
      })
      const { header, body } = await get(client, server.url())
      await bytesOf(body)
      for (const name of ['content-type', 'Content-Type', 'CONTENT-TYPE']) assert.equal(header(name), 'text/plain')
      for (const name of ['x-custom-header', 'X-CUSTOM-HEADER']) assert.equal(header(name), 'value')
      for (const name of ['x-absent', 'constructor', '__proto__', 'toString']) assert.equal(header(name), undefined)
    }
  },
  {
    name: 'header() gives the first value of a header that comes twice',
    async run ({ client, serveBytes }) {
      const names = ['Content-Type', 'Content-Disposition', 'X-Twice', 'Set-Cookie', 'Location']
      const lines = names.flatMap(name => [`${name}: first`, `${name}: second`])
      const server = await serveBytes(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
      const { header, body } = await get(client, server.url())
      await bytesOf(body)
      for (const name of names) assert.equal(header(name), 'first', name)
    }
  },
  {
    name: 'a request rejects when nobody listens, when the connection is closed, and when what comes is no HTTP',
    async run ({ client, serve, serveBytes }) {
      const closing = await serve(request => { request.socket.destroy() })
      const silent = await serveBytes('')
      const noise = await serveBytes('220 mail.example.com ESMTP\r\n')
      const cut = await serveBytes('HTTP/1.1 200 OK\r\nContent-Type: text/pl')
      await assertRejects(get(client, new URL('http://127.0.0.1:1/')), 'nobody listens')
      await assertRejects(get(client, closing.url()), 'the connection is reset')
      await assertRejects(get(client, silent.url()), 'the connection is closed without a word')
      await assertRejects(get(client, noise.url()), 'the answer is no HTTP')
      await assertRejects(get(client, cut.url()), 'the headers are cut')
    }
  }
]
