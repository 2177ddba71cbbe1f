import { createHmac } from 'node:crypto'
import t from 'tap'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { errorOf, NEW, OLD, startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'

const OTHER_SECRET = 'another-secret-that-is-long-enough-0123456789'
const JSON_TYPE = { 'content-type': 'application/json' }
const bearer = (token: string) => ({ ...JSON_TYPE, authorization: `Bearer ${token}` })
const now = () => Math.floor(Date.now() / 1000)

/** A token over any text, with any header. */
function signedText (payload: string, header: object = { alg: 'HS256', typ: 'JWT' }): string {
  const content = [JSON.stringify(header), payload].map(text => Buffer.from(text).toString('base64url')).join('.')
  return `${content}.${createHmac('sha256', SECRET).update(content).digest('base64url')}`
}

const textOf = (save: object, times: object = {}) => JSON.stringify({ ...save, exp: now() + 300, ...times })

/** Tokens over a good save that must not count. Each has one fault only. */
const worthless: Record<string, (save: object) => string> = {
  'with alg none': save => forgedToken(save, { alg: 'none' }),
  'with alg none and a signature': save =>
    forgedToken(save, { alg: 'none' }) + forgedToken(save, { secret: SECRET }).split('.')[2],
  'with alg None': save =>
    forgedToken(save, { alg: 'HS256', secret: SECRET }).replace(
      /^[^.]+/,
      Buffer.from('{"alg":"None","typ":"JWT"}').toString('base64url')
    ),
  'with HS512': save => forgedToken(save, { alg: 'HS512', secret: SECRET }),
  'with HS384': save => forgedToken(save, { alg: 'HS384', secret: SECRET }),
  'of another secret': save => forgedToken(save, { secret: OTHER_SECRET }),
  'of an empty secret': save => forgedToken(save, { secret: '' }),
  'whose signature is cut': save => forgedToken(save, { secret: SECRET }).slice(0, -2),
  'without its signature': save => forgedToken(save, { secret: SECRET }).replace(/[^.]+$/, ''),
  'without its last part': save => forgedToken(save, { secret: SECRET }).replace(/\.[^.]+$/, ''),
  'that ends in =': save => `${forgedToken(save, { secret: SECRET })}=`,
  'of four parts': save => `${forgedToken(save, { secret: SECRET })}.e30`,
  'with a blank before it': save => ` ${forgedToken(save, { secret: SECRET })}`,
  'with other claims': save =>
    forgedToken(save, { secret: SECRET }).replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ ...save, more: 1 })).toString('base64url')}.`
    ),
  'that never expires': save => forgedToken({ ...save, iat: now(), exp: undefined }, { secret: SECRET }),
  'whose expiry is no number': save => forgedToken({ ...save, iat: now(), exp: String(now() + 300) }, { secret: SECRET }),
  'whose expiry is too large for JSON': save => forgedToken({ ...save, iat: now(), exp: Infinity }, { secret: SECRET }),
  expired: save => forgedToken({ ...save, iat: now() - 600, exp: now() - 90 }, { secret: SECRET }),
  'not yet valid': save => forgedToken({ ...save, nbf: now() + 90, exp: now() + 390 }, { secret: SECRET }),
  'dated ahead': save => forgedToken({ ...save, iat: now() + 90, exp: now() + 390 }, { secret: SECRET }),
  'that is valid from a time beyond all dates': save => signedText(textOf(save, { nbf: 1e300 })),
  'that expired before all dates': save => signedText(textOf(save, { exp: -1e300 })),
  'that expired half a second too early': save => signedText(textOf(save, { exp: now() - 60.5 })),
  'whose last expiry of two is over': save => signedText(textOf(save).replace('{', `{"exp":${now() + 300},`).replace(/}$/, `,"exp":${now() - 90}}`)),
  'whose expiry is only in __proto__': save => signedText(JSON.stringify({ ...save, exp: undefined }).replace('{', `{"__proto__":{"exp":${now() + 300}},`)),
  'whose header has more than 1024 characters': save => signedText(textOf(save), { alg: 'HS256', kid: 'x'.repeat(1000) }),
  'whose algorithm is only in the header\'s __proto__': save => signedText(textOf(save), JSON.parse('{"__proto__":{"alg":"HS256"}}') as object),
  'that is no object': () => forgedToken([], { secret: SECRET }),
  'that is garbage': () => 'garbage',
  'that is empty': () => ''
}

t.test('a token that is not the document server\'s, or not valid now, is refused, in the body and in the header', async t => {
  const editing = await startEditing(t)
  const save = { key: editing.key, status: 2, url: editing.url }
  const accepted: string[] = []
  for (const [name, forge] of Object.entries(worthless)) {
    const attempts = {
      body: () => editing.postCallback(editing.fileId, { ...save, token: forge({ ...save, exp: now() + 300 }) }),
      header: () => editing.postCallback(editing.fileId, save, bearer(forge({ payload: save, exp: now() + 300 }))),
      'body, beside a good header': () =>
        editing.postCallback(editing.fileId, { ...save, token: forge({ ...save, exp: now() + 300 }) }, bearer(signed({ payload: save })))
    }
    for (const [where, attempt] of Object.entries(attempts)) {
      const { status, body } = await attempt()
      if (status !== 200 || errorOf(body) !== 1) accepted.push(`${name}, in the ${where}`)
    }
  }
  t.strictSame(accepted, [])
  t.strictSame(editing.documentServer.requests, [])
  await editing.unchanged(t, 'none is good')
  t.equal(errorOf((await editing.postCallback(editing.fileId, { ...save, token: forgedToken({ ...save, iat: now(), exp: now() + 300 }, { secret: SECRET }) })).body), 0)
})

t.test('a token is accepted within 60 s of its validity period', async t => {
  for (const times of [{ iat: now() - 340, exp: now() - 40 }, { iat: now() + 40, nbf: now() + 40, exp: now() + 340 }, { exp: now() + 340 }]) {
    await t.test(JSON.stringify(Object.keys(times)), async t => {
      const editing = await startEditing(t)
      const save = { key: editing.key, status: 2, url: editing.url }
      t.equal(errorOf((await editing.postCallback(editing.fileId, { ...save, token: forgedToken({ ...save, ...times }, { secret: SECRET }) })).body), 0)
      t.equal(await editing.storedText(editing.fileId), NEW)
    })
  }
})

t.test('a body token that is not a string is refused', async t => {
  const editing = await startEditing(t)
  const save = { key: editing.key, status: 2, url: editing.url }
  for (const token of [null, 5, true, [signed(save)], { token: signed(save) }]) {
    const { body } = await editing.postCallback(editing.fileId, { ...save, token }, bearer(signed({ payload: save })))
    t.equal(errorOf(body), 1, JSON.stringify(token)?.slice(0, 12))
  }
  await editing.unchanged(t, 'no text')
})

for (const [name, headers] of Object.entries({
  'a garbage Authorization': { authorization: 'garbage' },
  'a token without its prefix': { authorization: signed({ payload: { status: 1 } }) }
})) {
  t.test(`${name} is refused`, async t => {
    const editing = await startEditing(t)
    const { body } = await editing.postCallback(editing.fileId, { key: editing.key, status: 2, url: editing.url }, { ...JSON_TYPE, ...headers })
    t.equal(errorOf(body), 1)
    t.strictSame(editing.documentServer.requests, [])
    t.equal(await editing.storedText(editing.fileId), OLD)
  })
}

t.test('without a body token the header token\'s payload is used', async t => {
  const editing = await startEditing(t)
  const save = { key: editing.key, status: 2, url: editing.url }
  t.equal(errorOf((await editing.postCallback(editing.fileId, save, bearer(signed(save)))).body), 1, 'claims beside the payload do not count')
  await editing.unchanged(t, 'no payload')
  t.equal(errorOf((await editing.postCallback(editing.fileId, {}, bearer(signed({ payload: save })))).body), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
})

t.test('signed claims take precedence over the unsigned fields beside them', async t => {
  const told: unknown[] = []
  const editing = await startEditing(t, { policies: { conflict: 'overwrite', corrupted: 'discard' }, onCallback: event => { told.push(event) } })
  const { documentServer, fileId, key, url } = editing
  const attempts = {
    'a plain status': { key, status: 2, url, token: signed({ key, status: 1, url }) },
    'a plain url': { key, status: 2, url, token: signed({ key, status: 2 }) },
    'plain fields only, signed are none': { key, status: 2, url, token: signed({ key }) },
    'plain key': { key, status: 2, url, token: signed({ status: 2, url }) }
  }
  for (const [name, body] of Object.entries(attempts)) {
    t.equal(errorOf((await editing.postCallback(fileId, body)).body), name.startsWith('plain') ? 1 : 0, name)
  }
  t.strictSame(documentServer.requests, [])
  t.strictSame(told, [{ fileId, key, status: 1, url }, { fileId, key, status: 2 }])
  await editing.unchanged(t, 'plain fields')

  const decoy = `${documentServer.origin}/decoy`
  const claims = { key: editing.keyOf(fileId), status: 2, url, users: ['signed'] }
  t.equal(
    errorOf(
      (await editing.postCallback(fileId, {
        key: 'plain',
        status: 4,
        url: decoy,
        users: ['plain'],
        userdata: 'plain',
        token: signed(claims)
      })).body
    ),
    0
  )
  t.equal(documentServer.requests.length, 1)
  t.notMatch(documentServer.requests, ['/decoy'])
  t.strictSame(told.at(-1), { fileId, ...claims })
  t.equal(await editing.storedText(fileId), NEW)
})

t.test('the token\'s header and prefix can be set to those of the document server', async t => {
  const editing = await startEditing(t, { documentServer: { authorizationHeader: 'AuthorizationJwt', authorizationPrefix: 'Token ' } })
  const save = { key: editing.key, status: 2, url: editing.url }
  const token = signed({ payload: save })
  for (const headers of [{ authorization: `Bearer ${token}` }, { authorization: `Token ${token}` }, {
    AuthorizationJwt: `Bearer ${token}`
  }, { AuthorizationJwt: token }]) {
    t.equal(errorOf((await editing.postCallback(editing.fileId, save, { ...JSON_TYPE, ...headers })).body), 1)
  }
  await editing.unchanged(t, 'another header')
  t.equal(errorOf((await editing.postCallback(editing.fileId, save, { ...JSON_TYPE, AuthorizationJwt: `Token ${token}` })).body), 0)
  t.equal(await editing.storedText(editing.fileId), NEW)
})
