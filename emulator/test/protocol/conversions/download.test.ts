import t from 'tap'
import { fixture, postSigned, startDocumentServer, startFakeHost } from '../../support.js'

t.test('a source that cannot be downloaded answers -4 after three attempts, and the next request tries again', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: false, filetype: 'txt', key: 'D', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/late.txt` }
  t.strictSame(await (await postSigned(`${url}/converter`, request)).json(), { error: -4 })
  t.equal(host.received.length, 3)
  host.files.set('/files/late.txt', fixture('notes.txt'))
  t.match(await (await postSigned(`${url}/converter`, request)).json(), { endConvert: true })
})

t.test('a document that cannot be downloaded is closed again', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await t.rejects(server.open(host.config('M', { name: 'missing.docx' })), { name: 'DocumentServerError', code: -81 })
  t.strictSame(host.received.map(({ method, body }) => body?.status ?? method), [1, 'GET', 'GET', 'GET', 4])
})
