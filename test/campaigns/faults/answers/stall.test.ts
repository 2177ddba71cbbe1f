import t from 'tap'
import { afterAnotherAnswer, CONTENT, expectRight, rawGet, startSaved } from '../saved-file.js'

for (const { fault, sent } of [
  { fault: { type: 'stall', afterBytes: 7 }, sent: CONTENT.slice(0, 7) },
  { fault: { type: 'stall' }, sent: '' }
] as const) {
  t.test(`stall: the headers and ${sent.length} bytes arrive, then nothing more, and the connection stays open`, async t => {
    const { server, clock, url } = await startSaved(t)
    server.fault('file', fault)
    const get = rawGet(t, url)
    await get.bodyOf(sent.length)
    await clock.advance(60_000)
    await afterAnotherAnswer(server)
    t.match(get.head(), /^HTTP\/1\.1 200 OK\r\n/)
    t.equal(get.header('content-length'), String(CONTENT.length))
    t.equal(get.body(), sent)
    t.equal(get.ending(), null)
    await expectRight(t, url)
  })
}

t.test('stall: closing the server ends the connection', async t => {
  const { server, url } = await startSaved(t)
  server.fault('file', { type: 'stall', afterBytes: 7 })
  const get = rawGet(t, url)
  await get.bodyOf(7)
  await server.close()
  t.equal(await get.ended(), 'closed')
  t.equal(get.body(), CONTENT.slice(0, 7))
})
