import t from 'tap'
import { CONTENT, expectRight, rawGet, startSaved } from '../saved-file.js'

for (const afterBytes of [0, 1, 17, CONTENT.length - 1]) {
  t.test(`reset: the headers and ${afterBytes} bytes arrive, then the connection is reset`, async t => {
    const { server, url } = await startSaved(t)
    server.fault('file', { type: 'reset', afterBytes })
    const get = rawGet(t, url)
    t.equal(await get.ended(), 'ECONNRESET')
    t.match(get.head(), /^HTTP\/1\.1 200 OK\r\n/)
    t.equal(get.header('content-length'), String(CONTENT.length))
    t.equal(get.body(), CONTENT.slice(0, afterBytes))
    await expectRight(t, url)
  })
}

t.test('reset: an HTTP client sees an error, not a normal end', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'reset', afterBytes: 5 })
  const response = await fetch(url)
  t.equal(response.status, 200)
  await t.rejects(response.text(), TypeError)
})
