import type { ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import t from 'tap'
import { memoryStorage } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { startHost } from '../kit/host.js'
import { startDocumentServer } from '../kit/document-server.js'
import { startUpstream } from '../kit/http.js'

const CREDENTIAL = 'X-Signature=4f2b9c'

/** A storage that serves its files itself, under URLs with a credential, and a service that redirects to it. */
async function startRedirecting (t: Test, documentServerOrigin?: string, change = (url: string) => url) {
  const memory = memoryStorage()
  const served: string[] = []
  const send = async (fileId: string, response: ServerResponse) => {
    const file = await memory.read(fileId)
    response.end(await buffer(file!.body))
  }
  const store = await startUpstream(t, ({ url = '', headers }, response) => {
    const { pathname, search } = new URL(url, 'http://localhost')
    served.push(pathname)
    if (search !== `?${CREDENTIAL}` || headers.authorization !== undefined) response.writeHead(403).end()
    else send(pathname.slice(1), response).catch(() => response.destroy())
  })
  const storage: DocumentStore = {
    ...memory,
    async downloadUrl (fileId) {
      const info = await memory.stat(fileId)
      return info && { info, url: change(`${store.origin.replace('127.0.0.1', 'localhost')}/${fileId}?${CREDENTIAL}`) }
    }
  }
  const host = await startHost(t, { storage, ...documentServerOrigin !== undefined && { documentServerOrigin } })
  return { host, served, memory }
}

t.test('a download is redirected to where the storage serves it, and only to requests that may have it', async t => {
  const { host, served } = await startRedirecting(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('the content'))
  const url = host.urls.download(fileId)

  const redirect = await fetch(url, { redirect: 'manual' })
  t.equal(redirect.status, 302)
  t.match(redirect.headers.get('location'), CREDENTIAL)
  t.equal(redirect.headers.get('cache-control'), 'private, no-store')
  t.equal(redirect.headers.get('referrer-policy'), 'no-referrer')
  t.equal(await redirect.text(), '')
  const ranged = await fetch(url, { redirect: 'manual', headers: { range: 'bytes=0-1' } })
  t.equal(ranged.status, 302, 'the storage answers ranges itself')
  t.equal(await (await fetch(url)).text(), 'the content')

  for (const [status, forged] of [[403, url.replace(/signature=[^&]+/, 'signature=x')], [
    401, host.handler({ action: 'download', fileId })
  ], [404, host.urls.download('absent')]] as const) {
    const response = await fetch(forged, { redirect: 'manual' })
    t.equal(response.status, status)
    t.notOk(response.headers.has('location'))
  }
  t.strictSame(served, [`/${fileId}`])
})

t.test('HEAD and a client that has the present content are answered without the storage', async t => {
  const { host, served } = await startRedirecting(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('the content'))
  const url = host.urls.download(fileId)
  const head = await fetch(url, { method: 'HEAD', redirect: 'manual' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-length'), '11')
  const revalidated = await fetch(url, { redirect: 'manual', headers: { 'cache-control': 'max-age=0', 'if-none-match': head.headers.get('etag')! } })
  t.equal(revalidated.status, 304)
  t.strictSame(served, [])
})

t.test('nobody is redirected to what is no http(s) URL, and what a header cannot contain is encoded', async t => {
  let given = ''
  const { host } = await startRedirecting(t, undefined, () => given)
  const { fileId } = await host.storage.create('docx', Buffer.from('the content'))
  for (given of ['file:///etc/hostname', 'javascript:0', '/elsewhere', '']) {
    const response = await fetch(host.urls.download(fileId), { redirect: 'manual' })
    t.equal(response.status, 500, given)
    t.notOk(response.headers.has('location'))
  }
  given = 'https://store.test/a b\r\nset-cookie: x=ü'
  const response = await fetch(host.urls.download(fileId), { redirect: 'manual' })
  t.equal(response.status, 302)
  t.equal(response.headers.get('location'), 'https://store.test/a%20bset-cookie:%20x=%C3%BC')
  t.notOk(response.headers.has('set-cookie'))
})

t.test('a document server follows the redirect, and does not pass its token on', async t => {
  const documentServer = await startDocumentServer(t)
  const { host, served } = await startRedirecting(t, documentServer.url)
  const { fileId } = await host.storage.create('txt', Buffer.from('what was uploaded'))
  const control = await host.app.editorControl().openDocument(fileId)
  const session = await documentServer.open(control.config!)
  t.equal(String(await session.content()), 'what was uploaded')
  await session.edit('what was edited')
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(await host.storedText(fileId), 'what was edited')
  t.strictSame(served, [`/${fileId}`])
})
