import t, { type Test } from 'tap'
import type { BuildRequest } from '../../lib/index.js'
import { deferred } from '../kit/time.js'
import { claimsOf } from '../kit/document-server.js'
import { HANDLER, startHost } from '../kit/host.js'
import { exchange, startUpstream } from '../kit/http.js'
import { memoryLog } from '../kit/log.js'
import { type ServiceOptions, startService } from '../kit/sessions.js'

const QUICK = { interval: 10 }
const SCRIPT = `
builder.CreateFile("docx");
builder.SaveFile("docx", "invoice.docx");
builder.SaveFile("txt", "invoice.txt");
builder.CloseFile();
`

async function startBuilding (t: Test, options: ServiceOptions = {}) {
  const service = await startService(t, options)
  const { app, documentServer } = service
  const scripts = await startUpstream(t, (request, response) => { response.end(request.url === '/broken' ? 'builder.Explode();' : SCRIPT) })
  return {
    ...service,
    scriptUrl: `${scripts.origin}/invoice.docbuilder`,
    scripts,
    build: async (request: BuildRequest) => await app.editorServer.build(request, QUICK),
    builds: () => documentServer.receivedRequests.filter(({ url }) => url.startsWith('/docbuilder')).map(({ url, headers, body }) => {
      const { token, ...fields } = body as { readonly token: string }
      return { shardKey: new URL(url, documentServer.url).searchParams.get('shardkey'), headers, token, fields }
    })
  }
}

t.test('a script at a URL is run with its argument, and its files are fetched', async t => {
  const { build, builds, scriptUrl } = await startBuilding(t)
  const { files } = await build({ url: scriptUrl, argument: { number: 17 } })
  t.strictSame(files.map(({ name }) => name), ['invoice.docx', 'invoice.txt'])
  const [docx, txt] = await Promise.all(files.map(async file => await file.fetch()))
  t.match(docx, { fileType: 'docx', mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' })
  t.equal((await docx!.bytes()).subarray(0, 2).toString(), 'PK')
  t.match(txt, { fileType: 'txt' })
  t.equal((await (await files[0]!.fetch()).bytes()).subarray(0, 2).toString(), 'PK', 'a file can be fetched again')

  const [first, ...polls] = builds()
  t.strictSame(first!.fields, { async: true, url: scriptUrl, argument: { number: 17 } })
  t.ok(polls.length > 0)
  for (const { shardKey, headers, token, fields } of builds()) {
    t.strictSame(claimsOf(token), { ...fields, operation: 'docbuilder' }, 'the body token has flat claims, and one for its purpose')
    t.strictSame(claimsOf(String(headers.authorization).replace('Bearer ', '')), { payload: fields, operation: 'docbuilder' })
    t.equal(shardKey, first!.shardKey, 'a cluster asks the same server every time')
  }
  for (const { fields } of polls) t.strictSame(fields, { async: true, key: (fields as { readonly key?: string }).key })
  await build({ url: scriptUrl, argument: { number: 18 } })
  t.equal(new Set(builds().map(({ shardKey }) => shardKey)).size, 2, 'and another build may go to another one')
})

t.test('a script in the request is served to the document server until the build ends', async t => {
  const log = memoryLog()
  const { build, builds, documentServer, origin } = await startBuilding(t, { server: log.server, emulated: { version: '9.3' } })
  const { files } = await build({ script: SCRIPT, argument: { number: 'ä' } })
  t.equal((await (await files[0]!.fetch()).bytes()).subarray(0, 2).toString(), 'PK')
  const { url } = builds()[0]!.fields as unknown as { readonly url: string }
  t.ok(url.startsWith(`${origin}${HANDLER}/files?id=`))
  const id = new URL(url).searchParams.get('id')!
  t.match(id, /^[\w-]{43}$/)
  t.equal(documentServer.sentRequests.filter(request => request.url === url).length, 1)
  t.notOk(log.text().includes(id), 'its URL is in no log')
  for (const gone of [url, `${origin}${HANDLER}/files`, `${origin}${HANDLER}/files?id=constructor`, `${url}&id=2`]) t.equal((await fetch(gone)).status, 404)
})

t.test('while a build runs its script is bytes for anybody who knows the URL, and nothing that a browser runs', async t => {
  const asked = deferred<string>()
  const server = await startUpstream(t, (request, response) => {
    let body = ''
    request.on('data', chunk => { body += String(chunk) })
    request.once('end', () => {
      const { url } = JSON.parse(body) as { readonly url?: string }
      if (url !== undefined) asked.resolve(url)
      response.end('{"key":"bld_1","end":false}')
    })
  })
  const { app } = await startHost(t, { documentServerOrigin: server.origin })
  const controller = new AbortController()
  const building = app.editorServer.build({ script: '<script>"ä"</script>' }, { ...QUICK, signal: controller.signal }).catch(error => error)
  const url = await asked.promise
  const response = await fetch(url)
  t.equal(await response.text(), '<script>"ä"</script>')
  t.match(Object.fromEntries(response.headers), {
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'content-security-policy': /sandbox/,
    'cache-control': /no-store/
  })
  t.equal((await fetch(url, { method: 'HEAD' })).status, 200)
  for (const method of ['POST', 'PUT', 'DELETE']) t.equal((await fetch(url, { method, body: 'x' })).status, 405)
  const { host, pathname } = new URL(url)
  t.match(
    await exchange(
      t,
      `http://${host}`,
      `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000\r\n\r\nx`
    ),
    /^HTTP\/1\.1 405 [\s\S]*connection: close/i,
    'the body is not read'
  )
  controller.abort(new Error('enough'))
  t.match(await building, { message: 'enough' })
  t.equal((await fetch(url)).status, 404, 'an ended build withdraws it')
})

t.test('an answer or a file that cannot be used rejects', async t => {
  const { documentServer, build, scriptUrl } = await startBuilding(t)
  const body = (text: string) => ({ type: 'answer', status: 200, body: text }) as const
  for (const [fault, code] of [
    [{ type: 'html' }, 'FST_EDITOR_BUILD_FAILED'],
    [body('[]'), 'FST_EDITOR_BUILD_FAILED'],
    [body('{"error":{"toString":1}}'), 'FST_EDITOR_BUILD_FAILED'],
    [body('{"end":true,"urls":{}}'), 'FST_EDITOR_BUILD_FAILED'],
    [body('{"key":"k","end":true}'), 'FST_EDITOR_BUILD_FAILED'],
    [body('{"key":"k","end":true,"urls":{"a.docx":1}}'), 'FST_EDITOR_BUILD_FAILED'],
    ...['', '.', '..', '../a.docx', 'a/b.docx', 'a\\b.docx', 'a\0.docx', 'a\r\nb.docx'].map(name =>
      [
        body(JSON.stringify({ key: 'k', end: true, urls: { [name]: 'http://127.0.0.1:9/' } })),
        'FST_EDITOR_BUILD_FAILED'
      ] as const
    ),
    [{ type: 'answer', status: 404, body: 'Not Found' }, 'FST_EDITOR_UPSTREAM']
  ] as const) {
    documentServer.fault('builder', fault)
    await t.rejects(build({ url: scriptUrl }), { code }, JSON.stringify(fault))
  }
  documentServer.fault('builder', body('{"key":"k","end":true,"urls":{"a.docx":"nowhere","b.docx":"http://127.0.0.1:9/b"}}'))
  const { files: [nowhere, elsewhere] } = await build({ url: scriptUrl })
  await t.rejects(nowhere!.fetch(), { code: 'FST_EDITOR_BUILD_FAILED', message: /the URL of its result is invalid/ })
  await t.rejects(elsewhere!.fetch(), { code: 'FST_EDITOR_ADDRESS_BLOCKED' })
  const { files: [docx] } = await build({ url: scriptUrl, argument: { number: 1 } })
  documentServer.fault('file', { type: 'html' })
  await t.rejects(docx!.fetch(), { code: 'FST_EDITOR_BUILD_FAILED', message: /the result is not docx but an HTML page/ })
  await t.rejects(docx!.fetch({ signal: AbortSignal.abort(new Error('enough')) }), { message: 'enough' })
})

t.test('an invalid request rejects, the message names the field, and nothing is sent', async t => {
  const { app: { editorServer }, documentServer, scriptUrl: url } = await startBuilding(t)
  const cyclic: Record<string, unknown> = {}
  cyclic.self = cyclic
  for (const [field, request] of [
    ['options', null],
    ['url', {}],
    ['url', { url, script: SCRIPT }],
    ['url', { url: 'file:///etc/passwd' }],
    ['script', { script: '' }],
    ['script', { script: 'ä'.repeat(600_000) }],
    ['argument', { url, argument: 'text' }],
    ['argument', { url, argument: [] }],
    ['argument', { url, argument: cyclic }],
    ['key', { url, key: 'k' }]
  ] as const) {
    const error = await editorServer.build(request as unknown as BuildRequest).catch(error => error)
    t.match(error, { code: 'FST_EDITOR_INVALID_OPTION' })
    t.ok(String(error.message).startsWith(`Option ${field} `), error.message)
  }
  await t.rejects(editorServer.build({ url }, { timeout: 1.5 }), { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option timeout / })
  t.strictSame(documentServer.receivedRequests, [])
})
