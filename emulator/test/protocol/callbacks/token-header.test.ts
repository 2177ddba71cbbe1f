import t from 'tap'
import { claimsOf, sign, startDocumentServer, startFakeHost } from '../../support.js'

t.test('the name and prefix of the token header can be configured', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { authorizationHeader: 'AuthorizationJwt', authorizationPrefix: 'Token ' })
  const session = await server.open(host.config('K'))
  await session.close()
  t.strictSame(host.received.map(({ method }) => method), ['POST', 'GET', 'POST'])
  for (const { headers } of host.received) {
    t.equal(headers.authorization, undefined)
    const [prefix, token] = String(headers.authorizationjwt).split(' ')
    t.equal(prefix, 'Token')
    t.hasProp(claimsOf(token!), 'payload')
  }
})

t.test('credentials in a URL are sent beside a token with a header of its own', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t, { authorizationHeader: 'AuthorizationJwt' })
  const { token, ...config } = JSON.parse(JSON.stringify(host.config('K')).replaceAll('http://', 'http://user:pass%20word@')) as { token: string }
  await (await server.open({ ...config, token: sign(config) })).close()
  for (const { headers } of host.received) {
    t.equal(headers.authorization, `Basic ${Buffer.from('user:pass%20word').toString('base64')}`)
    t.match(headers.authorizationjwt, /^Bearer ey/)
  }
})
