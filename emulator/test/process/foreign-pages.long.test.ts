import t from 'tap'
import { startDriven } from './client.js'

t.test('pages of other origins cannot control the emulator; its own page and programs can', async t => {
  const { server } = await startDriven(t)
  const status = async (headers: Record<string, string>) => (await fetch(`${server.url}/emulator/faults`, { method: 'DELETE', headers })).status
  t.equal(await status({}), 200)
  t.equal(await status({ origin: server.url }), 200)
  for (const origin of ['http://evil.example', 'null', server.url.replace(/:\d+$/, ':1'), `${server.url}.evil.example`]) {
    t.equal(await status({ origin }), 403, origin)
  }
})

t.test('embedded resources, which send no Origin, cannot control the emulator either', async t => {
  const { server } = await startDriven(t)
  for (const [site, expected] of [['cross-site', 403], ['same-site', 403], ['same-origin', 200], ['none', 200]] as const) {
    const response = await server.inject({ url: '/emulator/sent-requests', headers: { 'sec-fetch-site': site } })
    t.equal(response.statusCode, expected, site)
    t.equal(response.headers['access-control-allow-origin'], undefined)
    t.match(response.headers, { 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  }
})

t.test('a POST with a form content type is refused', async t => {
  const { server } = await startDriven(t)
  const fault = '{"route":"healthcheck","fault":{"type":"html"}}'
  const post = async (type: string | undefined, payload = fault) =>
    await server.inject({ method: 'POST', url: '/emulator/faults', headers: type === undefined ? {} : { 'content-type': type }, payload })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined]) {
    const { statusCode, body } = await post(type)
    t.equal(statusCode, 415, String(type))
    t.match(JSON.parse(body), { code: 'CONTENT_TYPE', message: /application\/json/ })
  }
  t.equal((await post('application/JSON; charset=utf-8')).statusCode, 201)
  t.match((await post('application/json', '')).json(), { code: 'INVALID', message: "body must have required property 'fault'" })
  t.match((await post('application/json', '{')).json(), { code: 'INVALID', message: 'The body is not JSON' })
})

t.test('a foreign host name is refused before these checks', async t => {
  const { server } = await startDriven(t)
  for (const url of ['/', '/emulator', '/emulator/sent-requests']) {
    t.equal((await server.inject({ url, headers: { host: 'evil.example' } })).statusCode, 421, url)
  }
})
