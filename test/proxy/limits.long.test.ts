import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { createGzip, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { FastifyOnlyofficeOptions } from '../../lib/index.js'
import { deferred, holdTimers } from '../kit/time.js'
import { startHost } from '../kit/host.js'
import { listen, startUpstream } from '../kit/http.js'

/** A total deadline that a test lets pass. */
const TOTAL_MS = 200_000

/** A host and an upstream that tells when its connection is closed. */
async function start (t: Test, options: Partial<FastifyOnlyofficeOptions>, listener: http.RequestListener) {
  const closed = deferred()
  const upstream = await startUpstream(t, (request, response) => {
    request.socket.once('close', () => closed.resolve())
    listener(request, response)
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin, ...options })
  const file = `${upstream.origin}/cache/files/x`
  return {
    proxied: () => host.proxied(file),
    open: () => http.get(host.handler({ action: 'proxy', url: file }), { headers: host.proxyHeaders }),
    upstreamClosed: closed.promise
  }
}

/** Asserts that the answer begins well and is then cut off. Resolves to the bytes that came. */
async function assertCut (t: Test, request: http.ClientRequest, onData = () => {}): Promise<number> {
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  t.equal(response.statusCode, 200)
  let bytes = 0
  await t.rejects(async () => { for await (const chunk of response) { bytes += chunk.length; onData() } }, { code: 'ECONNRESET' })
  return bytes
}

t.test('upstream headers that do not arrive are answered 504', async t => {
  const timers = holdTimers(t, TOTAL_MS)
  for (const timeouts of [{ headers: 200 }, { total: TOTAL_MS }]) {
    const { proxied, upstreamClosed } = await start(t, { timeouts }, () => {
      if ('total' in timeouts) timers.pass()
    })
    const response = await proxied()
    t.equal(response.status, 504, JSON.stringify(timeouts))
    t.match(await response.json(), { code: 'FST_EDITOR_UPSTREAM_TIMEOUT' })
    await upstreamClosed
  }
})

t.test('upstream headers that trickle in byte by byte are cut off at the total deadline', async t => {
  const timers = holdTimers(t, TOTAL_MS)
  const { proxied, upstreamClosed } = await start(t, { timeouts: { total: TOTAL_MS, headers: 60_000 } }, request => {
    const { socket } = request
    socket.write('HTTP/1.1 200 OK\r\nX-Drip: ')
    let bytes = 0
    const drip = setInterval(() => {
      socket.write('x')
      if (++bytes === 5) timers.pass()
    }, 50)
    socket.once('close', () => clearInterval(drip))
  })
  const response = await proxied()
  t.equal(response.status, 504)
  await upstreamClosed
})

t.test('a body that trickles in without ever being idle is cut off at the total deadline', async t => {
  const timers = holdTimers(t, TOTAL_MS)
  const { open, upstreamClosed } = await start(t, { timeouts: { total: TOTAL_MS, idle: 60_000 } }, (_request, response) => {
    response.flushHeaders()
    const drip = setInterval(() => response.write('x'), 50)
    response.once('close', () => clearInterval(drip))
  })
  t.ok(await assertCut(t, open(), timers.pass) > 0)
  await upstreamClosed
})

t.test('a body that stalls is cut off', async t => {
  const timers = holdTimers(t, TOTAL_MS)
  for (const timeouts of [{ idle: 200 }, { total: TOTAL_MS }]) {
    const { open, upstreamClosed } = await start(t, { timeouts }, (_request, response) => { response.write('begun') })
    t.equal(await assertCut(t, open(), 'total' in timeouts ? timers.pass : undefined), 5, JSON.stringify(timeouts))
    await upstreamClosed
  }
})

t.test('a Content-Length over maxFileSize is answered 502 without reading the body', async t => {
  const { proxied, upstreamClosed } = await start(t, { maxFileSize: 1000 }, (_request, response) => {
    response.writeHead(200, { 'content-length': 1001 }).write('x')
  })
  const response = await proxied()
  t.equal(response.status, 502)
  t.equal(response.headers.get('content-length'), String((await response.text()).length), 'not the upstream\'s')
  await upstreamClosed
})

t.test('an endless body is cut off at maxFileSize, a decompression bomb after decoding', async t => {
  for (const encoding of ['identity', 'gzip']) {
    const { open, upstreamClosed } = await start(t, { maxFileSize: 2 * 1024 ** 2 }, (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      const sink = encoding === 'gzip' ? createGzip() : response
      if (sink !== response) sink.pipe(response)
      const send = (): unknown => {
        while (!response.destroyed) {
          if (!sink.write(Buffer.alloc(65536))) return sink.once('drain', send)
        }
      }
      send()
    })
    t.ok(await assertCut(t, open()) <= 2 * 1024 ** 2, encoding)
    await upstreamClosed
  }
})

t.test('a body of exactly maxFileSize is forwarded, encoded or not', async t => {
  for (const encoded of [false, true]) {
    const content = Buffer.alloc(100_000, 'x')
    const { proxied } = await start(t, { maxFileSize: 100_000 }, (_request, response) => {
      if (encoded) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(content))
      else response.end(content)
    })
    const response = await proxied()
    t.equal(response.status, 200)
    t.equal((await response.arrayBuffer()).byteLength, 100_000)
  }
})

t.test('a TLS handshake that is never answered ends with 504', async t => {
  const silent = await listen(t, net.createServer(() => {}))
  const host = await startHost(t, { profile: 'classic', timeouts: { connect: 200, total: 60_000 } })
  const response = await fetch(host.handler({ action: 'proxy', url: `https://127.0.0.1:${silent.port}/` }))
  t.equal(response.status, 504) // long before the total deadline
})
