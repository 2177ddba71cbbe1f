import t from 'tap'
import { createVerifier } from 'fast-jwt'
import { fakeClock } from 'onlyoffice-emulator'
import { postSigned, SECRET, startDocumentServer, startFakeHost } from '../../../../emulator/test/support.js'

const OTHER = 'another-secret-0123456789abcdef0123456789'
const claimsOf = (token: unknown, key = SECRET) => createVerifier({ key, ignoreExpiration: true })(String(token)) as { iat: number, exp: number }

t.test('skewTokens: sent tokens are dated by the skewed clock until the skew is removed', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const now = Math.floor(clock.now() / 1000)
  for (const [key, seconds] of [['A', -300], ['B', 45], ['C', 0]] as const) {
    server.skewTokens(seconds * 1000)
    const session = await server.open(host.config(key, { name: 'notes.txt' }))
    const joined = host.received.find(({ body }) => body?.key === key)!
    const downloaded = host.received.filter(({ body }) => body === null).at(-1)!
    for (const token of [joined.body!.token, joined.headers.authorization!.slice(7), downloaded.headers.authorization!.slice(7)]) {
      const { iat, exp } = claimsOf(token)
      t.equal(iat, now + seconds, `${seconds} s`)
      t.equal(exp, iat + 300)
    }
    await session.close()
  }
})

t.test('skewTokens: received tokens are verified by the skewed clock, with a minute of tolerance', async t => {
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const exp = Math.floor(clock.now() / 1000) + 10
  for (const [seconds, error] of [[0, 0], [69, 0], [70, 7], [3600, 7], [-3600, 0], [0, 0]] as const) {
    server.skewTokens(seconds * 1000)
    const response = await postSigned(`${server.url}/command`, { c: 'version', exp })
    t.match(await response.json(), { error }, `${seconds} s`)
  }
})

t.test('changeSecret: the document server signs and verifies with the new secret only', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  server.changeSecret(OTHER)
  await t.rejects(server.open(host.config('L', { name: 'notes.txt' })), { code: 4006, message: 'token:invalid signature' })
  t.match(await (await postSigned(`${server.url}/command`, { c: 'version' })).json(), { error: 6 })
  await session.close()
  const { token } = host.received.at(-1)!.body!
  t.throws(() => claimsOf(token))
  t.ok(claimsOf(token, OTHER))
})

t.test('changeSecret: the first secret of a list signs, all of them are accepted', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  server.changeSecret([OTHER, SECRET])
  const session = await server.open(host.config('K', { name: 'notes.txt' }))
  t.ok(claimsOf(host.received[0]!.body!.token, OTHER))
  await session.close()
  server.changeSecret(SECRET)
  await (await server.open(host.config('L', { name: 'notes.txt' }))).close()
  t.ok(claimsOf(host.received.at(-1)!.body!.token))
})
