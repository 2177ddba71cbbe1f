import type http from 'node:http'
import t, { type Test } from 'tap'
import { urlSigner } from '../../lib/security/signatures.js'
import { HANDLER, type HostOptions, startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { send, startUpstream } from '../kit/http.js'

const HEADER = 'x-editor-proxy-token'

const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)

interface Request {
  readonly fileId?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly method?: string
  /** Of the query, besides. */
  readonly more?: Record<string, string>
}

/** A service with a document server, which counts what it is asked for, and the means to sign in its name. */
async function start (t: Test, options: HostOptions = {}) {
  const upstream = await startUpstream(t, (_request, response) => response.end('through'))
  const host = await startHost(t, { documentServerOrigin: upstream.origin, ...options })
  const scope = host.origin + HANDLER

  function tokenOf (
    fileId: string,
    { service = scope, expires = inSeconds(600), purpose = 'proxy' as 'proxy' | 'callback' } = {}
  ): string {
    return `${expires}.${urlSigner([SECRET], () => service).sign({ purpose, fileId, expires })}`
  }

  async function statusOf ({ fileId, headers = {}, method = 'GET', more = {} }: Request): Promise<number | undefined> {
    const url = host.handler({ action: 'proxy', ...(fileId !== undefined && { fileId }), url: `${upstream.origin}/cache/files/x`, ...more })
    return (await send(url, { method, headers })).status
  }

  return { host, upstream, tokenOf, statusOf, withToken: (fileId: string, token: string) => statusOf({ fileId, headers: { [HEADER]: token } }) }
}

for (const method of ['GET', 'HEAD']) {
  t.test(`without the page's token a proxy request is answered 401 or 403, and nothing is fetched, ${method}`, async t => {
    const { host, upstream, tokenOf, statusOf } = await start(t)
    const { fileId } = await host.storage.create('docx', Buffer.from('x'))
    const { proxyToken } = await host.app.editorControl().openDocument(fileId)
    const changed = (at: number) => proxyToken.slice(0, at) + (proxyToken[at] === '1' ? '2' : '1') + proxyToken.slice(at + 1)
    const [end, signature] = proxyToken.split('.') as [string, string]
    const signatureIn = (url: string) => new URL(url).searchParams.get('signature')!

    const table: Array<[what: string, status: number, request: Request]> = [
      ['none, of a page without document', 401, {}],
      ['in the query, as another name', 401, {
        fileId,
        more: { proxyToken, token: proxyToken, signature, expires: end }
      }],
      ['in other headers', 401, {
        fileId,
        headers: {
          authorization: `Bearer ${proxyToken}`,
          'x-proxy-token': proxyToken,
          'x-editor-token': proxyToken,
          cookie: `${HEADER}=${proxyToken}`,
          referer: `http://x/${proxyToken}`
        }
      }],
      ['expired long ago', 401, { fileId, headers: { [HEADER]: tokenOf(fileId, { expires: '1' }) } }],
      ['empty', 403, { fileId, headers: { [HEADER]: '' } }],
      ['blank', 403, { fileId, headers: { [HEADER]: ' ' } }],
      ['a dot', 403, { fileId, headers: { [HEADER]: '.' } }],
      ['the end alone', 403, { fileId, headers: { [HEADER]: end } }],
      ['without a signature', 403, { fileId, headers: { [HEADER]: `${end}.` } }],
      ['the signature alone', 403, { fileId, headers: { [HEADER]: signature } }],
      ['without an end', 403, { fileId, headers: { [HEADER]: `.${signature}` } }],
      ['of a later end', 403, { fileId, headers: { [HEADER]: `${Number(end) + 1}.${signature}` } }],
      ['with a character changed', 403, { fileId, headers: { [HEADER]: changed(proxyToken.length - 5) } }],
      ['with a digit changed', 403, { fileId, headers: { [HEADER]: changed(5) } }],
      ['cut', 403, { fileId, headers: { [HEADER]: proxyToken.slice(0, -1) } }],
      ['longer', 403, { fileId, headers: { [HEADER]: `${proxyToken}x` } }],
      ['as base64 instead of base64url', 403, { fileId, headers: { [HEADER]: `${end}.${Buffer.from(signature, 'base64url').toString('base64')}` } }],
      ['behind Bearer', 403, { fileId, headers: { [HEADER]: `Bearer ${proxyToken}` } }],
      ['twice', 403, { fileId, headers: { [HEADER]: [proxyToken, proxyToken] } }],
      ['after a wrong one', 403, { fileId, headers: { [HEADER]: ['garbage', proxyToken] } }],
      ['of a page without document, for one with', 403, { fileId, headers: { [HEADER]: tokenOf('') } }],
      ['of a page with document, for one without', 403, { headers: { [HEADER]: proxyToken } }],
      ['of a file whose id begins alike', 403, { fileId: fileId.slice(0, -1), headers: { [HEADER]: proxyToken } }],
      ['of another path of the service', 403, { fileId, headers: { [HEADER]: tokenOf(fileId, { service: `${host.origin}/office${HANDLER}` }) } }],
      ['for a callback', 403, { fileId, headers: { [HEADER]: tokenOf(fileId, { purpose: 'callback' }) } }],
      ['the signature of the download URL', 403, { fileId, headers: { [HEADER]: `${new URL(host.urls.download(fileId)).searchParams.get('expires')}.${signatureIn(host.urls.download(fileId))}` } }],
      ['the signature of the callback URL', 403, { fileId, headers: { [HEADER]: `.${signatureIn(host.urls.callback(fileId))}` } }],
      ['the signature of the callback URL alone', 403, { fileId, headers: { [HEADER]: signatureIn(host.urls.callback(fileId)) } }]
    ]
    for (const [what, status, request] of table) t.equal(await statusOf({ ...request, method }), status, what)
    t.strictSame(upstream.requests, [])

    for (const [what, request] of [
      ['as the control gives it', { fileId, headers: { [HEADER]: proxyToken } }],
      ['with its name in capitals', { fileId, headers: { 'X-Editor-Proxy-Token': proxyToken } }],
      ['made by hand', { fileId, headers: { [HEADER]: tokenOf(fileId) } }],
      ['of a page without document', { headers: { [HEADER]: tokenOf('') } }],
      ['of a page without document, which says so', { fileId: '', headers: { [HEADER]: tokenOf('') } }]
    ] as const) t.equal(await statusOf({ ...request, method }), 200, what)
    t.equal(upstream.requests.length, 5)
  })
}

t.test('a token is valid for exactly one fileId, even an unusual one, and a request with two fileIds is refused', async t => {
  const { host, upstream, tokenOf, withToken } = await start(t)
  for (const fileId of ['ü 😀&=#?+%41/../x', '"quotes" \'and\' <tags>', 'null', '0', 'a\u0000b']) {
    t.equal(await withToken(fileId, tokenOf(fileId)), 200, fileId)
    t.equal(await withToken(`${fileId} `, tokenOf(fileId)), 403, fileId)
  }
  const twice = `${host.handler({ action: 'proxy', url: `${upstream.origin}/cache/files/x`, fileId: 'a' })}&fileId=b`
  upstream.requests.length = 0
  for (const fileId of ['a', 'b', 'a,b', '']) t.equal((await fetch(twice, { headers: { [HEADER]: tokenOf(fileId) } })).status, 400, fileId)
  t.strictSame(upstream.requests, [])
})
