import type { Fields } from '../../editing.js'
import type { PostResult } from '../host.js'
import type { Tokens } from '../../protocol/tokens/tokens.js'
import type { CallbackTokens, Trial } from '../trial.js'
import { must, type Scenario, should } from '../types.js'

const SENT = 'tokens-the-document-server-sends'
const BODY = 'a callback\'s body has a field `token`, whose claims are the callback\'s own fields, flat'
const HEADER = 'a callback\'s header is `Authorization: Bearer <token>`, whose claims have the fields as `payload`'
const VERIFY = 'Verify the signature and exp of the token, with HS256 only, before you look at anything else.'
const CLAIMS = 'Use the claims of the verified token, not the plain fields of the body, and require key and status in them.'

/** Nobody else can save: each of the callbacks is refused, and nothing is stored. */
function forgery (
  id: string,
  title: string,
  forge: (trial: Trial, fields: Fields) => Promise<readonly PostResult[]>,
  remedy = VERIFY,
  statement = BODY
): Scenario {
  return must(id, title, [SENT, statement], remedy, async trial => {
    const answers = await forge(trial, await trial.made('the forged content'))
    await trial.expectStored('the content from before')
    for (const answer of answers) trial.expectRefused(answer)
  })
}

function unsigned (claims: Fields): string {
  const part = (value: Fields) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`
}

/** A callback as the document server may send it, with unusual tokens, is stored. */
function genuine (send: (trial: Trial, fields: Fields) => Promise<PostResult>): Scenario['run'] {
  return async trial => {
    trial.expectAccepted(await send(trial, await trial.made('the saved content')))
    await trial.expectStored('the saved content')
  }
}

export const callbackTokens: readonly Scenario[] = [
  forgery('token-missing', 'a callback without a token is refused', async ({ post }, fields) => [await post(fields, { body: null, header: null })]),
  forgery('token-wrong-secret', 'a callback that is signed with another secret is refused', async ({ post, strangers }, fields) => [
    await post(fields, { body: strangers.sign(fields), header: strangers.sign({ payload: fields }) }),
    await post(fields, { body: null, header: strangers.sign({ payload: fields }) })
  ]),
  forgery('token-expired', 'a callback with expired tokens is refused', async ({ post, tokens }, fields) => [
    await post(fields, bothAt(-3_600_000, tokens, fields))
  ]),
  forgery('token-without-signature', 'a token with the algorithm none is refused', async ({ post }, fields) => [
    await post(fields, { body: unsigned(fields), header: unsigned({ payload: fields }) })
  ]),
  forgery('token-of-other-fields', 'fields that the body token does not sign do not count', async ({ post, presence, tokens }, fields) => {
    const signed = presence(1)
    await post(fields, { body: tokens.sign(signed), header: tokens.sign({ payload: signed }) })
    return []
  }, CLAIMS),
  forgery('token-of-the-page', 'the token of a configuration, which every user has, is none of a callback', async ({ post, given }, fields) => {
    const token = String(given.config.token)
    return [await post(fields, { body: token, header: token }), await post(fields, { body: null, header: token })]
  }, CLAIMS),
  forgery('token-of-a-download', 'the token of a download is none of a callback', async ({ post, tokens, url }, fields) => {
    const token = tokens.sign({ payload: { url } })
    return [await post(fields, { body: token, header: token }), await post(fields, { body: null, header: token })]
  }, CLAIMS, HEADER),
  forgery('token-of-another-key', 'a callback with the key of another document is refused', async ({ post }, fields) => [
    await post({ ...fields, key: 'check-of-another-document-1' })
  ], 'Find out the document by the signed key, and compare it with that of the callback URL.', 'a token has no other claims'),
  should('token-in-body-only', 'the token in the body suffices',
    [SENT, BODY],
    'Read the token of the body first: some proxies remove Authorization.',
    genuine(async ({ post }, fields) => await post(fields, { header: null }))),
  should('token-in-header-only', 'the token in the header suffices',
    [SENT, HEADER],
    'Fall back to the token in the header, whose payload has the fields.',
    genuine(async ({ post }, fields) => await post(fields, { body: null }))),
  must('token-without-history', 'a callback whose header token leaves out long fields is stored',
    [SENT, 'a header token that would have 7168 characters or more omits'],
    'Do not require that both tokens and the plain fields are equal.',
    genuine(async ({ post, tokens }, { changesurl, history, ...fields }) => {
      const short = { ...fields, history: {} }
      const body = tokens.sign({ ...fields, changesurl, history })
      return await post(short, { body, header: tokens.sign({ payload: short }) })
    })),
  must('token-with-unknown-claims', 'claims and fields that do not exist yet are ignored',
    ['purposes-of-tokens', 'tokens may have a claim `operation`'],
    'Ignore claims and fields that you do not know: document servers from 10.0 on add some.',
    genuine(async ({ post, tokens }, known) => {
      const fields = { ...known, unknown: { check: true } }
      return await post(fields, {
        body: tokens.sign({ ...fields, operation: 'callback' }),
        header: tokens.sign({ payload: fields, operation: 'callback' })
      })
    })),
  should('token-from-a-fast-clock', 'a document server whose clock is 20 s fast can save',
    [SENT, 'a token is an HS256 JWT of the payload'],
    'Tolerate some seconds of clock skew in iat and nbf.',
    genuine(async ({ post, tokens }, fields) => await post(fields, bothAt(20_000, tokens, fields))))
]

/** Both tokens of a callback, dated by a clock that is wrong. */
function bothAt (skew: number, tokens: Tokens, fields: Fields): Required<CallbackTokens> {
  tokens.skew(skew)
  try {
    return { body: tokens.sign(fields), header: tokens.sign({ payload: fields }) }
  } finally {
    tokens.skew(0)
  }
}
