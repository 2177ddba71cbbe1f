import t from 'tap'
import { fakeClock } from 'onlyoffice-emulator'
import { deferred } from '../../../kit/time.js'
import { afterAnotherAnswer, CONTENT, expectRight, rawGet, startSaved } from '../saved-file.js'

t.test('drip: chunks of the given size arrive at the given interval, the first at once', async t => {
  const { server, clock, url } = await startSaved(t)
  server.fault('file', { type: 'drip', bytes: 10, everyMs: 500 })
  const get = rawGet(t, url)
  t.equal(await get.bodyOf(1), CONTENT.slice(0, 10))
  t.equal(get.header('content-length'), String(CONTENT.length))
  for (const sent of [20, 30, 40, CONTENT.length]) {
    await clock.advance(499)
    await afterAnotherAnswer(server)
    t.equal(get.body().length, sent === CONTENT.length ? 40 : sent - 10, 'nothing before its time')
    await clock.advance(1)
    t.equal(await get.bodyOf(sent), CONTENT.slice(0, sent))
  }
  await expectRight(t, url)
})

t.test('drip: by default a kilobyte arrives per second', async t => {
  const { server, clock, session } = await startSaved(t)
  await session.edit('x'.repeat(2500))
  await session.forceSave()
  server.fault('file', { type: 'drip' })
  const get = rawGet(t, String(server.sentRequests.at(-1)!.body!.url))
  await get.bodyOf(1024)
  await clock.advance(999)
  await afterAnotherAnswer(server)
  t.equal(get.body().length, 1024)
  await clock.advance(1)
  await get.bodyOf(2048)
  await afterAnotherAnswer(server)
  t.equal(get.body().length, 2048)
  await clock.advance(1000)
  await get.bodyOf(2500)
})

t.test('drip: the clock advances while the application fetches a file before it answers', async t => {
  const clock = fakeClock({ autoAdvance: true })
  const { host, server, session } = await startSaved(t, { clock })
  let fetched = ''
  host.beforeAnswer = async ({ url }) => { if (url !== undefined) fetched = await (await fetch(String(url))).text() }
  server.fault('file', { type: 'drip', bytes: 1, everyMs: 60_000 })
  const before = clock.now()
  await session.edit('0123456789')
  t.match(await session.close(), { status: 2, accepted: true })
  t.equal(fetched, '0123456789')
  t.equal(clock.now() - before, 9 * 60_000)
})

t.test('drip: ends when the client disconnects; the next answer is unaffected, and the clock waits for pending work as usual', async t => {
  const { host, server, clock, session } = await startSaved(t)
  server.fault('file', { type: 'drip', bytes: 10, everyMs: 500 })
  host.beforeAnswer = async ({ url }) => {
    const get = rawGet(t, String(url))
    await get.bodyOf(10)
    get.leave()
  }
  await session.edit(CONTENT.toUpperCase())
  await session.forceSave()
  await afterAnotherAnswer(server)
  host.beforeAnswer = async () => {}
  const saved = await fetch(String(host.received.at(-1)!.body!.url))
  t.equal(await saved.text(), CONTENT.toUpperCase())

  const arrived = deferred()
  const answering = deferred()
  host.beforeAnswer = async () => {
    arrived.resolve()
    await answering.promise
  }
  await session.edit('under way')
  const saving = session.forceSave()
  await arrived.promise
  let hasAdvanced = false
  const advancing = clock.advance(0).then(() => { hasAdvanced = true })
  await afterAnotherAnswer(server)
  t.equal(hasAdvanced, false)
  answering.resolve()
  t.match(await saving, { status: 6, accepted: true })
  await advancing
})
