import { randomBytes } from 'node:crypto'
import t from 'tap'
import { startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

t.test('status and body of the upstream answer are forwarded', async t => {
  const bytes = randomBytes(200_000)
  const upstream = await startUpstream(t, (request, response) => {
    response.writeHead(Number(request.url!.slice('/cache/files/'.length)), { 'content-type': 'text/x-test' }).end(bytes)
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  for (const status of [200, 201, 206, 400, 401, 403, 404, 410, 418, 500, 503, 599]) {
    const response = await host.proxied(`${upstream.origin}/cache/files/${status}`)
    t.equal(response.status, status)
    t.ok(Buffer.from(await response.arrayBuffer()).equals(bytes), `body of ${status}`)
    t.equal(response.headers.get('content-type'), 'text/x-test')
  }
  for (const status of [204, 304]) {
    const response = await host.proxied(`${upstream.origin}/cache/files/${status}`)
    t.equal(response.status, status)
    t.equal(await response.text(), '')
  }
})

t.test('Content-Type is forwarded or application/octet-stream, Content-Disposition is forwarded unless it is empty', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    for (const [name, value] of new URL(request.url!, 'http://x').searchParams) response.setHeader(name, value)
    response.end('body')
  })
  const host = await startHost(t, { documentServerOrigin: upstream.origin })
  const table: Array<[headers: Record<string, string>, type: string, disposition: string | null]> = [
    [{}, 'application/octet-stream', null],
    [{ 'content-type': '' }, 'application/octet-stream', null],
    [{ 'content-type': 'application/pdf' }, 'application/pdf', null],
    [{ 'content-type': 'text/plain; charset=iso-8859-1' }, 'text/plain; charset=iso-8859-1', null],
    [{ 'content-disposition': 'attachment; filename="a.pdf"' }, 'application/octet-stream', 'attachment; filename="a.pdf"'],
    [{ 'content-disposition': "inline; filename*=UTF-8''%C3%BC.pdf" }, 'application/octet-stream', "inline; filename*=UTF-8''%C3%BC.pdf"],
    [{ 'content-disposition': '' }, 'application/octet-stream', null],
    [{ 'content-disposition': '   ' }, 'application/octet-stream', null]
  ]
  for (const [headers, type, disposition] of table) {
    const response = await host.proxied(`${upstream.origin}/cache/files/x?${new URLSearchParams(headers)}`)
    const label = JSON.stringify(headers)
    t.equal(response.headers.get('content-type'), type, label)
    t.equal(response.headers.get('content-disposition'), disposition, label)
    t.equal(await response.text(), 'body', label)
  }
})

t.test('an empty body stays empty, and Content-Length is forwarded', async t => {
  const upstream = await startUpstream(t, (request, response) => {
    if (request.url === '/length') response.setHeader('content-length', 5)
    else response.flushHeaders()
    response.end(request.url === '/empty' ? '' : 'bytes')
  })
  const host = await startHost(t, { profile: 'classic' })
  const through = (path: string) => fetch(host.handler({ action: 'proxy', url: upstream.origin + path }))
  t.equal(await (await through('/empty')).text(), '')
  t.equal((await through('/length')).headers.get('content-length'), '5')
  t.equal((await through('/chunked')).headers.get('content-length'), null)
})
