import { createSigner } from 'fast-jwt'
import t from 'tap'
import { fakeClock } from '../../../lib/index.js'
import { SECRET, sign, startDocumentServer } from '../../support.js'

const ADDRESSES = ['/command', '/coauthoring/CommandService.ashx']

async function start (t: Parameters<typeof startDocumentServer>[0]) {
  const clock = fakeClock()
  const { url } = await startDocumentServer(t, { clock })
  const post = async (body: object, headers: Record<string, string> = {}, address = '/command') => {
    const response = await fetch(`${url}${address}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
    t.equal(response.status, 200)
    return await response.json() as Record<string, unknown>
  }
  return { post, now: Math.floor(clock.now() / 1000) }
}

for (const address of ADDRESSES) {
  t.test(`${address} takes a token in the body or the header, and answers HTTP 200 whatever it is asked`, async t => {
    const { post } = await start(t)
    const version = { error: 0, version: /^9\.3\.0\.\d+$/ }
    t.match(await post({ c: 'version', token: sign({ c: 'version' }) }, {}, address), version)
    t.match(await post({ c: 'version' }, { authorization: `Bearer ${sign({ payload: { c: 'version' } })}` }, address), version)
    t.match(await post({ token: sign({ c: 'license' }) }, {}, address), { error: 0, license: { end_date: null }, server: { buildVersion: '9.3.0' }, quota: { users: [], users_view: [] } })
  })
}

t.test('an unknown command gives 5, a missing key 1; answers begin with the key', async t => {
  const { post } = await start(t)
  const run = async (fields: object) => await post({ token: sign(fields) })
  t.strictSame(await run({ c: 'nonsense', key: 'K' }), { key: 'K', error: 5 })
  for (const c of ['info', 'forcesave', 'drop', 'meta', 'getForgotten', 'deleteForgotten']) t.strictSame(await run({ c }), { error: 1 }, c)
  t.equal(JSON.stringify(await run({ c: 'info', key: 'K' })), '{"key":"K","error":1}')
})

t.test('tokens: none or wrong gives 6, expired 7, 60 s of skew are allowed; only signed fields count', async t => {
  const { post, now } = await start(t)
  const command = { c: 'version' }
  t.strictSame(await post(command), { error: 6 }, 'none')
  t.strictSame(await post({ ...command, token: createSigner({ key: 'another secret' })(command) }), { error: 6 }, 'wrong secret')
  t.strictSame(await post({ ...command, token: 'x.y.z' }, { authorization: `Bearer ${sign({ payload: command })}` }), { error: 6 }, 'a good header does not rescue it')
  t.strictSame(await post({ token: sign({ ...command, exp: now - 60 }) }), { error: 7 }, 'expired 60 s ago')
  t.match(await post({ token: sign({ ...command, exp: now - 59 }) }), { error: 0 }, 'expired 59 s ago')
  t.strictSame(await post({ c: 'info', key: 'K', token: sign({ c: 'info' }) }), { error: 1 }, 'an unsigned key')
})

t.test('HS256, HS384 and HS512 are accepted, with and without exp', async t => {
  const { post, now } = await start(t)
  for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
    const signAs = createSigner({ key: SECRET, algorithm, noTimestamp: true })
    t.match(await post({ token: signAs({ c: 'version' }) }), { error: 0 }, algorithm)
    t.match(await post({ token: signAs({ c: 'version', exp: now + 300 }) }), { error: 0 }, algorithm)
  }
  t.strictSame(await post({ token: createSigner({ algorithm: 'none' })({ c: 'version' }) }), { error: 6 }, 'none')
})
