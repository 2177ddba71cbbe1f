import { createSigner } from 'fast-jwt'
import t from 'tap'
import { request } from 'undici'
import { claimOf } from '../../../../test/kit/document-server.js'
import { fakeClock } from '../../../lib/index.js'
import { SECRET, sign, startDocumentServer } from '../../support.js'

async function start (t: Parameters<typeof startDocumentServer>[0]) {
  const clock = fakeClock()
  const { url } = await startDocumentServer(t, { clock })
  const post = async (body: object, headers: Record<string, string> = {}, address = '/command') => {
    const response = await fetch(`${url}${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    t.equal(response.status, 200)
    return await response.json() as Record<string, unknown>
  }
  return { url, post, now: Math.floor(clock.now() / 1000) }
}

const VERSION = { error: 0, version: /^\d+(\.\d+)+$/ }

t.test('HS256, HS384 and HS512 are accepted, with and without exp', async t => {
  const { post, now } = await start(t)
  const command = { c: 'version', ...claimOf('command') }
  for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
    const signAs = createSigner({ key: SECRET, algorithm, noTimestamp: true })
    t.match(await post({ token: signAs(command) }), { error: 0 }, algorithm)
    t.match(await post({ token: signAs({ ...command, exp: now + 300 }) }), { error: 0 }, algorithm)
  }
  t.strictSame(await post({ token: createSigner({ algorithm: 'none' })(command) }), { error: 6 }, 'none')
})

t.test('claims may be flat, as payload or as query, in the body and in the header', async t => {
  const { post } = await start(t)
  const command = { c: 'version', key: 'x' }
  for (const [title, claims] of Object.entries({
    flat: command,
    payload: { payload: command },
    query: { query: command },
    both: { c: 'info', payload: command }
  })) {
    t.match(await post({ token: sign(claims) }), { key: 'x', ...VERSION }, `${title} in the body`)
    t.match(await post({}, { authorization: `Bearer ${sign(claims)}` }), { key: 'x', ...VERSION }, `${title} in the header`)
  }
  const bearer = { authorization: `Bearer ${sign({ payload: { c: 'info', key: 'K' } })}` }
  t.match(await post({ token: sign(command) }, bearer), VERSION, 'the body wins')
  t.strictSame(await post({ token: 5 }, bearer), { error: 6 }, 'an invalid body token is still refused')
  t.strictSame(await post({ token: '' }, bearer), { key: 'K', error: 1 }, 'an empty one counts as missing')
  t.strictSame(await post({ c: 'info', key: 'K' }), { key: 'K', error: 6 }, 'a refusal names the key')
})

t.test('a token with exp or nbf of the wrong type, or nbf in the future, answers 6', async t => {
  const { post, now } = await start(t)
  const run = async (claims: object) => await post({ token: sign({ c: 'version', ...claims }) })
  for (const value of [null, String(now + 300), true, {}]) {
    t.strictSame(await run({ exp: value }), { error: 6 }, `exp ${JSON.stringify(value)}`)
    t.strictSame(await run({ nbf: value }), { error: 6 }, `nbf ${JSON.stringify(value)}`)
  }
  t.strictSame(await run({ nbf: now + 61 }), { error: 6 }, 'in 61 s')
  t.match(await run({ nbf: now + 60 }), VERSION, '60 s of skew are allowed')
})

t.test('an empty or broken body answers 6 with HTTP 200, and the header token works beside it', async t => {
  const { url } = await start(t)
  for (const body of ['', '{', 'null', '"text"', '5', '[]']) {
    const send = async (headers: Record<string, string>) =>
      await fetch(`${url}/command`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body
      })
    const refused = await send({})
    t.strictSame([refused.status, await refused.json()], [200, { error: 6 }], JSON.stringify(body))
    t.match(await (await send({ authorization: `Bearer ${sign({ c: 'version' })}` })).json(), VERSION, JSON.stringify(body))
  }
  const marked = `\uFEFF${JSON.stringify({ token: sign({ c: 'version' }) })}`
  t.strictSame(
    await (await fetch(`${url}/command`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: marked
    })).json(),
    { error: 6 },
    'a byte order mark'
  )
})

t.test('a body is parsed as JSON whatever its content type says', async t => {
  const { url } = await start(t)
  const body = Buffer.from(JSON.stringify({ token: sign({ c: 'version' }) }))
  for (const type of [
    'text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'application/octet-stream',
    'multipart/form-data; boundary=x', undefined
  ]) {
    const response = await fetch(`${url}/command`, {
      method: 'POST',
      body,
      ...(type === undefined ? {} : { headers: { 'content-type': type } })
    })
    t.match(await response.json(), VERSION, String(type))
  }
})

t.test('a path may end in a slash, and its letter case does not matter', async t => {
  const { post } = await start(t)
  for (const address of ['/Command', '/command/', '/COMMAND/?shardkey=K', '/coauthoring/commandservice.ashx', '/CoAuthoring/CommandService.ashx/']) {
    t.match(await post({ token: sign({ c: 'version' }) }, {}, address), VERSION, address)
  }
})

t.test('the older path accepts a GET: the token in its query, its header or its body', async t => {
  const { url } = await start(t)
  const token = sign({ c: 'version', key: 'x' })
  const address = `${url}/coauthoring/CommandService.ashx`
  const answer = { key: 'x', ...VERSION }
  t.match(await (await fetch(`${address}?token=${token}`)).json(), answer, 'query')
  t.match(await (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).json(), answer, 'header')
  const { body } = await request(address, { method: 'GET', body: JSON.stringify({ token }) })
  t.match(await body.json(), answer, 'body')
  t.strictSame(await (await fetch(`${address}?c=version&key=K`)).json(), { key: 'K', error: 6 }, 'unsigned')
  t.match(await (await fetch(`${url}/command?token=${token}`, { method: 'POST' })).json(), answer, 'the query of a POST without a body')
  t.equal((await fetch(`${url}/command?token=${token}`)).status, 404, 'the newer one is not stored')
})
