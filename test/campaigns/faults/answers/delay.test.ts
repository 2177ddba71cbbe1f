import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { afterAnotherAnswer, CONTENT, rawGet, startSaved } from '../saved-file.js'

t.test('delay: nothing arrives before the delay has passed, then the real answer does', async t => {
  const { server, clock, url } = await startSaved(t)
  server.fault('file', { type: 'delay', ms: 90_000 })
  const get = rawGet(t, url)
  await afterAnotherAnswer(server)
  await clock.advance(89_999)
  await afterAnotherAnswer(server)
  t.equal(get.head(), '')
  t.equal(get.ending(), null)
  await clock.advance(1)
  t.equal(await get.bodyOf(CONTENT.length), CONTENT)
  t.match(get.head(), /^HTTP\/1\.1 200 OK\r\n/)
})

t.test('delay: the clock advances while the application waits for a file before it answers', async t => {
  const clock = fakeClock({ autoAdvance: true })
  const { host, server, session } = await startSaved(t, { clock })
  host.beforeAnswer = async ({ url }) => { if (url !== undefined) await (await fetch(String(url))).text() }
  server.fault('file', { type: 'delay', ms: 120_000 })
  const before = clock.now()
  await session.edit('late')
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(clock.now() - before, 120_000)
})

t.test('delay: an answer delayed beyond the document server\'s timeout counts as an unanswered callback', async t => {
  const clock = fakeClock({ autoAdvance: true })
  const { host, server, session } = await startSaved(t, { clock })
  host.beforeAnswer = async ({ url }) => { if (url !== undefined) await (await fetch(String(url))).text() }
  server.fault('file', { type: 'delay', ms: 600_001 })
  await session.edit('late')
  t.match(await session.close(), { status: 2, accepted: true }, 'the next attempt is answered')
  t.match(server.sentRequests.filter(({ body }) => body?.status === 2), [{ answer: null, error: Error }, { answer: { status: 200 } }])
})
