import t from 'tap'
import { startDocumentServer } from '../../../../emulator/test/support.js'
import { expectRight, startSaved } from '../saved-file.js'

t.test('answer: replaces status, body and headers; none of the original headers is sent', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'answer', status: 507, body: 'no room', headers: { 'x-reason': 'disk', 'content-type': 'text/x-reason' } })
  const response = await fetch(url)
  t.equal(response.status, 507)
  t.equal(await response.text(), 'no room')
  t.equal(response.headers.get('x-reason'), 'disk')
  t.equal(response.headers.get('content-type'), 'text/x-reason')
  t.equal(response.headers.get('content-length'), '7')
  t.equal(response.headers.get('content-disposition'), null)
  t.equal(response.headers.get('etag'), null)
  await expectRight(t, url)
})

for (const status of [200, 204, 301, 404, 410, 429, 500, 503]) {
  t.test(`answer: ${status} without a body`, async t => {
    const { server, url } = await startSaved(t)
    server.fault('file', { type: 'answer', status })
    const response = await fetch(url, { redirect: 'manual' })
    t.equal(response.status, status)
    t.equal(await response.text(), '')
    await expectRight(t, url)
  })
}

t.test('answer: bytes are sent unchanged', async t => {
  const { server, url } = await startSaved(t)
  const body = Uint8Array.of(0, 255, 254, 13, 10)
  server.fault('file', { type: 'answer', status: 200, body })
  t.strictSame(new Uint8Array(await (await fetch(url)).arrayBuffer()), body)
})

t.test('answer: the fields that are not replaced are those of the real answer', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'answer', status: 503, body: 'busy', headers: { 'content-type': 'text/plain' } })
  await (await fetch(url)).text()
  t.match(server.receivedRequests.at(-1), { status: 503, answer: 'busy' })
})

t.test('answer: conversions and builds of a file in the request, too', async t => {
  const server = await startDocumentServer(t, { version: '10.0' })
  for (const [route, path] of [['converter', '/converter/from-file'], ['builder', '/docbuilder/from-file']] as const) {
    server.fault(route, { type: 'answer', status: 502, body: 'Bad Gateway' })
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body: new FormData() })
    t.strictSame([response.status, await response.text()], [502, 'Bad Gateway'], path)
  }
})
