import { once } from 'node:events'
import http from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { deferred } from '../kit/time.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

t.test('the client gets the first byte before the upstream ends', async t => {
  const arrived = deferred()
  const upstream = await startUpstream(t, (_request, response) => {
    response.write('first')
    arrived.promise.then(() => response.end(' and last'))
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const request = http.get(host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }), { headers: host.proxyHeaders })
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  const [first] = await once(response, 'data')
  t.equal(String(first), 'first')
  arrived.resolve()
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  t.equal(Buffer.concat(chunks).toString(), ' and last')
})

t.test('a client that does not read pauses the upstream', async t => {
  const size = 256 * 1024 ** 2
  let sent = 0
  const stopped = deferred()
  const upstream = await startUpstream(t, (_request, response) => {
    const chunk = Buffer.alloc(1024 ** 2)
    function send () {
      while (sent < size) {
        sent += chunk.length
        if (!response.write(chunk)) {
          stalled = setTimeout(stopped.resolve, 500) // nothing was taken any more for so long
          return
        }
      }
      stopped.resolve()
    }
    let stalled: NodeJS.Timeout
    response.on('drain', () => { clearTimeout(stalled); send() })
    send()
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const request = http.get(host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x` }), { headers: host.proxyHeaders })
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  response.pause()
  await stopped.promise
  t.ok(sent < size / 4, `${sent} bytes were taken from the upstream`)
  request.destroy()
})

t.test('a body encoded despite Accept-Encoding: identity arrives decoded', async t => {
  const content = Buffer.from('readable '.repeat(10_000))
  const encode: Record<string, (bytes: Buffer) => Buffer> = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
  const upstream = await startUpstream(t, (request, response) => {
    t.equal(request.headers['accept-encoding'], 'identity')
    const encoding = request.url!.slice('/cache/files/'.length)
    const bytes = encode[encoding]!(content)
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length, 'content-type': 'text/plain' }).end(bytes)
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  for (const encoding of Object.keys(encode)) {
    const response = await host.proxied(`${upstream.origin}/cache/files/${encoding}`)
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-encoding'), null)
    t.equal(response.headers.get('content-type'), 'text/plain')
    t.ok(Buffer.from(await response.arrayBuffer()).equals(content), encoding)
  }
})

t.test('a body without a length that arrives at once is forwarded up to maxFileSize, and answered 502 above it', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    response.flushHeaders()
    response.end(Buffer.alloc(Number(request.url!.slice('/cache/files/'.length)), 'x'))
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin, maxFileSize: 1000 })
  t.equal((await (await host.proxied(`${upstream.origin}/cache/files/1000`)).text()).length, 1000)
  const tooLarge = await host.proxied(`${upstream.origin}/cache/files/1001`)
  t.equal(tooLarge.status, 502)
  t.match(await tooLarge.json(), { code: 'FST_EDITOR_TOO_LARGE' })
})

t.test('when a hook of the application sends something other than the proxied body, the upstream connection is closed', async t => {
  const closed = deferred()
  const upstream = await startUpstream(t, (request, response) => {
    request.socket.once('close', () => closed.resolve())
    response.write('begun')
  })
  const host = await startHost(t, {
    documentServerOrigin: upstream.origin,
    prepare: app => app.addHook('onSend', async (_request, reply) => {
      reply.removeHeader('content-length')
      return 'something else'
    })
  })
  t.equal(await (await host.proxied(`${upstream.origin}/cache/files/x`)).text(), 'something else')
  await closed.promise
})

t.test('an unsupported content encoding is answered 502', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    response.writeHead(200, { 'content-encoding': request.url!.slice(1) }).end('bytes')
  })
  const host = await startHost(t, { profile: 'classic' })
  for (const encoding of ['compress', 'gzip,%20br', 'constructor', '__proto__']) {
    const response = await fetch(host.handler({ action: 'proxy', url: `${upstream.origin}/${encoding}` }))
    t.equal(response.status, 502, encoding)
  }
})
