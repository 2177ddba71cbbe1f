import t from 'tap'
import { request } from 'undici'
import { fakeClock } from '../../../lib/index.js'
import { claimsOf, postSigned, SECRET, sign, startBoth } from '../../support.js'

const OTHER = 'another-secret-0123456789abcdef0123456789'

async function post (url: string, body: object): Promise<unknown> {
  const answer = await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return await answer.body.json()
}

t.test('credentials in a URL replace the token by Basic', async t => {
  const { host, server } = await startBoth(t)
  const { token, ...config } = JSON.parse(JSON.stringify(host.config('K')).replaceAll('http://', 'http://ada:p%40ss@')) as { token: string }
  await (await server.open({ ...config, token: sign(config) })).close()
  t.strictSame(host.received.map(({ headers }) => headers.authorization), Array(3).fill(`Basic ${Buffer.from('ada:p%40ss').toString('base64')}`), 'unchanged')
  t.equal(claimsOf(host.received[0]!.body!.token).status, 1, 'the body token stays')
})

t.test('a single secret verifies incoming and signs outgoing requests; of a list the first signs', async t => {
  const { host, server } = await startBoth(t)
  await (await server.open(host.config('K'))).close()
  t.doesNotThrow(() => claimsOf(host.received[0]!.body!.token))
  server.changeSecret(['another-secret-0123456789', SECRET])
  await (await server.open(host.config('L'))).close()
  t.throws(() => claimsOf(host.received.at(-1)!.body!.token), { code: 'FAST_JWT_INVALID_SIGNATURE' })
})

t.test('the name and prefix of the token header can be configured', async t => {
  const { host, server } = await startBoth(t, { authorizationHeader: 'AuthorizationJwt', authorizationPrefix: 'Token ' })
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
  const { host, server } = await startBoth(t, { authorizationHeader: 'AuthorizationJwt' })
  const { token, ...config } = JSON.parse(JSON.stringify(host.config('K')).replaceAll('http://', 'http://user:pass%20word@')) as { token: string }
  await (await server.open({ ...config, token: sign(config) })).close()
  for (const { headers } of host.received) {
    t.equal(headers.authorization, `Basic ${Buffer.from('user:pass%20word').toString('base64')}`)
    t.match(headers.authorizationjwt, /^Bearer ey/)
  }
})

t.test('separate secrets: that of the inbox verifies what is received, that of the outbox signs what is sent', async t => {
  const { host, server } = await startBoth(t, { jwtSecret: { inbox: SECRET, outbox: OTHER } })
  await (await server.open(host.config('K'))).close()
  t.equal(host.received.length, 3)
  for (const { headers } of host.received) {
    t.throws(() => claimsOf(headers.authorization!.slice('Bearer '.length)), { code: 'FAST_JWT_INVALID_SIGNATURE' })
  }
  t.match(await (await postSigned(`${server.url}/command`, { c: 'version' })).json(), { error: 0 })
  const conversion = { async: true, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.strictSame(await (await postSigned(`${server.url}/converter`, conversion)).json(), { percent: 0, endConvert: false })

  const session = await server.open(host.config('L'))
  server.changeSecret({ inbox: OTHER, outbox: SECRET })
  t.strictSame(await (await postSigned(`${server.url}/command`, { c: 'version' })).json(), { error: 6 })
  t.strictSame(await (await postSigned(`${server.url}/converter`, conversion)).json(), { error: -8 })
  await t.rejects(server.open(host.config('M')), { code: 4006, message: 'token:invalid signature' })
  await session.close()
  t.match(claimsOf(host.received.at(-1)!.body!.token), { key: 'L', status: 4 })
})

t.test('without tokens for requests and the browser plain fields count, and a token is not looked at', async t => {
  const { host, server } = await startBoth(t, { tokens: { inbox: false }, clock: fakeClock({ autoAdvance: true }) })
  t.match(await post(`${server.url}/command`, { c: 'version' }), { error: 0, version: /^\d+(\.\d+)+$/ })
  t.match(await post(`${server.url}/command`, { c: 'version', token: 'x.y.z' }), { error: 0 })
  const conversion = { async: false, filetype: 'txt', key: 'C', outputtype: 'txt', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.match(await post(`${server.url}/converter`, conversion), { endConvert: true, fileType: 'txt' })

  const { token, ...config } = host.config('K')
  const session = await server.open({ ...config, editorConfig: { ...config.editorConfig, mode: 'view' } })
  t.equal(session.viewOnly, true, 'of the configuration alone')
  await session.close()
  const other = await server.open({ ...config, token: 'x.y.z' })
  t.equal(other.viewOnly, false)
  await t.rejects(server.open({ ...config, document: { ...config.document, key: 'a b' } }), { code: 4004 }, 'the key is checked all the same')
  await other.close()
  t.equal(claimsOf(host.received.at(-1)!.body!.token).status, 4, 'what is sent is signed')
})

t.test('without tokens for requests the downloads of conversions carry none, callbacks and the downloads of editors do', async t => {
  const { host, server } = await startBoth(t, { tokens: { inbox: false }, clock: fakeClock({ autoAdvance: true }) })
  await post(`${server.url}/converter`, { async: false, filetype: 'txt', key: 'C', outputtype: 'txt', title: 'a.txt', url: `${host.origin}/files/notes.txt` })
  t.notOk('authorization' in host.received[0]!.headers)
  await (await server.open(host.config('K'))).close()
  for (const { headers } of host.received.slice(1)) t.ok('authorization' in headers)
})

t.test('without tokens for the browser alone an editor needs none, and requests do', async t => {
  const { host, server } = await startBoth(t, { tokens: { browser: false } })
  const { token, ...config } = host.config('K')
  t.equal((await server.open(config)).viewOnly, false)
  t.match(await post(`${server.url}/command`, { c: 'version' }), { error: 6 })
})

t.test('without tokens for sent requests callbacks and downloads carry none, and nothing is left out of a long callback', async t => {
  const { host, server } = await startBoth(t, { tokens: { outbox: false } })
  const session = await server.open(host.config('K'))
  await session.edit('changed')
  await session.forceSave({ type: 'command', userdata: 'x'.repeat(8000) })
  await session.close()
  t.strictSame(host.statuses(), [1, 6, 2])
  for (const { headers, body } of host.received) {
    t.notOk('authorization' in headers)
    t.notOk(body !== null && 'token' in body)
  }
  t.match(host.callbacks(6)[0], { changesurl: /^http/, history: { changes: [{}] } })
  await t.rejects(server.open({ ...host.config('L'), token: undefined }), { code: 4006 }, 'what is received needs a token')
})
