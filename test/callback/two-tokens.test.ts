import t from 'tap'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { errorOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'

const bearer = (token: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${token}` })
const now = () => Math.floor(Date.now() / 1000)

t.test('the body token takes precedence over the header token, which omits long fields', async t => {
  for (const left of [{}, { history: {} }, { history: [] }, { history: null }]) {
    const told: unknown[] = []
    const editing = await startEditing(t, { onCallback: event => { told.push(event) } })
    const short = { key: editing.key, status: 1, users: ['u1'] }
    const long = { ...short, changesurl: 'http://docs.example/changes', history: { serverVersion: '9.3.0' } }
    const { body } = await editing.postCallback(editing.fileId, { ...short, ...left, token: signed(long) }, bearer(signed({ payload: { ...short, ...left } })))
    t.equal(errorOf(body), 0)
    t.strictSame(told, [{ ...long, fileId: editing.fileId }])
  }
})

t.test('two authentic tokens that contradict each other are refused', async t => {
  const editing = await startEditing(t)
  const { key, url, fileId } = editing
  const save = { key, status: 2, url, users: ['u1'], changesurl: url, history: { serverVersion: '9.3.0' } }
  const { users, ...withoutUsers } = save
  const others: Record<string, object> = {
    'another status': { ...save, status: 6 },
    'another url': { ...save, url: `${url}&other` },
    'another key': { ...save, key: editing.keyOf('another') },
    'other users': { ...save, users: ['u2'] },
    'one field more': { ...save, notmodified: true },
    'one field less': withoutUsers,
    'another changesurl': { ...save, changesurl: `${url}&other` },
    'another history': { ...save, history: { serverVersion: '9.2.0' } }
  }
  for (const [name, other] of Object.entries(others)) {
    t.equal(
      errorOf(
        (await editing.postCallback(fileId, { ...save, token: signed(save) }, bearer(signed({ payload: other })))).body
      ),
      1,
      name
    )
    t.equal(
      errorOf(
        (await editing.postCallback(fileId, { ...save, token: signed(other) }, bearer(signed({ payload: save })))).body
      ),
      1,
      `${name}, the other way round`
    )
  }
  t.equal(errorOf((await editing.postCallback(fileId, { ...save, token: signed(save) }, bearer(signed(save)))).body), 1, 'a header token without a payload')
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'disagreeing tokens')
  t.equal(
    errorOf(
      (await editing.postCallback(
        fileId,
        { ...save, token: signed({ ...save, iat: now() - 5 }) },
        bearer(signed({ payload: save }))
      )).body
    ),
    0,
    'signed at another time'
  )
})

t.test('beside a body token the header may hold a token of another party, but not an invalid token of the document server', async t => {
  const jwt = (alg: string) =>
    `${Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url')}.e30.c2lnbmF0dXJl`
  for (const [name, header, error] of [
    ['of a gateway, RS256', jwt('RS256'), 0],
    ['of a gateway, ES256', jwt('ES256'), 0],
    ['opaque', 'a1b2c3', 0],
    ['empty', '', 0],
    [
      'HS256 of another secret',
      forgedToken({ payload: {} }, { secret: 'another-secret-that-is-long-enough-0123456789' }), 1
    ],
    ['alg none', forgedToken({ payload: {} }, { alg: 'none' }), 1],
    ['expired', forgedToken({ payload: {}, exp: now() - 90 }, { secret: SECRET }), 1]
  ] as const) {
    await t.test(name, async t => {
      const editing = await startEditing(t)
      const save = { key: editing.key, status: 2, url: editing.url }
      t.equal(errorOf((await editing.postCallback(editing.fileId, { ...save, token: signed(save) }, bearer(header))).body), error)
      t.equal(await editing.storedText(editing.fileId), error === 0 ? NEW : OLD)
    })
  }
})
