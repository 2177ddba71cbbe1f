import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { createDocumentServer, type DocumentServer, type DocumentServerOptions } from '../lib/index.js'
import { exchange } from '../../test/kit/http.js'
import { SECRET, sign, startBoth, startDocumentServer } from './support.js'

const REFUSED = 421

/** A request as a browser sends it for this host name. */
async function ask (server: DocumentServer, path: string, headers: Record<string, string>, body?: string) {
  const request = http.request(connectTo(server, path), { method: body === undefined ? 'GET' : 'POST', headers }).end(body)
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** The address it really listens at, whatever it calls itself. */
function connectTo (server: DocumentServer, path: string): string {
  const { port } = server.server.address() as net.AddressInfo
  return `http://127.0.0.1:${port}${path}`
}

/** The status of what comes back for the head of a request as it stands. */
async function statusOf (t: Test, server: DocumentServer, head: string): Promise<number> {
  const { address, port } = server.server.address() as net.AddressInfo
  const answer = await exchange(t, `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`, `${head}\r\nConnection: close\r\n\r\n`)
  return Number(answer.split(' ')[1])
}

async function statusFor (t: Test, server: DocumentServer, host: string): Promise<number> {
  return statusOf(t, server, `GET /healthcheck HTTP/1.1\r\nHost: ${host}`)
}

/** Asks for a socket, and hangs up. */
async function upgrade (t: Test, server: DocumentServer, headers: Record<string, string>): Promise<number> {
  const handshake = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
  const request = http.get(connectTo(server, '/doc/socket'), { agent: false, headers: { ...handshake, ...headers } })
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject).on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response)
    })
  })
  if (response.statusCode !== 101) t.not(await text(response), '', 'the reason is given')
  return response.statusCode!
}

const portOf = (server: DocumentServer) => new URL(connectTo(server, '/')).port

t.test('a request with a foreign Host header is refused before anything else, and the answer says how to fix it', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.close()
  const saved = new URL(String(host.callbacks(2)[0]!.url))
  const info = JSON.stringify({ c: 'version', token: sign({ c: 'version' }) })
  const before = server.receivedRequests.length

  for (const [path, body] of [
    ['/healthcheck'], ['/web-apps/apps/api/documents/api.js'], ['/web-apps/apps/documenteditor/main/index.html'],
    [saved.pathname + saved.search], ['/command', info], ['/converter', '{}'], ['/doc/socket'], ['/nowhere']
  ] as const) {
    const { status, headers, body: answer } = await ask(server, path, { host: `evil.example:${portOf(server)}`, 'content-type': 'application/json' }, body)
    t.equal(status, REFUSED, path)
    t.match(headers, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
    t.equal(
      answer,
      'Misdirected request: this document server does not answer to evil.example. If this is one of its names, add it with the option allowedHosts or --allowed-host.\n'
    )
  }
  t.equal(server.receivedRequests.length, before, 'no request of its own')
  t.equal((await ask(server, saved.pathname + saved.search, {})).status, 200, 'the file is there')
})

t.test('loopback host names are accepted in any spelling and with any port', async t => {
  const server = await startDocumentServer(t)
  for (const host of [
    'localhost', 'LocalHost:8080', 'localhost.', '127.0.0.1', '127.0.0.1:1', '[::1]', '[0:0:0:0:0:0:0:1]:80', '127.1'
  ]) t.equal(await statusFor(t, server, host), 200, host)
  for (const host of [
    'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.localhost', 'localhost..', '10.0.0.1',
    '[::2]', '0.0.0.0', 'localhost@evil.example', 'evil.example#localhost', 'evil.example/localhost',
    'localhost/evil.example', 'localhost:99999', 'localhost, evil.example', '*', ''
  ]) t.equal(await statusFor(t, server, host), REFUSED, JSON.stringify(host))
})

t.test('a request without a Host header, with two, or with a foreign host in its target is refused', async t => {
  const server = await startDocumentServer(t)
  const status = async (head: string) => statusOf(t, server, head)
  t.equal(await status('GET /healthcheck HTTP/1.0'), REFUSED)
  t.equal(await status('GET /healthcheck HTTP/1.1'), 400, 'by Node.js')
  t.equal(await status('GET /healthcheck HTTP/1.1\r\nHost: localhost\r\nHost: evil.example'), REFUSED)
  t.equal(await status('GET /healthcheck HTTP/1.1\r\nHost: evil.example\r\nHost: localhost'), REFUSED)
  t.equal(await status('GET http://evil.example/healthcheck HTTP/1.1\r\nHost: localhost'), REFUSED)
  t.equal(await status('GET http://localhost/healthcheck HTTP/1.1\r\nHost: evil.example'), REFUSED)
  t.equal(await status('GET http://localhost/healthcheck HTTP/1.1\r\nHost: localhost'), 200)
  t.equal(await status('OPTIONS * HTTP/1.1\r\nHost: evil.example'), REFUSED)
  t.equal(await status('GET //evil.example/healthcheck HTTP/1.1\r\nHost: localhost'), 404, 'a path')
})

const names: Record<string, { options: Partial<DocumentServerOptions>, own: string[], others: string[] }> = {
  'allowedHosts adds host names': {
    options: { allowedHosts: ['Docs.Internal', 'bücher.example', '10.1.2.3', 'fd00::1'] },
    own: ['docs.internal', 'docs.internal:8080', 'DOCS.internal.', 'xn--bcher-kva.example', '10.1.2.3', '[fd00::1]:80', 'localhost'],
    others: ['evil.docs.internal', 'internal', '10.1.2.4', 'evil.example']
  },
  'the host of publicUrl is accepted': {
    options: { publicUrl: 'https://docs.example.com/office/' },
    own: ['docs.example.com', 'docs.example.com:443', 'localhost'],
    others: ['example.com', 'evil.docs.example.com', 'evil.example']
  },
  'the IP address it listens on is accepted': { options: { host: '127.0.0.2' }, own: ['127.0.0.2', '127.0.0.1'], others: ['127.0.0.3', 'evil.example'] },
  'listening on all interfaces accepts any IP address, not any host name': {
    options: { host: '0.0.0.0' },
    own: ['10.0.0.1', '192.168.1.2:8080', '[fe80::1]', '0.0.0.0', 'localhost'],
    others: ['evil.example', '10.0.0.1.evil.example', '10.0.0.1.nip.io', '']
  }
}

for (const [title, { options, own, others }] of Object.entries(names)) {
  t.test(title, async t => {
    const server = await startDocumentServer(t, options)
    for (const host of own) t.equal(await statusFor(t, server, host), 200, host)
    for (const host of others) t.equal(await statusFor(t, server, host), REFUSED, host)
  })
}

t.test('allowedHosts accepts host names only', async t => {
  for (const name of ['', 'http://docs.internal', 'docs.internal/office', '*', '*.internal', 'user@docs.internal', 'a b']) {
    await t.rejects(createDocumentServer({ jwtSecret: SECRET, allowedHosts: [name] }), {
      name: 'TypeError',
      message: `allowedHosts: ${JSON.stringify(name)} is not a host name`
    }, name)
  }
})

t.test('WebSocket connections are accepted from the server\'s own pages and from clients without an Origin', async t => {
  const server = await startDocumentServer(t, { allowedHosts: ['docs.internal'] })
  const port = portOf(server)
  t.equal(await upgrade(t, server, {}), 101, 'no page')
  for (const [host, origin] of [
    [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`],
    [`localhost:${port}`, `http://localhost:${port}`],
    ['docs.internal', 'https://docs.internal'],
    ['docs.internal:80', 'http://docs.internal']
  ] as const) {
    t.equal(await upgrade(t, server, { host, origin }), 101, origin)
  }
  for (const origin of [
    'http://evil.example', `http://evil.example:${port}`, 'http://127.0.0.1:1', `http://localhost:${port}`,
    `https://127.0.0.1:${port}.evil.example`, 'null', '', 'file://', 'chrome-extension://abcdef',
    `http://evil.example, http://127.0.0.1:${port}`
  ]) {
    t.equal(await upgrade(t, server, { host: `127.0.0.1:${port}`, origin }), 403, origin)
  }
  t.equal(
    await upgrade(t, server, {
      host: `127.0.0.1:${port}`,
      origin: 'http://evil.example',
      'x-forwarded-host': 'evil.example'
    }),
    403,
    'with X-Forwarded-Host'
  )
  t.equal(await upgrade(t, server, { host: 'evil.example', origin: 'http://evil.example' }), REFUSED, 'another name')
})

t.test('a page at the public URL may open a WebSocket, whatever Host the proxy sends', async t => {
  const server = await startDocumentServer(t, { publicUrl: 'https://docs.example.com/office' })
  t.equal(await upgrade(t, server, { origin: 'https://docs.example.com' }), 101)
  t.equal(await upgrade(t, server, { origin: 'https://docs.example.com:8443' }), 403)
})
