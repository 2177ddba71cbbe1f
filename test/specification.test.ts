// The specification of the original service, rule by rule, with the profile `classic`: no credential is asked for, no
// address is restricted.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import type { SecureVersion } from 'node:tls'
import t, { type Test } from 'tap'
import { fileStorage } from '../lib/index.js'
import { PDF, pending, ready, SECRET, startConversionService } from './kit/document-server.js'
import { HANDLER, type HostOptions, startHost } from './kit/host.js'
import { answerWith, listen, startUpstream } from './kit/http.js'
import { createCertificate } from './kit/network.js'
import { packageOf } from './kit/packages.js'

const SAVED = 'what the editor saved'

async function startClassic (t: Test, { upstream = answerWith(SAVED), ...options }: HostOptions & { upstream?: http.RequestListener } = {}) {
  const root = t.testdir({ uploads: { 'report.txt': 'old' } })
  const directory = join(root, 'uploads')
  const documentServer = await startUpstream(t, upstream)
  const host = await startHost(t, { profile: 'classic', storage: fileStorage({ directory }), saveRetries: 0, ...options })
  return {
    ...host,
    directory,
    documentServer,
    url: `${documentServer.origin}/result`,
    /** Resolves to the status, the media type and the body. */
    async callback (body: unknown, query: Record<string, string> = { fileId: 'report' }) {
      const response = await fetch(host.handler({ action: 'callback', ...query }), {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body)
      })
      return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
    },
    proxy: async (query: Record<string, string>, init: RequestInit = {}) => await fetch(host.handler({ action: 'proxy', ...query }), init),
    stored: async () => await readFile(join(directory, 'report.txt'), 'utf8')
  }
}

const SUCCESS = '200 application/json {"error":0}'
const FAILURE = '200 application/json {"error":1}'

t.test('stored file: in App_Data/uploads, which is created, found as <fileId>.*', async t => {
  const root = t.testdir({})
  const before = process.cwd()
  process.chdir(root)
  t.teardown(() => process.chdir(before))
  const host = await startHost(t, { profile: 'classic', storage: undefined })
  const { fileId } = await host.app.editorControl().setDocumentFromBytes(Buffer.from('content'), 'Report.docx')
  const uploads = join(root, 'App_Data', 'uploads')
  t.equal(await readFile(join(uploads, `${fileId}.docx`), 'utf8'), 'content')
  await writeFile(join(uploads, 'Annual report.xlsx'), 'from another program')
  t.equal(await (await fetch(host.handler({ action: 'download', fileId: 'Annual report' }))).text(), 'from another program')
})

t.test('callback rule 1: status 2 and 6 with a url overwrite the stored file with what a GET answers', async t => {
  const methods: unknown[] = []
  const { callback, stored, url } = await startClassic(t, {
    upstream (request, response) {
      methods.push(request.method)
      response.end(request.url)
    }
  })
  for (const status of [6, 2]) {
    t.equal(await callback({ status, url: `${url}${status}` }), SUCCESS)
    t.equal(await stored(), `/result${status}`)
  }
  t.strictSame(methods, ['GET', 'GET'])
})

t.test('callback rule 2: another status, a blank url and a missing file write nothing and are answered 0', async t => {
  const { callback, stored, url, documentServer, directory } = await startClassic(t)
  for (const status of [0, 1, 3, 4, 5, 7, 99]) t.equal(await callback({ status, url }), SUCCESS, `status ${status}`)
  for (const status of [2, 6]) {
    for (const blank of [undefined, null, '', ' \t\n']) t.equal(await callback({ status, url: blank }), SUCCESS, `url ${blank}`)
    t.equal(await callback({ status, url }, { fileId: 'missing' }), SUCCESS, 'no stored file')
  }
  t.strictSame(documentServer.requests, [], 'nothing is fetched')
  t.equal(await stored(), 'old')
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')), ['report.txt'])
})

t.test('callback rule 3: whatever fails is answered 200 with error 1', async t => {
  const { callback: send, stored, documentServer, url } = await startClassic(t, {
    upstream: (request, response) => response.writeHead(request.url === '/gone' ? 404 : 500).end('an error page')
  })
  t.equal(await send('{'), FAILURE, 'invalid JSON')
  t.equal(await send({ status: 2, url }, {}), FAILURE, 'no fileId')
  for (const failing of [url, `${documentServer.origin}/gone`, 'http://127.0.0.1:9/', 'no url', 'ftp://127.0.0.1/x']) {
    t.equal(await send({ status: 2, url: failing }), FAILURE, failing)
  }
  t.equal(await stored(), 'old')
})

t.test('callback rule 4: no credential is checked; the url may be on any host, redirects included', async t => {
  const elsewhere = await startUpstream(t, answerWith('from another host'))
  const { callback, stored, url } = await startClassic(t, {
    upstream: (_request, response) => response.writeHead(302, { location: elsewhere.origin }).end()
  })
  t.equal(await callback({ status: 2, url, token: 'garbage', key: 'chosen by the application' }), SUCCESS)
  t.equal(await stored(), 'from another host')
})

t.test('callback: the body is UTF-8, its other fields are ignored, the file keeps its extension', async t => {
  const saved = packageOf(SAVED)
  const { callback, url, directory } = await startClassic(t, { upstream: answerWith(saved) })
  t.equal(await callback({ status: 2, url, filetype: 'docx', users: ['u1'], userdata: 'ü€😀', more: [{}] }), SUCCESS)
  t.ok((await readFile(join(directory, 'report.txt'))).equals(Buffer.from(saved)))
  t.strictSame((await readdir(directory)).filter(name => !name.startsWith('.')), ['report.txt'])
})

t.test('download: the stored bytes without a credential, or 404', async t => {
  const { handler } = await startClassic(t)
  const found = await fetch(handler({ action: 'download', fileId: 'report' }), { headers: { origin: 'https://elsewhere.example' } })
  t.equal(found.status, 200)
  t.equal(await found.text(), 'old')
  t.strictSame([...found.headers.keys()].filter(name => name.startsWith('access-control-')), [], 'no header for other origins')
  for (const query of [{ fileId: 'missing' }, { fileId: '' }, {}] as Array<Record<string, string>>) {
    t.equal((await fetch(handler({ action: 'download', ...query }))).status, 404)
  }
})

t.test('proxy: status, body and the two headers of the upstream', async t => {
  const { proxy, documentServer: { origin } } = await startClassic(t, {
    upstream (request, response) {
      if (request.url === '/typed') response.setHeader('content-type', 'image/png').setHeader('content-disposition', 'attachment; filename="a.png"')
      if (request.url === '/empty') response.setHeader('content-disposition', '')
      response.writeHead(request.url === '/missing' ? 404 : 200).end('bytes')
    }
  })
  const typed = await proxy({ url: `${origin}/typed` }, { headers: { origin: 'https://elsewhere.example' } })
  t.equal(typed.status, 200)
  t.equal(typed.headers.get('content-type'), 'image/png')
  t.equal(typed.headers.get('content-disposition'), 'attachment; filename="a.png"')
  t.strictSame([...typed.headers.keys()].filter(name => name.startsWith('access-control-')), [], 'no header for other origins')
  t.equal(await typed.text(), 'bytes')

  const untyped = await proxy({ url: `${origin}/empty` })
  t.equal(untyped.headers.get('content-type'), 'application/octet-stream')
  t.equal(untyped.headers.has('content-disposition'), false)
  t.equal((await proxy({ url: `${origin}/missing` })).status, 404)
})

t.test('proxy: the body is streamed', async t => {
  let finish = () => {}
  const { proxy, url } = await startClassic(t, {
    upstream (_request, response) {
      response.write('first')
      finish = () => response.end('last')
    }
  })
  const reader = (await proxy({ url })).body!.getReader()
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'first')
  finish()
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'last')
})

t.test('proxy rule 1 and errors: the url is checked for text, an absolute URI, and its scheme', async t => {
  const { proxy } = await startClassic(t)
  const answered = async (query: Record<string, string>) => {
    const response = await proxy(query)
    return `${response.status} ${response.headers.get('content-type')?.replace(/;.*/, '')} ${await response.text()}`
  }
  for (const query of [{}, ...['', ' ', '\t', 'relative', '/a', '//host/a', 'http://'].map(url => ({ url }))] as Array<Record<string, string>>) {
    t.equal(await answered(query), '400 text/plain Invalid URL', JSON.stringify(query))
  }
  for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'javascript:alert(1)']) {
    t.equal(await answered({ url }), '400 text/plain Unsupported URL scheme', url)
  }
})

t.test('proxy rule 2 and 4: a GET, for everybody, of any host, also an internal one', async t => {
  const { documentServer: { port }, proxy } = await startClassic(t, { upstream: (request, response) => response.end(request.method) })
  const six = http.createServer((request, response) => response.end(request.method))
  await listen(t, six, '::1')
  const hosts = [`127.1:${port}`, `localhost:${port}`, `[::ffff:127.0.0.1]:${port}`, `[::1]:${(six.address() as { port: number }).port}`]
  for (const host of hosts) {
    const response = await proxy({ url: `http://${host}/` }, { headers: { origin: 'https://foreign.example', 'sec-fetch-site': 'cross-site', authorization: 'garbage' } })
    t.equal(await response.text(), 'GET', host)
  }
})

t.test('proxy rule 3: any server certificate, and TLS 1.0, 1.1 and 1.2', async t => {
  const { proxy } = await startClassic(t)
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as SecureVersion[]) {
    const { cert, key } = createCertificate({ names: ['docs.example.com'], expired: true })
    const server = https.createServer({ cert, key, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }, answerWith('over TLS'))
    const { port } = await listen(t, server)
    t.equal(await (await proxy({ url: `https://127.0.0.1:${port}/` })).text(), 'over TLS', version)
  }
})

t.test('conversion: polls the derived address until the PDF is ready, and accepts any certificate and host', async t => {
  const elsewhere = await startConversionService(t, ready)
  let attempts = 0
  const { cert, key } = createCertificate()
  const server = https.createServer({ cert, key }, (request, response) => {
    t.equal(request.url, '/ConvertService.ashx')
    if (++attempts < 3) pending(response, attempts, elsewhere.origin)
    else ready(response, attempts, elsewhere.origin)
  })
  const { port } = await listen(t, server)
  const host = await startHost(t, { profile: 'classic', documentServerOrigin: `https://127.0.0.1:${port}` })
  const control = host.app.editorControl()
  await control.setDocumentFromBytes(Buffer.from('content'), 'a.docx')
  t.ok((await control.convertToPdf({ delayMs: 0 })).equals(PDF))
  t.equal(attempts, 3)
})

t.test('conversion errors: after 15 attempts, and an error value', async t => {
  const service = await startConversionService(t, (response, attempt, origin) => {
    if (attempt <= 15) pending(response, attempt, origin)
    else response.end('{"error":-7}')
  })
  const host = await startHost(t, { profile: 'classic', documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.setDocumentFromBytes(Buffer.from('content'), 'a.docx')
  await t.rejects(control.convertToPdf({ delayMs: 0 }), { code: 'FST_EDITOR_CONVERSION_TIMEOUT' })
  t.equal(service.conversions.length, 15)
  await t.rejects(control.convertToPdf({ delayMs: 0 }), { code: 'FST_EDITOR_CONVERSION_FAILED', message: /-7/ })
})

t.test('control: without name, key or url there is no document, and the configuration is null', async t => {
  const host = await startHost(t, { profile: 'classic' })
  const filled = { documentName: 'a.docx', documentKey: 'key', documentUrl: 'https://files.example/a' }
  for (const name of Object.keys(filled)) {
    for (const blank of ['', ' \t']) {
      const control = Object.assign(host.app.editorControl(), filled, { [name]: blank })
      t.equal(control.hasDocument, false, name)
      t.equal(control.configJson, 'null', name)
    }
  }
  t.equal(Object.assign(host.app.editorControl(), filled).hasDocument, true)
})

t.test('control: the configuration of stored bytes has the documented fields and URLs', async t => {
  for (const publicBaseUrl of ['https://app.example.com', 'https://app.example.com/', 'https://app.example.com/office', 'http://10.0.0.7:8080/a%20b//']) {
    const host = await startHost(t, { profile: 'classic', publicBaseUrl })
    const control = host.app.editorControl()
    const { fileId } = await control.setDocumentFromBytes(Buffer.from('content'), 'Report.xlsx')
    const handler = publicBaseUrl.replace(/\/+$/, '') + HANDLER
    t.equal(control.callbackUrl, `${handler}?action=callback&fileId=${encodeURIComponent(fileId)}`)
    const { document, editorConfig } = JSON.parse(control.configJson)
    t.strictSame(document, {
      fileType: 'xlsx',
      key: control.documentKey,
      title: 'Report.xlsx',
      url: `${handler}?action=download&fileId=${encodeURIComponent(fileId)}`
    })
    t.equal(editorConfig.callbackUrl, control.callbackUrl)
  }
})

t.test('authentication: the token signs the configuration with HS256', async t => {
  const host = await startHost(t, { profile: 'classic' })
  const control = host.app.editorControl()
  await control.setDocumentFromBytes(Buffer.from('content'), 'Ümlaut.docx')
  const { token, ...config } = JSON.parse(control.configJson)
  const [header, payload, signature] = token.split('.')
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  t.strictSame(decoded(header), { alg: 'HS256', typ: 'JWT' })
  const { iat, exp, ...claims } = decoded(payload)
  t.strictSame(claims, config)
  t.equal(signature, createHmac('sha256', SECRET).update(`${header}.${payload}`).digest('base64url'))
})

t.test('the page loads the editor API of the document server', async t => {
  const host = await startHost(t, { profile: 'classic', documentServerOrigin: 'https://docs.example.com' })
  const control = host.app.editorControl()
  await control.setDocumentFromBytes(Buffer.from('content'), 'a.docx')
  t.match(control.render(), 'https://docs.example.com/web-apps/apps/api/documents/api.js')
})
