import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'undici'
import { claimsOf, fixture, headerClaims, startBoth, startDocumentServer, startFakeHost } from '../../support.js'

t.test('filetype is the format of the bytes: a doc may be saved as docx', async t => {
  const host = await startFakeHost(t)
  host.files.set('/files/old.doc', Buffer.from('an old format'))
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'old.doc' }))
  await session.edit(fixture('report.docx'), { fileType: 'docx' })
  await session.close()
  const { url, filetype } = host.callbacks(2)[0]!
  t.equal(filetype, 'docx')
  t.match(url, /\/output\.docx\/output\.docx\?/)
  t.strictSame(Buffer.from(await (await fetch(String(url))).arrayBuffer()), fixture('report.docx'))
})

t.test('url begins with the origin the editing browser used and also works at the document server\'s own origin', async t => {
  const { host, server } = await startBoth(t)
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example.com', 'x-forwarded-prefix': '/office' }
  const browser = new WebSocket(`${server.url.replace('http', 'ws')}/doc/socket`, { headers })
  await once(browser, 'open')
  browser.send(JSON.stringify({ type: 'open', config: host.config('K', { name: 'notes.txt' }) }))
  const typed = { stepType: 'replace', from: 1, to: 1, slice: { content: [{ type: 'text', text: 'from a browser' }] } }
  browser.send(JSON.stringify({ type: 'edit', batch: 1, operations: [{ op: 'steps', version: 0, client: 'page', steps: [typed] }] }))
  browser.send(JSON.stringify({ type: 'close' }))
  const { body } = await server.nextCallback(2)
  const address = String(body!.url)
  t.ok(address.startsWith('https://docs.example.com/office/cache/files/data/K_'), address)
  t.ok(String(body!.changesurl).startsWith('https://docs.example.com/office/cache/'))
  const internal = address.replace('https://docs.example.com/office', server.url)
  t.match(await (await fetch(internal)).text(), /^from a browser/, 'the host is not signed')
})

t.test('the base of url, changesurl and formsdataurl is what the headers of whoever opened last say, in the fields and in both tokens', async t => {
  const { host, server } = await startBoth(t)
  const own = new URL(server.url).host
  const forms: ReadonlyArray<readonly [headers: Record<string, string>, base: string]> = [
    [{}, server.url],
    [{ Host: 'docs.example.com:8080' }, 'http://docs.example.com:8080'],
    [{ 'X-Forwarded-Host': 'docs.example.com' }, 'http://docs.example.com'],
    [{ 'X-Forwarded-Host': 'docs.example.com/a/path' }, 'http://docs.example.com/a/path'],
    [{ 'X-Forwarded-Host': 'not a host' }, 'http://not a host'],
    [{ 'X-Forwarded-Host': 'docs.example.com, inner.example.com' }, 'http://docs.example.com'],
    [{ 'X-Forwarded-Host': 'my_docs.example.com', 'X-Forwarded-Prefix': '/my_office' }, 'http://my%5fdocs.example.com/my%5foffice'],
    [{ 'X-Forwarded-Proto': 'https' }, `https://${own}`],
    [{ 'X-Forwarded-Proto': 'javascript' }, `http://${own}`],
    [{ 'X-Forwarded-Proto': 'http', 'Cloudfront-Forwarded-Proto': 'https' }, `https://${own}`],
    [{ 'X-Forwarded-Port': '8443' }, `http://${own}`],
    [{ 'X-Forwarded-Prefix': '/' }, `http://${own}/`],
    [{ 'X-Forwarded-Prefix': '/office/' }, `http://${own}/office/`],
    [{ 'X-Forwarded-Prefix': '/a?b=c&x=' }, `http://${own}/a?b=c&x=`],
    [{ 'X-Forwarded-Prefix': '/a#' }, `http://${own}/a#`],
    [{ 'X-Forwarded-Prefix': '@evil.example.com' }, `http://${own}@evil.example.com`]
  ]
  for (const [index, [headers, base]] of forms.entries()) {
    const key = `K${index}`
    const session = await server.open(host.config(key))
    await session.edit('changed')
    const viewer = await server.open(host.config(key, { mode: 'view' }), undefined, { headers })
    await viewer.close()
    await session.forceSave({ type: 'form' })
    const saved = host.received.at(-1)!
    const all = [saved.body!, claimsOf(saved.body!.token), headerClaims(saved).payload as Record<string, unknown>]
    for (const { url, changesurl, formsdataurl } of all) {
      t.ok(String(url).startsWith(`${base}/cache/files/data/${key}_`), `${JSON.stringify(headers)}: ${String(url)}`)
      t.ok(String(changesurl).startsWith(`${base}/cache/files/data/${key}_`))
      t.ok(String(formsdataurl).startsWith(`${base}/cache/files/data/${key}_`))
    }
    await session.close()
    t.ok(String(host.callbacks(2).at(-1)!.url).startsWith(`${base}/cache/files/data/${key}_`))
  }
})

t.test('open() refuses headers that are no headers', async t => {
  const { host, server } = await startBoth(t)
  for (const headers of ['Host: a', { Host: 5 }]) {
    await t.rejects(server.open(host.config('K'), undefined, { headers: headers as never }), { name: 'TypeError', message: /headers/ })
  }
  t.equal(host.received.length, 0)
})
