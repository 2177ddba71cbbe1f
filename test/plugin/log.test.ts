import t from 'tap'
import { ready, SECRET, startConversionService } from '../kit/document-server.js'
import { signed, startHost } from '../kit/host.js'

t.test('the log at level trace contains no secret, token or query string of downloads, proxied URLs and conversions', async t => {
  const lines: string[] = []
  const service = await startConversionService(t, ready, (request, response) => {
    if (request.url!.startsWith('/cache/files/dying')) return response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy())
    response.end('%PDF-1.7')
  })
  const host = await startHost(t, {
    documentServerOrigin: service.origin,
    server: { logger: { level: 'trace', stream: { write: line => { lines.push(line) } } } }
  })
  const control = host.app.editorControl()
  const { fileId } = await control.uploadDocument(Buffer.from('content'), 'Marked title.docx')
  await control.convertToPdf()
  const token = signed({ payload: { url: control.documentUrl } })
  const { proxyToken } = control
  const proxied = host.handler({ action: 'proxy', fileId, url: `${service.origin}/cache/files/result?md5=marked-md5` })
  const page = { 'x-editor-proxy-token': proxyToken }
  const requests: Array<readonly [url: string, headers?: Record<string, string>]> = [
    [control.documentUrl, { authorization: `Bearer ${token}` }],
    [control.documentUrl, { authorization: `Bearer ${token}x`, cookie: 'session=marked-cookie' }],
    [control.documentUrl],
    [`${control.documentUrl}&marked-parameter=1`],
    ...[`${proxyToken}x`, 'marked-proxy-token'].map(token => [proxied, { ...page, 'x-editor-proxy-token': token }] as const),
    [proxied],
    [host.handler({ action: 'proxy', fileId, url: `${service.origin}/cache/files/dying?md5=marked-md5` }), page],
    [host.handler({ action: 'proxy', fileId, url: `${service.origin}/info/marked-path` }), page],
    [host.handler({ action: 'proxy', url: 'http://marked-user:marked-password@127.0.0.1:9/?md5=marked-md5' }), host.proxyHeaders],
    [host.handler({ action: 'proxy', url: 'file:///marked-path' })],
    [host.handler({ action: 'marked-action' })],
    [`${host.origin}/Controls/Editor/EditorHandler.ashx/assets/editor.js?marked-parameter=1`]
  ]
  const found = await fetch(proxied, { headers: page })
  t.equal(await found.text(), '%PDF-1.7')
  for (const [url, headers] of requests) await fetch(url, headers && { headers }).then(response => response.text()).catch(() => {})

  const log = lines.join('')
  t.ok(lines.length >= requests.length, 'there is a log')
  t.match(log, '/Controls/Editor/EditorHandler.ashx')
  for (const text of [
    SECRET,
    token,
    token.split('.')[2]!,
    proxyToken,
    proxyToken.split('.')[1]!,
    host.proxyHeaders['x-editor-proxy-token']!,
    'Bearer',
    'eyJhbGci',
    'md5=',
    'marked',
    'action=',
    `fileId=${fileId}`
  ]) {
    t.notOk(log.includes(text), text)
  }
})
