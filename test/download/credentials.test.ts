import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { tokenSigner } from '../../lib/document-server/token.js'
import { HANDLER, signed, startHost, tokens } from '../kit/host.js'
import { memoryLog } from '../kit/log.js'

const OTHER_SECRET = 'another-secret-of-this-test-suite-987654'

t.test('a token that does not name the download\'s URL, once and below payload, is refused (secure without signed URLs)', async t => {
  const host = await startHost(t, { signedUrls: false })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const { fileId: otherId } = await host.storage.create('docx', Buffer.from('other'))
  const url = host.handler({ action: 'download', fileId })
  const bearer = (claims: object) => ({ authorization: `Bearer ${signed(claims)}` })

  const table: Array<[status: number, what: string, headers: Record<string, string>]> = [
    [401, 'not the prefix', { authorization: `Token ${signed({ payload: { url } })}` }],
    [403, 'token of another action', bearer({ payload: { url: host.handler({ action: 'callback', fileId }) } })],
    [403, 'two fileIds in the token', bearer({ payload: { url: `${url}&fileId=${otherId}` } })],
    [403, 'no url in the token', bearer({ payload: {} })],
    [403, 'url that is no text', bearer({ payload: { url: 7 } })],
    [403, 'no payload', bearer({ url })]
  ]
  for (const [status, what, headers] of table) {
    const response = await fetch(url, { headers })
    t.equal(response.status, status, what)
    t.notMatch(await response.text(), 'content', what)
  }
})

t.test('with signedUrls a document server token is no credential for a download, because the document server signs any URL in a configuration', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = host.handler({ action: 'download', fileId })
  const response = await fetch(url, { headers: { authorization: `Bearer ${signed({ payload: { url } })}` } })
  t.equal(response.status, 401)
  t.match(await response.json(), { code: 'FST_EDITOR_UNAUTHORIZED' })
})

t.test('a token without an expiry is not accepted as the document server\'s: those the plugin signs have none', async t => {
  const host = await startHost(t, { signedUrls: false })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = host.handler({ action: 'download', fileId })
  const withToken = (claims: object) => fetch(url, { headers: { authorization: `Bearer ${tokens.sign(claims)}` } })
  t.equal((await withToken({ payload: { url } })).status, 401)
  t.equal((await withToken({ payload: { url }, exp: Math.floor(Date.now() / 1000) + 300 })).status, 200)
})

t.test('the log says why a download was refused and how to fix it; the client is told only that it was', async t => {
  const log = memoryLog()
  const host = await startHost(t, { server: log.server, signedUrls: false })
  const signing = await startHost(t, { server: log.server, storage: host.storage })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = host.handler({ action: 'download', fileId })
  const requests: Array<[address: string, headers: Record<string, string>, text: string, advice: RegExp]> = [
    [url, {}, 'Not authorized', /the URL is not signed, and no token .*: enable services/],
    [url, { 'x-token': `Bearer ${signed({})}` }, 'Not authorized', /there is one in the header x-token/],
    [url, { authorization: `Bearer ${signed({}, tokenSigner([OTHER_SECRET]))}` }, 'Not authorized', /signed with another secret: make jwtSecret/],
    [url, { authorization: `Bearer ${signed({ payload: { url: `${url}&x=1` } })}` }, 'Forbidden', /for another URL: compare publicBaseUrl/],
    [signing.handler({ action: 'download', fileId }), {}, 'Not authorized', /the URL is not signed: use the URL from the control/],
    [signing.handler({ action: 'download', fileId, signature: 'x' }), {}, 'Forbidden', /jwtSecret, publicBaseUrl, path and prefix must be the same/]
  ]
  for (const [address, headers, text, advice] of requests) {
    const response = await fetch(address, { headers })
    t.match(await response.json(), { message: text })
    t.match(log.records().find(({ err }) => err && advice.test(err.message)), { msg: 'editor request failed' }, String(advice))
  }
})

t.test('without a credential an unknown file is refused like a known one, so clients cannot probe for files', async t => {
  const host = await startHost(t)
  const response = await fetch(host.handler({ action: 'download', fileId: 'unknown' }))
  t.equal(response.status, 401)
})

t.test('the token\'s URL is compared after parsing: its percent-encoding may differ', async t => {
  const directory = t.testdir({ 'Übung + 1%.docx': 'content' })
  const host = await startHost(t, { storage: fileStorage({ directory }), signedUrls: false })
  const encoded = `${host.origin}${HANDLER}?action=download&fileId=%C3%9Cbung%20%2B%201%25`
  const spellings = [
    encoded, `${host.origin}${HANDLER}?action=download&fileId=Übung%20%2B%201%25`,
    `${host.origin}${HANDLER}?action=download&fileId=Übung+%2B+1%25`,
    `${host.origin}${HANDLER}?fileId=%c3%9cbung%20%2b%201%25&action=download`
  ]
  for (const url of spellings) {
    const response = await fetch(encoded, { headers: { authorization: `Bearer ${signed({ payload: { url } })}` } })
    t.equal(response.status, 200, url)
    t.equal(await response.text(), 'content')
  }
})

t.test('the token\'s URL and the request must name the same file to every URL parser', async t => {
  const directory = t.testdir({ '\ufffd.docx': 'content', '%ff.docx': 'content' })
  const host = await startHost(t, { storage: fileStorage({ directory }), signedUrls: false })
  for (const [requested, inToken, status] of [['%ff', '%ff', 403], ['%ff', '%EF%BF%BD', 403], ['%EF%BF%BD', '%ff', 200], [
    '%EF%BF%BD', '%EF%BF%BD', 200
  ]] as const) {
    const address = (fileId: string) => `${host.origin}${HANDLER}?action=download&fileId=${fileId}`
    const response = await fetch(address(requested), { headers: { authorization: `Bearer ${signed({ payload: { url: address(inToken) } })}` } })
    t.equal(response.status, status, `${requested} by a token for ${inToken}`)
  }
})
