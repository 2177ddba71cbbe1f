import t from 'tap'
import { startHost } from '../kit/host.js'

// Without it, fetch adds `no-cache` to a conditional request, which asks for the file itself.
const REVALIDATE = { 'cache-control': 'max-age=0' }

t.test('a client with the current version gets 304 without a body, any other client gets the file', async t => {
  const host = await startHost(t)
  const { fileId, modifiedAt } = await host.storage.create('docx', Buffer.from('version one'))
  const first = await host.downloadAsDocumentServer(fileId)
  const etag = first.headers.get('etag')!
  const lastModified = first.headers.get('last-modified')!
  t.match(etag, /^"[\w-]+"$/)
  t.equal(lastModified, modifiedAt.toUTCString())
  t.equal(await first.text(), 'version one')

  const earlier = new Date(modifiedAt.getTime() - 10_000).toUTCString()
  const table: Array<[number, Record<string, string>]> = [
    [304, { 'if-none-match': etag }],
    [304, { 'if-none-match': `W/${etag}` }],
    [304, { 'if-none-match': `"other", ${etag}` }],
    [304, { 'if-none-match': '*' }],
    [200, { 'if-none-match': '"other"' }],
    [304, { 'if-modified-since': lastModified }],
    [200, { 'if-modified-since': earlier }],
    [200, { 'if-modified-since': 'no date' }],
    [200, { 'if-none-match': '"other"', 'if-modified-since': lastModified }]
  ]
  for (const [status, headers] of table) {
    const response = await host.downloadAsDocumentServer(fileId, { ...REVALIDATE, ...headers })
    t.equal(response.status, status, JSON.stringify(headers))
    t.equal(response.headers.get('etag'), etag)
    t.equal(await response.text(), status === 304 ? '' : 'version one')
    for (const name of ['content-type', 'content-disposition']) t.equal(response.headers.has(name), status === 200, name)
    for (const name of ['content-security-policy', 'x-content-type-options']) t.ok(response.headers.has(name), name)
  }
})

t.test('the entity tag changes if and only if the content changes', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('one'))
  const etag = async () => (await host.downloadAsDocumentServer(fileId)).headers.get('etag')!
  const before = await etag()
  t.equal(await etag(), before)

  await host.storage.replace(fileId, Buffer.from('two'))
  t.not(await etag(), before)
  const response = await host.downloadAsDocumentServer(fileId, { ...REVALIDATE, 'if-none-match': before })
  t.equal(response.status, 200)
  t.equal(await response.text(), 'two')
})

t.test('a conditional request needs the credential as well', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('one'))
  const response = await fetch(host.handler({ action: 'download', fileId }), { headers: { ...REVALIDATE, 'if-none-match': '*' } })
  t.equal(response.status, 401)
  t.equal(response.headers.get('etag'), null)
})
