import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { claimsOf, PDF, pending, ready, startConversionService } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { startReverseProxy } from '../kit/http.js'

const REPORT = readFileSync(new URL('../fixtures/documents/report.docx', import.meta.url))

t.test('the conversion returns the PDF as bytes', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'Report.docx')
  const pdf = await control.convertToPdf()
  t.ok(Buffer.isBuffer(pdf))
  t.ok(pdf.equals(PDF))
  t.equal(service.conversions.length, 1)
  t.strictSame(service.downloads, ['/result.pdf'])
})

t.test('the conversion request has the documented fields and two tokens', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'Übung.docx')
  await control.convertToPdf()

  const [{ method, headers, body: { token, ...fields } }] = service.conversions as [typeof service.conversions[0]]
  t.equal(method, 'POST')
  t.equal(headers['content-type'], 'application/json')
  t.equal(headers.accept, 'application/json')
  const { key } = fields
  t.match(key, /^[0-9A-Za-z._=-]{1,128}$/)
  t.strictSame(fields, { async: true, filetype: 'docx', key, outputtype: 'pdf', title: 'Übung.docx', url: control.documentUrl })
  t.strictSame(claimsOf(token), { ...fields, operation: 'converter' }, 'the token in the body signs the request and names its purpose')
  t.match(headers.authorization, /^Bearer /)
  t.strictSame(
    claimsOf(headers.authorization!.slice('Bearer '.length)),
    { payload: fields, operation: 'converter' },
    'the token in the header signs it as payload'
  )
})

t.test('with operationClaim: false the tokens sign the request alone', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin, documentServer: { operationClaim: false } })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  await control.convertToPdf()
  const [{ headers, body: { token, ...fields } }] = service.conversions as [typeof service.conversions[0]]
  t.strictSame(claimsOf(token), fields)
  t.strictSame(claimsOf(headers.authorization!.slice('Bearer '.length)), { payload: fields })
})

t.test('a configuration and data for the editor name no purpose: a document server refuses that', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const image = { c: 'add' as const, images: [{ fileType: 'png' as const, url: 'https://app.example.com/a.png' }] }
  const { sign } = host.app.editorServer
  const signed = [control.config!.token, sign('insertImage', image).token, sign(image).token]
  for (const token of signed) t.notOk('operation' in claimsOf(token), 'without the claim')
})

t.test('polling repeats the identical request', async t => {
  const service = await startConversionService(t, (response, attempt, origin) => (attempt < 4 ? pending : ready)(response, attempt, origin))
  const host = await startHost(t, { documentServerOrigin: service.origin })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  t.ok((await control.convertToPdf({ delayMs: 0 })).equals(PDF))
  t.equal(service.conversions.length, 4)
  for (const { body } of service.conversions) t.strictSame(body, service.conversions[0]!.body)
})

t.test('the conversion URL consists of the scheme and authority of editorApiUrl and /ConvertService.ashx', async t => {
  const service = await startConversionService(t, ready)
  const { origin, port } = service
  for (const editorApiUrl of [
    `${origin}/web-apps/apps/api/documents/api.js`, origin, `${origin}/`, `${origin}/api.js?v=1&x=/y/`, `${origin}/deep/path/`,
    `${origin}//double//slash`, `${origin}/api.js#fragment`, `http://127.0.0.1:${port}/%2e%2e/x`, `HTTP://127.0.0.1:${port}/API.JS`
  ]) {
    const host = await startHost(t, { editorApiUrl })
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from('content'), 'a.docx')
    t.ok((await control.convertToPdf()).equals(PDF), editorApiUrl)
    t.equal(service.conversions.pop()!.url, '/ConvertService.ashx')
    t.strictSame(service.conversions, [])
  }
})

t.test('with documentServer.internalUrl both requests go there, whatever host the answer names', async t => {
  const service = await startConversionService(t, response => {
    response.end(JSON.stringify({ fileUrl: 'https://docs.invalid/cache/result.pdf?md5=a%2Fb&expires=1', endConvert: true }))
  })
  const host = await startHost(t, { documentServerOrigin: 'https://docs.invalid', documentServer: { internalUrl: service.origin } })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  t.ok((await control.convertToPdf()).equals(PDF))
  t.equal(service.conversions.length, 1)
  t.strictSame(service.downloads, ['/cache/result.pdf?md5=a%2Fb&expires=1'])
})

t.test('a result on another origin is refused without a request, unless it is one of the document server\'s', async t => {
  const elsewhere = await startConversionService(t, ready)
  const service = await startConversionService(t, (response, attempt) => ready(response, attempt, elsewhere.origin))
  const convert = async (options: HostOptions) => {
    const host = await startHost(t, { documentServerOrigin: service.origin, ...options })
    const control = host.app.editorControl()
    await control.uploadDocument(Buffer.from('content'), 'a.docx')
    return control.convertToPdf()
  }
  await t.rejects(convert({}), { code: 'FST_EDITOR_ADDRESS_BLOCKED', statusCode: 502 })
  t.strictSame(elsewhere.downloads, [])
  t.ok((await convert({ documentServer: { origins: [elsewhere.origin] } })).equals(PDF))
})

t.test('without a document no request is sent', async t => {
  const service = await startConversionService(t, ready)
  const host = await startHost(t, { documentServerOrigin: service.origin })
  await t.rejects(host.app.editorControl().convertToPdf(), { code: 'FST_EDITOR_NO_DOCUMENT' })
  t.equal(service.conversions.length, 0)
})

t.test('results and forgotten files are fetched, whatever base the document server writes before their path', async t => {
  const query = '?md5=a&expires=1'
  const result = `/cache/files/data/conv_1/output.pdf/a.pdf${query}&filename=a.pdf`
  const alias = 'https://docs.example.com'
  let base = ''
  let key = ''
  const forgotten = () => `/cache/files/forgotten/${key}/output.docx/output.docx${query}&filename=output.docx`
  const commands: Record<string, () => object> = {
    getForgottenList: () => ({ error: 0, keys: [key] }),
    getForgotten: () => ({ error: 0, url: base + forgotten() }),
    info: () => ({ error: 1 }),
    deleteForgotten: () => ({ error: 0 })
  }
  const service = await startConversionService(t, response => {
    response.end(JSON.stringify({ fileUrl: base + result, fileType: 'pdf', endConvert: true }))
  }, async (request, response) => {
    if (request.method === 'POST') response.end(JSON.stringify(commands[JSON.parse(await text(request)).c]!()))
    else if (request.url === result) response.end(PDF)
    else response.writeHead(request.url === forgotten() ? 200 : 404).end(REPORT)
  })
  // Has the document server below this path only.
  const proxy = await startReverseProxy(t, {
    rewrite: url => url.replace('/office', ''),
    answer: ({ url }, response) => !url!.startsWith('/office/') && response.writeHead(404).end().writableEnded
  })
  proxy.forwardTo(service.origin)
  const bases = [`${proxy.origin}/office`, proxy.origin, `${proxy.origin}/another`, alias, `${alias}/office`]

  for (const internalUrl of [undefined, service.origin]) {
    const host = await startHost(t, {
      documentServerOrigin: `${proxy.origin}/office`,
      documentServer: { origins: [`${alias}/named`], ...(internalUrl !== undefined && { internalUrl }) }
    })
    for (base of [...bases, ...internalUrl === undefined ? [] : [internalUrl, `${internalUrl}/office`]]) {
      const control = host.app.editorControl()
      const { fileId } = await control.uploadDocument(Buffer.from('content'), 'a.docx')
      key = control.documentKey
      t.ok((await control.convertToPdf()).equals(PDF), `${internalUrl}: ${base}`)
      t.match(await host.app.editorServer.recoverForgotten(), [{ key, fileId }], `${internalUrl}: ${base}`)
      t.equal(await host.storedText(fileId), REPORT.toString())
    }
  }
})
