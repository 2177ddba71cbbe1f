import t from 'tap'
import { CONTENT, expectRight, rawGet, startSaved } from '../saved-file.js'

for (const by of [-20, -1, 1, 1000]) {
  t.test(`length: Content-Length is ${by} bytes too large, the whole body is sent and the connection closed`, async t => {
    const { server, url } = await startSaved(t)
    server.fault('file', { type: 'length', by })
    const get = rawGet(t, url)
    t.equal(await get.ended(), 'closed')
    t.equal(get.header('content-length'), String(CONTENT.length + by))
    t.equal(get.body(), CONTENT)
    await expectRight(t, url)
  })
}

t.test('length: Content-Length is never negative', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'length', by: -1000 })
  const get = rawGet(t, url)
  await get.ended()
  t.equal(get.header('content-length'), '0')
  t.equal(get.body(), CONTENT)
})
