import t from 'tap'
import { type DocumentServer, fakeClock } from '../../../lib/index.js'
import { type FakeHost, postSigned, sign, startBoth, startDocumentServer, startFakeHost } from '../../support.js'

interface Case {
  readonly error: number
  readonly request?: object
  readonly prepare?: (server: DocumentServer, host: FakeHost) => unknown
}

const cases: Record<string, Case> = {
  'unknown, as a fault': { error: -1, prepare: server => server.fault('conversion', { type: 'error', error: -1 }) },
  'a conversion that takes more than two minutes': { error: -2, prepare: server => server.fault('conversion', { type: 'slow', ms: 121_000 }) },
  'a format that is not converted': { error: -3, request: { filetype: 'txt', outputtype: 'docx' } },
  'a source of which no image can be made': { error: -3, request: { filetype: 'docx', outputtype: 'png' } },
  'a missing url': { error: -3, request: { url: undefined } },
  'a source that is not there': { error: -4, request: { url: 'http://127.0.0.1:1/' } },
  'an encrypted source': {
    error: -5,
    request: { filetype: 'docx' },
    prepare: (_server, host) => host.files.set('/files/notes.txt', Buffer.from('d0cf11e0a1b11ae100', 'hex'))
  },
  'the database, as a fault': { error: -6, prepare: server => server.fault('conversion', { type: 'error', error: -6 }) },
  'a filetype with a dot': { error: -7, request: { filetype: '.txt' } },
  'an unknown output type': { error: -7, request: { outputtype: 'zzz' } },
  'a password of more than 255 characters': { error: -7, request: { password: 'x'.repeat(256) } },
  'a thumbnail that is malformed JSON text': { error: -1, request: { thumbnail: '{' } },
  'a documentRenderer that is malformed JSON text': { error: -1, request: { documentRenderer: '{' } },
  'a bad key': { error: -7, request: { key: 'a b/c' } },
  'a relative url': { error: -4, request: { url: '/files/notes.txt' } },
  'an output type that is no text': { error: -1, request: { outputtype: 5 } },
  'an output type that does not say which': { error: -9, request: { filetype: 'pdf', outputtype: 'odf' } },
  'a source over 100 MB': {
    error: -10,
    prepare: (_server, host) =>
      host.routes.set('/files/notes.txt', (_request, response) => {
        response.writeHead(200, { 'content-length': 104_857_601 }).flushHeaders()
      })
  }
}

for (const [title, { error, request, prepare }] of Object.entries(cases)) {
  t.test(`${title} answers ${error} with HTTP 200, in JSON and in XML`, async t => {
    for (const path of ['/converter', '/ConvertService.ashx']) {
      const { host, server } = await startBoth(t)
      prepare?.(server, host)
      const response = await postSigned(`${server.url}${path}`, {
        async: false, filetype: 'txt', key: 'K', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt`, ...request
      })
      t.equal(response.status, 200)
      t.equal(await response.text(), path === '/converter'
        ? `{"error":${error}}`
        : `<?xml version="1.0" encoding="utf-8"?><FileResult><Error>${error}</Error></FileResult>`)
    }
  })
}

t.test('tokens: none, wrong or expired answers -8; the body signs the flat request, the header signs it as payload', async t => {
  const host = await startFakeHost(t)
  const clock = fakeClock({ autoAdvance: true })
  const { url } = await startDocumentServer(t, { clock })
  const request = { async: false, filetype: 'txt', key: 'K', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/converter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
    return await response.json() as Record<string, unknown>
  }
  const bearer = (claims: object) => ({ authorization: `Bearer ${sign(claims)}` })
  const exp = Math.floor(clock.now() / 1000)

  t.strictSame(await post(request), { error: -8 }, 'none')
  t.strictSame(
    await post({ ...request, token: 'x.y.z' }, bearer({ payload: request })),
    { error: -8 },
    'a valid header token does not make up for an invalid body token'
  )
  t.strictSame(await post({ ...request, token: sign({ ...request, exp: exp - 61 }) }), { error: -8 }, 'expired')
  t.strictSame(await post({}, { authorization: `bearer ${sign(request)}` }), { error: -8 }, 'Bearer in lower case')
  t.equal(host.received.length, 0)
  t.match(await post({ ...request, token: sign({ ...request, exp: exp - 50 }) }), { endConvert: true }, 'a minute of clock skew')
  t.match(await post({}, bearer({ payload: { ...request, key: 'H' } })), { endConvert: true }, 'by the header')
  t.match(await post({}, bearer({ ...request, key: 'I' })), { endConvert: true }, 'flat in the header')
  for (const name of ['payload', 'query']) {
    t.match(
      await post({ token: sign({ [name]: { ...request, key: name } }) }),
      { endConvert: true },
      `as ${name} in the body`
    )
  }
})

t.test('an empty or broken body answers -8 with HTTP 200', async t => {
  const { url } = await startDocumentServer(t)
  for (const body of ['', '{', 'null', '"text"', '5']) {
    const response = await fetch(`${url}/converter`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    t.strictSame([response.status, await response.json()], [200, { error: -8 }], body)
  }
})
