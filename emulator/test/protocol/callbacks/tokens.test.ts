import t from 'tap'
import { claimOf } from '../../../../test/kit/document-server.js'
import { fakeClock } from '../../../lib/index.js'
import { claimsOf, headerClaims, sign, startDocumentServer, startFakeHost } from '../../support.js'

t.test('a callback carries its fields flat in the body token and as payload in the header token', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.close()
  const iat = Math.floor(clock.now() / 1000)
  for (const request of host.received.filter(({ body }) => body !== null)) {
    const { token, ...fields } = request.body!
    t.strictSame(claimsOf(token), { ...fields, iat, exp: iat + 300, ...claimOf('callback') }, 'body: nothing else, valid for five minutes')
    t.strictSame(headerClaims(request), { payload: fields, iat, exp: iat + 300, ...claimOf('callback') }, 'header')
    t.strictSame(JSON.parse(Buffer.from(String(token).split('.')[0]!, 'base64url').toString()), { alg: 'HS256', typ: 'JWT' })
  }
  t.equal(host.received.length, 3)
})

t.test('a download carries a header token alone, for the URL as configured', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock()
  const server = await startDocumentServer(t, { clock })
  const document = '/files/Größe 1.txt?a=ü'
  host.files.set('/files/Gr%C3%B6%C3%9Fe%201.txt', Buffer.from('text'))
  const session = await server.open(host.config('K', { name: 'notes.txt', document }))
  t.equal((await session.content()).toString(), 'text')
  const download = host.received.find(({ method }) => method === 'GET')!
  const iat = Math.floor(clock.now() / 1000)
  t.strictSame(headerClaims(download), { payload: { url: `${host.origin}${document}` }, iat, exp: iat + 300, ...claimOf('download') }, 'raw')
  t.equal(download.path, '/files/Gr%C3%B6%C3%9Fe%201.txt?a=%C3%BC', 'percent-encoded')
  t.equal(download.body, null)
})

t.test('credentials in a URL replace the token by Basic', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const { token, ...config } = JSON.parse(JSON.stringify(host.config('K')).replaceAll('http://', 'http://ada:p%40ss@')) as { token: string }
  await (await server.open({ ...config, token: sign(config) })).close()
  t.strictSame(host.received.map(({ headers }) => headers.authorization), Array(3).fill(`Basic ${Buffer.from('ada:p%40ss').toString('base64')}`), 'unchanged')
  t.equal(claimsOf(host.received[0]!.body!.token).status, 1, 'the body token stays')
})

t.test('a single secret verifies incoming and signs outgoing requests; of a list the first signs', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  await (await server.open(host.config('K'))).close()
  t.doesNotThrow(() => claimsOf(host.received[0]!.body!.token))
  server.changeSecret(['another-secret-0123456789', 'test-secret-0123456789abcdef0123456789'])
  await (await server.open(host.config('L'))).close()
  t.throws(() => claimsOf(host.received.at(-1)!.body!.token), { code: 'FAST_JWT_INVALID_SIGNATURE' })
})
