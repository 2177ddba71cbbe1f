import t from 'tap'
import { CONTENT, expectRight, rawGet, startSaved } from '../support.js'

for (const by of [-20, -1, 1, 1000]) {
  t.test(`length: ${by} bytes more than there are is announced, the whole body is sent and the connection closed`, async t => {
    const { server, url } = await startSaved(t)
    server.fault('file', { type: 'length', by })
    const get = rawGet(t, url)
    t.equal(await get.ended(), 'closed')
    t.equal(get.header('content-length'), String(CONTENT.length + by))
    t.equal(get.body(), CONTENT)
    await expectRight(t, url)
  })
}

t.test('length: no less than nothing is announced', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'length', by: -1000 })
  const get = rawGet(t, url)
  await get.ended()
  t.equal(get.header('content-length'), '0')
  t.equal(get.body(), CONTENT)
})
