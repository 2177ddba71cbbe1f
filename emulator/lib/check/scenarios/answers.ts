import { must, should, type Scenario } from '../types.js'

const ANSWERS = 'what-the-document-server-does-with-the-answer'

/** Requests of unusual form, and the form of the answers. */
export const answers: readonly Scenario[] = [
  should('answer-is-json', 'the answer is the JSON {"error":0}, with its media type and the number 0',
    [ANSWERS, 'another `error`, a 2xx other than 200, an empty body, HTML'],
    'Answer exactly {"error":0} with Content-Type: application/json.',
    async ({ post, presence, expect }) => {
      const answer = await post(presence(1))
      expect(answer.accepted && (answer.answer as { error: unknown }).error === 0, '{"error":0}', answer)
      const type = answer.headers.get('content-type') ?? 'no Content-Type'
      expect(/\bjson\b/.test(type), 'Content-Type: application/json', type)
    }),
  must('answer-is-no-redirect', 'a callback is never redirected, even a refused one',
    [ANSWERS, '301, 302, 303: the POST becomes a GET without a body'],
    'Exempt the callback URL from redirects to a login page, to https or to another path: the save would be lost.',
    async ({ post, presence, expect }) => {
      for (const answer of [await post(presence(1)), await post(presence(1), { body: null, header: null })]) {
        expect(answer.httpStatus! < 300 || answer.httpStatus! > 399, 'an answer without a redirect', answer)
      }
    }),
  should('callback-by-get', 'a GET of the callback URL is not acknowledged',
    [ANSWERS, '301, 302, 303: the POST becomes a GET without a body'],
    'Accept only POST at the callback URL: a proxy that redirects a save makes it a GET, whose {"error":0} would lose the save.',
    async ({ host, callbackUrl, expect }) => {
      const { status, bytes } = await host.get(callbackUrl)
      expect(status !== 200 || !/"error":\s*"?0/.test(bytes.toString()), 'HTTP 404 or 405', `HTTP ${status} ${bytes.toString().slice(0, 100)}`)
    }),
  must('callback-with-long-history', 'a callback of 600 kB is stored',
    ['tokens-the-document-server-sends', 'the body token keeps `changesurl` and `history`'],
    'Allow bodies of 1 MB or more: the history of a long session is large, and the document server does not repeat a save after HTTP 413.',
    async ({ made, post, tokens, userId, expectAccepted, expectStored }) => {
      const { changesurl, ...fields } = await made('the saved content')
      const change = { documentSha256: 'c55a3a18'.repeat(8), created: '2026-11-20 16:12:20', user: { id: userId, name: 'Check' } }
      const history = { serverVersion: '9.3.0', changes: Array.from({ length: 2500 }, () => change) }
      const short = { ...fields, history: {} }
      const body = tokens.sign({ ...fields, history, changesurl })
      expectAccepted(await post(short, { body, header: tokens.sign({ payload: short }) }))
      await expectStored('the saved content')
    }),
  should('callback-malformed', 'malformed callbacks are refused, and do no harm',
    ['callbacks', ''],
    'Answer 400 or 403 to a body that is no JSON object, is too large, or has values of other types, and go on.',
    async trial => {
      const { host, callbackUrl, post, presence, tokens, expectAccepted, expectRefused, expectStored } = trial
      const headers = { 'Content-Type': 'application/json' }
      for (const body of ['', '{', 'null', '[]', '"2"', '{"token":5}', `{"a":"${'a'.repeat(6_000_000)}"}`]) {
        // A closed connection is an answer.
        const answer = await host.post(callbackUrl, body, headers).catch(() => undefined)
        if (answer !== undefined) expectRefused(answer)
      }
      for (const odd of [{ status: '2' }, { status: 2, url: 5 }, { status: null }, { status: 2 }]) {
        const fields = { ...presence(4), ...odd }
        await post(fields, { body: tokens.sign(fields) })
      }
      await expectStored('the content from before')
      expectAccepted(await post(presence(1)))
    })
]
