import t from 'tap'
import { claimsOf, headerClaims, startBoth } from '../../support.js'

t.test('a header token of 7168 characters or more loses changesurl and history, and so does the plain body; the body token keeps them', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  let revision = 0
  const saved = async (userdata: string) => {
    await session.edit(`revision ${++revision}`)
    await session.forceSave({ userdata })
    const request = host.received.at(-1)!
    return {
      body: request.body!,
      signed: claimsOf(request.body!.token),
      inHeader: headerClaims(request).payload as object,
      length: request.headers.authorization!.length - 'Bearer '.length
    }
  }
  const { length: base } = await saved('x')
  const start = Math.floor((7168 - base) * 3 / 4) - 8
  let last = await saved('x'.repeat(start))
  let longest = 0
  for (let size = start + 1; 'changesurl' in last.body; size++) {
    t.match(last.body, { changesurl: String, history: { changes: [{}] } })
    longest = last.length
    last = await saved('x'.repeat(size))
  }
  t.equal(longest, 7167)
  const { body, signed, inHeader } = last
  const history = { serverVersion: String, changes: [{ user: { id: 'uid-1' } }] }
  t.equal('changesurl' in body, false)
  t.strictSame(body.history, {})
  t.equal('changesurl' in inHeader, false)
  t.match(inHeader, { history: {}, userdata: body.userdata, url: body.url })
  t.match(signed, { history, changesurl: /changes\.zip/, userdata: body.userdata, url: body.url })
  const { iat, exp, ...whole } = signed
  const wouldBe = Buffer.from(JSON.stringify({ payload: whole, iat, exp })).toString('base64url').length + 36 + 43 + 2
  t.equal(wouldBe, 7168)
})

t.test('a callback whose headers exceed the 16 kB limit of the receiver is lost with HTTP 431 and not retried', async t => {
  const { host, server } = await startBoth(t)
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  t.match(await session.forceSave({ userdata: 'x'.repeat(13_000) }), { status: 6, httpStatus: 431, accepted: false })
  t.strictSame(host.statuses(), [1], 'the application never received it')
  t.equal(server.sentRequests.filter(({ body }) => body?.status === 6).length, 1)
  t.match(await session.close(), { status: 2, accepted: true })
})
