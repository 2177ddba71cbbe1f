import { once } from 'node:events'
import http from 'node:http'
import type { Socket } from 'node:net'
import t from 'tap'
import { deferred } from '../kit/time.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

t.test('when the client disconnects during a proxied body, the upstream connection is closed', async t => {
  const socketClosed = deferred()
  const upstream = await startUpstream(t, (request, response) => {
    request.socket.once('close', () => socketClosed.resolve())
    response.write('begun')
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const request = http.get(host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }), { headers: host.proxyHeaders })
  request.on('error', () => {})
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  await once(response, 'data')
  request.destroy()
  await socketClosed.promise
  t.pass('closed')
})

t.test('when the client disconnects before the upstream answers, the upstream connection is closed', async t => {
  const arrived = deferred()
  const socketClosed = deferred()
  const upstream = await startUpstream(t, request => {
    request.socket.once('close', () => socketClosed.resolve())
    arrived.resolve()
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const request = http.get(host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }), { headers: host.proxyHeaders })
  request.on('error', () => {})
  await arrived.promise
  request.destroy()
  await socketClosed.promise
  t.pass('closed')
})

t.test('a proxied HEAD returns the headers of a GET and reads no body', async t => {
  let sent = 0
  const socketClosed = deferred()
  const upstream = await startUpstream(t, (request, response) => {
    t.equal(request.method, 'GET', 'the upstream request is a GET')
    request.socket.once('close', () => socketClosed.resolve())
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 1024 ** 3, 'content-disposition': 'attachment; filename=a.pdf' })
    const send = () => {
      while (!response.destroyed) {
        sent += 65536
        if (!response.write(Buffer.alloc(65536))) return response.once('drain', send)
      }
    }
    send()
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const response = await host.proxied(`${upstream.origin}/cache/files/x`, { method: 'HEAD' })
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'application/pdf')
  t.equal(response.headers.get('content-disposition'), 'attachment; filename=a.pdf')
  t.equal(response.headers.get('content-length'), String(1024 ** 3))
  t.equal(await response.text(), '')
  await socketClosed.promise
  t.ok(sent < 64 * 1024 ** 2, `${sent} bytes were sent`)
})

t.test('when the upstream dies during the body, the client sees a reset and not a normal end', async t => {
  for (const headers of [{ 'content-length': '100' }, {}] as Array<Record<string, string>>) {
    const sockets: Socket[] = []
    const upstream = await startUpstream(t, (request, response) => {
      sockets.push(request.socket)
      response.writeHead(200, headers).write('half of it')
    })
    const host = await startHost(t, { documentServerOrigin: upstream.origin })
    const request = http.get(host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }), { headers: host.proxyHeaders })
    const [response] = await once(request, 'response') as [http.IncomingMessage]
    const [first] = await once(response, 'data')
    t.equal(String(first), 'half of it')
    sockets[0]!.destroy()
    await t.rejects(once(response, 'end').then(() => 'a clean end', error => { throw error }), { code: 'ECONNRESET' })
    t.equal(response.complete, false)
  }
})

t.test('an upstream that cannot be reached is answered 502', async t => {
  const closing = await startUpstream(t, request => { request.socket.destroy() })
  for (const origin of ['http://127.0.0.1:9', 'http://no-such-host.invalid', closing.origin]) {
    const host = await startHost(t, { documentServerOrigin: origin })
    const response = await host.proxied(`${origin}/cache/files/x`)
    t.equal(response.status, 502, origin)
    t.match(await response.json(), { code: 'FST_EDITOR_UPSTREAM', message: 'The application failed. Its log says why.' })
  }
})

t.test('a thousand clients that disconnect, HEAD requests among them, leave no connection open', async t => {
  const open = new Set<Socket>()
  const upstream = await startUpstream(t, (request, response) => {
    open.add(request.socket)
    request.socket.once('close', () => open.delete(request.socket))
    response.write('begun')
  })
  const host = await startHost(t, { profile: 'classic' })
  const url = host.handler({ action: 'proxy', url: upstream.origin })
  const agent = new http.Agent({ maxSockets: 20 })
  async function leave (index: number): Promise<void> {
    const request = http.request(url, { agent, method: index % 3 === 0 ? 'HEAD' : 'GET' }).end()
    request.on('error', () => {})
    await once(request, 'response')
    request.destroy()
  }
  for (let done = 0; done < 1000; done += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => leave(index)))
  for (const socket of open) await once(socket, 'close')
  t.equal(upstream.requests.length, 1000)
  t.equal(open.size, 0)
})
