import t from 'tap'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { startEditing } from '../kit/editing.js'
import { signed } from '../kit/host.js'
import { ERROR, memoryLog, WARN } from '../kit/log.js'

const OTHER_SECRET = 'another-secret-that-is-long-enough-0123456789'
const now = () => Math.floor(Date.now() / 1000)

interface Refusal {
  readonly token?: (save: object) => string
  readonly headers?: (save: object) => Record<string, string>
  /** What the one line says is wrong, and how to mend it. */
  readonly advice: RegExp
  readonly code?: string
  /** What the line says there was. */
  readonly found?: object
  /** The document server has sent it nevertheless. */
  readonly isProven?: true
  /** Path and query, instead of the signed URL. */
  readonly query?: (fileId: string) => Record<string, string>
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const refusals: Record<string, Refusal> = {
  'no token': {
    advice: /no token in the body, and no token after "Bearer " in the authorization header: enable services\.CoAuthoring\.token\.enable\.request\.outbox/,
    found: { bodyToken: false, headerToken: false }
  },
  'a token in another header': {
    headers: save => ({ 'x-editor-token': signed({ payload: save }) }),
    advice: /there is one in the header x-editor-token: compare documentServer\.authorizationHeader/,
    found: { bodyToken: false, headerToken: false }
  },
  'a token after another prefix': {
    headers: save => ({ authorization: `Token ${signed({ payload: save })}` }),
    advice: /there is one in the header authorization: compare documentServer\.authorizationHeader and authorizationPrefix/,
    found: { bodyToken: false, headerToken: false }
  },
  'another secret': {
    token: save => forgedToken(save, { secret: OTHER_SECRET }),
    advice: /the token in the body is signed with another secret: make jwtSecret the services\.CoAuthoring\.secret\.outbox\.string/,
    found: { bodyToken: true, headerToken: false, algorithm: 'HS256' }
  },
  'another secret, in the header': {
    headers: save => bearer(forgedToken({ payload: save }, { secret: OTHER_SECRET })),
    advice: /the token in the header is signed with another secret/,
    found: { bodyToken: false, headerToken: true, algorithm: 'HS256' }
  },
  'no signature': {
    token: save => forgedToken(save, { alg: 'none' }),
    advice: /not signed with HS256: set services\.CoAuthoring\.token\.outbox\.algorithm/,
    found: { bodyToken: true, headerToken: false, algorithm: 'none' }
  },
  'another algorithm': {
    token: save => forgedToken(save, { alg: 'HS512', secret: SECRET }),
    advice: /not signed with HS256: set services\.CoAuthoring\.token\.outbox\.algorithm/,
    found: { bodyToken: true, headerToken: false, algorithm: 'HS512' }
  },
  expired: {
    token: save => forgedToken({ ...save, iat: now() - 3600, exp: now() - 3300 }, { secret: SECRET }),
    advice: /has expired: synchronize the clocks/,
    found: { bodyToken: true, headerToken: false, issuedSecondsAgo: 3600 }
  },
  'no expiry': {
    token: save => forgedToken({ ...save, iat: now() - 60 }, { secret: SECRET }),
    advice: /does not expire: set services\.CoAuthoring\.token\.outbox\.expires/,
    found: { bodyToken: true, headerToken: false, issuedSecondsAgo: 60 }
  },
  'a clock that is ahead': {
    token: save => forgedToken({ ...save, iat: now() + 3600, exp: now() + 3900 }, { secret: SECRET }),
    advice: /is dated more than 60 s ahead: synchronize the clocks/,
    found: { bodyToken: true, headerToken: false, issuedSecondsAgo: -3600 }
  },
  'not valid yet': {
    token: save => forgedToken({ ...save, nbf: now() + 3600, exp: now() + 3900 }, { secret: SECRET }),
    advice: /is not valid yet: synchronize the clocks/,
    found: { bodyToken: true, headerToken: false, issuedSecondsAgo: -3600 }
  },
  garbage: {
    token: () => 'garbage',
    advice: /the token in the body is malformed/,
    found: { bodyToken: true, headerToken: false }
  },
  disagreement: {
    token: save => signed(save),
    headers: save => bearer(signed({ payload: { ...save, status: 6 } })),
    advice: /the tokens in the body and in the header disagree about status/,
    isProven: true,
    found: { bodyToken: true, headerToken: true }
  },
  'an unsigned URL': {
    token: save => signed(save),
    query: fileId => ({ action: 'callback', fileId }),
    advice: /the callback URL is not signed: use the URL from the control/
  },
  'the signature of another URL': {
    token: save => signed(save),
    query: fileId => ({ action: 'callback', fileId, signature: 'made-up-signature' }),
    advice:
      /the URL's signature was not made for this application, file and action: jwtSecret, publicBaseUrl, path and prefix must be the same on all instances/,
    code: 'FST_EDITOR_FORBIDDEN'
  },
  'a key of another file': {
    token: save => signed({ ...save, key: 'of-another-file' }),
    advice: /the document key of the callback does not belong to its file/,
    isProven: true,
    code: 'FST_EDITOR_FORBIDDEN'
  },
  'no callback': {
    token: save => signed({ ...save, status: 'x' }),
    advice: /integer status/,
    isProven: true,
    code: 'FST_EDITOR_INVALID_CALLBACK'
  }
}

for (const [name, { token, headers, advice, code = 'FST_EDITOR_UNAUTHORIZED', found, query, isProven = false }] of Object.entries(refusals)) {
  t.test(`a callback refused for ${name} logs one line with what is wrong, the value found and how to fix it`, async t => {
    const log = memoryLog()
    const editing = await startEditing(t, { server: log.server })
    const { fileId, key, url } = editing
    const save = { key, status: 2, url }
    const sent = { 'content-type': 'application/json', ...headers?.(save) }
    const body = { ...save, ...(token && { token: token(save) }) }
    const address = query ? editing.handler(query(fileId)) : editing.urls.callback(fileId)
    const answer = await fetch(address, { method: 'POST', headers: sent, body: JSON.stringify(body) })
    t.equal(await answer.text(), '{"error":1}')

    const lines = log.records().filter(({ level }) => level >= WARN)
    t.equal(lines.length, 1)
    t.match(lines[0], {
      level: isProven ? ERROR : WARN,
      msg: isProven ? /^callback refused/ : /^an unproven callback was refused/,
      fileId,
      err: { message: advice, code }
    })
    if (found) {
      const { issuedSecondsAgo: expected, ...rest } = found as { issuedSecondsAgo?: number }
      const { issuedSecondsAgo: actual, ...others } = lines[0]!.err!.found as { issuedSecondsAgo?: number }
      t.strictSame(others, rest)
      t.equal(actual === undefined ? undefined : Math.round(actual / 60), expected === undefined ? undefined : expected / 60)
    }
    await editing.unchanged(t, name)
  })
}
