import t from 'tap'
import { fragmentType } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

t.test('only listed upstream headers are forwarded', async t => {
  const upstream = await startUpstream(t, (_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': ['session=stolen; Path=/', 'b=2'],
      location: 'https://evil.example/',
      'strict-transport-security': 'max-age=63072000',
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'content-security-policy': "default-src * 'unsafe-inline'",
      'x-content-type-options': 'none',
      'cache-control': 'public, max-age=31536000',
      'clear-site-data': '"*"',
      'service-worker-allowed': '/',
      refresh: '0; url=https://evil.example/',
      link: '</evil.css>; rel=stylesheet',
      'www-authenticate': 'Basic realm="password please"',
      etag: '"x"',
      'x-anything': 'else'
    }).end('body')
  })
  const host = await startHost(t, { profile: 'classic' })
  const response = await fetch(host.handler({ action: 'proxy', url: upstream.origin }))
  t.equal(await response.text(), 'body')
  t.strictSame([...response.headers.keys()].sort(), [
    'cache-control', 'connection', 'content-security-policy', 'content-type', 'cross-origin-resource-policy', 'date',
    'keep-alive', 'transfer-encoding', 'x-content-type-options'
  ])
  t.equal(response.headers.get('content-security-policy'), 'sandbox; default-src \'none\'')
  t.equal(response.headers.get('x-content-type-options'), 'nosniff')
  t.equal(response.headers.get('cross-origin-resource-policy'), 'same-origin')
  t.equal(response.headers.get('cache-control'), 'private, no-store')
})

t.test('proxied HTML, SVG and XML are sandboxed and not sniffed, upstream errors too', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    response.writeHead(request.url === '/error' ? 404 : 200, { 'content-type': decodeURIComponent(request.url!.slice(1)) }).end('<script>alert(1)</script>')
  })
  const host = await startHost(t, { profile: 'classic' })
  for (const type of ['text/html', 'image/svg+xml', 'application/xml', 'application/xhtml+xml', 'error']) {
    const response = await fetch(host.handler({ action: 'proxy', url: `${upstream.origin}/${encodeURIComponent(type)}` }))
    await response.arrayBuffer()
    t.equal(response.headers.get('x-content-type-options'), 'nosniff', type)
    t.match(response.headers.get('content-security-policy'), /^sandbox;/, type)
  }
})

t.test('a multipart answer, whose parts would have headers of their own, is forwarded as application/octet-stream', async t => {
  const types = [
    'multipart/x-mixed-replace; boundary=x', 'multipart/x-mixed-replace', 'multipart/mixed; boundary="x"',
    'multipart/related; type="text/html"; boundary=x', 'multipart/form-data; boundary=x',
    'multipart/byteranges; boundary=x', 'multipart/', 'multipart/anything', 'MULTIPART/X-MIXED-REPLACE; boundary=x',
    'Multipart/Mixed', ' multipart/x-mixed-replace; boundary=x', '\tmultipart/x-mixed-replace',
    'multipart/x-mixed-replace, text/plain', 'text/plain, multipart/x-mixed-replace; boundary=x',
    'text/plain; a=b, multipart/x-mixed-replace;boundary=x'
  ]
  const upstream = await startUpstream(t, (request, response) => {
    response.writeHead(200, {
      'content-type': types[Number(new URL(request.url!, 'http://x').searchParams.get('type'))]!
    }).end('--x\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\n\r\n<script>alert(1)</script>\r\n--x--')
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  for (const [number, type] of types.entries()) {
    for (const method of ['GET', 'HEAD']) {
      const response = await host.proxied(`${upstream.origin}/cache/files/x?type=${number}`, { method })
      t.equal(response.headers.get('content-type'), 'application/octet-stream', `${method} ${type}`)
      t.equal(response.headers.get('x-content-type-options'), 'nosniff')
      t.match(await response.text(), method === 'GET' ? /^--x[^]*--x--$/ : /^$/, 'the bytes are as they were')
    }
  }
})

t.test('the media type of editor fragments is forwarded as application/octet-stream', async t => {
  const types = [
    fragmentType, `${fragmentType}; charset=utf-8`, fragmentType.toUpperCase(), ` ${fragmentType}`,
    `text/plain, ${fragmentType}`, `${fragmentType}, text/plain`
  ]
  const upstream = await startUpstream(t, (request, response) => {
    response.writeHead(200, {
      'content-type': types[Number(new URL(request.url!, 'http://x').searchParams.get('type'))]!
    }).end('<div data-onlyoffice-editor>')
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  for (const [number, type] of types.entries()) {
    const response = await host.proxied(`${upstream.origin}/cache/files/x?type=${number}`)
    t.equal(response.headers.get('content-type'), 'application/octet-stream', type)
    t.equal(await response.text(), '<div data-onlyoffice-editor>')
  }
})

const ok = (headers: string) => Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 4\r\n\r\nbody`, 'latin1')

t.test('of a duplicate Content-Type or Content-Disposition the first value is forwarded; an invalid one is dropped', async t => {
  const table: Array<[headers: string, type: string, disposition: string | null]> = [
    ['Content-Type: text/plain\r\nContent-Type: text/html\r\n', 'text/plain', null],
    ['Content-Disposition: attachment; filename=a\r\nContent-Disposition: attachment; filename=b\r\n', 'application/octet-stream', 'attachment; filename=a'],
    ['Content-Disposition: attachment; filename="\xfcbung.pdf"\r\n', 'application/octet-stream', 'attachment; filename="\xfcbung.pdf"'],
    ['Content-Type: text/plain; x=\xff\r\n', 'text/plain; x=\xff', null],
    ['Content-Disposition: attachment; filename="a\x80b.pdf"\r\n', 'application/octet-stream', 'attachment; filename="a\x80b.pdf"']
  ]
  const host = await startHost(t, { profile: 'classic' })
  for (const [headers, type, disposition] of table) {
    const upstream = await startUpstream(t, ok(headers))
    const response = await fetch(host.handler({ action: 'proxy', url: upstream.origin }))
    t.equal(response.status, 200, headers)
    t.equal(await response.text(), 'body')
    t.equal(response.headers.get('content-type'), type, headers)
    t.equal(response.headers.get('content-disposition'), disposition, headers)
  }
})

t.test('raw UTF-8 in an upstream header never causes a 500', async t => {
  const host = await startHost(t, { profile: 'classic' })
  for (const headers of ['Content-Disposition: attachment; filename="отчёт 😀.pdf"\r\n', 'Content-Type: тип/плохой\r\n']) {
    const upstream = await startUpstream(t, Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 4\r\n\r\nbody`, 'utf8'))
    const response = await fetch(host.handler({ action: 'proxy', url: upstream.origin }))
    t.equal(response.status, 200, headers)
    t.equal(await response.text(), 'body')
  }
})

t.test('a malformed HTTP answer is answered 502, and the process survives', async t => {
  const answers: Record<string, string> = {
    'bare CR in a header': 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\rSet-Cookie: a=b\r\nContent-Length: 4\r\n\r\nbody',
    'NUL in a header': 'HTTP/1.1 200 OK\r\nContent-Disposition: a\0b\r\nContent-Length: 4\r\n\r\nbody',
    'headers over 16 kB': `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\nContent-Length: 4\r\n\r\nbody`,
    'many headers over 16 kB': `HTTP/1.1 200 OK\r\n${'X-Many: value\r\n'.repeat(3000)}Content-Length: 4\r\n\r\nbody`,
    'a header without a colon': 'HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 4\r\n\r\nbody',
    'status 099': 'HTTP/1.1 099 Odd\r\nContent-Length: 4\r\n\r\nbody',
    'status 101': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'status 999': 'HTTP/1.1 999 Odd\r\nContent-Length: 4\r\n\r\nbody',
    'status 600': 'HTTP/1.1 600 Odd\r\nContent-Length: 4\r\n\r\nbody',
    'a status that is no number': 'HTTP/1.1 abc Odd\r\nContent-Length: 4\r\n\r\nbody',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody',
    'a length that is no number': 'HTTP/1.1 200 OK\r\nContent-Length: four\r\n\r\nbody',
    'HTTP/0.9': '<html>body</html>',
    'TLS alert': '\x15\x03\x01\x00\x02\x02\x46',
    nothing: '',
    'cut headers': 'HTTP/1.1 200 OK\r\nContent-Type: text'
  }
  for (const [what, answer] of Object.entries(answers)) {
    const upstream = await startUpstream(t, Buffer.from(answer, 'latin1'))
    const host = await startHost(t, { documentServerOrigin: upstream.origin })
    const response = await host.proxied(`${upstream.origin}/cache/files/x`)
    t.equal(response.status, 502, what)
    t.match(await response.json(), { code: 'FST_EDITOR_UPSTREAM' }, what)
    t.equal(response.headers.get('set-cookie'), null)
  }
})

t.test('a folded upstream header does not become a second header', async t => {
  const upstream = await startUpstream(
    t,
    'HTTP/1.1 200 OK\r\nContent-Disposition: attachment;\r\n filename=a\r\n Set-Cookie: a=b\r\nContent-Length: 4\r\n\r\nbody'
  )
  const host = await startHost(t, { profile: 'classic' })
  const response = await fetch(host.handler({ action: 'proxy', url: upstream.origin }))
  t.equal(response.status, 502)
  t.equal(response.headers.get('set-cookie'), null)
})
