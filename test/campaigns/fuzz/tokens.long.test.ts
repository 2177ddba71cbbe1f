import fc from 'fast-check'
import t from 'tap'
import { SECRET } from '../../kit/document-server.js'
import { asDocumentServer, pathOfSaved } from '../../kit/http.js'
import { type Claims, genuineClaims, tokenOver } from './genuine.js'
import { fuzz, mostly, TIMEOUT_MS } from './runs.js'
import { assertThat, errorOf, isNoHttp, type Seen, type Service, startService, stillWorks } from './service.js'

export interface TokenRecipe {
  readonly kind: 'good' | 'absent' | 'text'
  readonly alg: string
  readonly secret: string
  /** Seconds to what the dates of a good token are. */
  readonly dates: Readonly<Record<string, unknown>>
  /** Claims that are other than those of the callback. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Of whose file the key is. */
  readonly keyOf: 'plain' | '😀' | 'another service'
  readonly nested: boolean
  readonly slip: Slip
  readonly text: string
}

export type Slip = { readonly how: 'not' } | {
  readonly how: 'change' | 'drop' | 'double' | 'insert' | 'part' | 'pad' | 'blank' | 'header',
  readonly at: number,
  readonly character: string
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const slip: fc.Arbitrary<Slip> = fc.record({
  how: fc.constantFrom('change', 'drop', 'double', 'insert', 'part', 'pad', 'blank', 'header'),
  at: fc.nat(2000),
  character: fc.constantFrom(...alphabet, '=', '.', '+', '/', ' ', '\n', 'é')
})
const offset = fc.constantFrom(-1e9, -400, -301, -59, 0, 30, 59, 75, 1000, 1e9)
const dates = fc.dictionary(
  fc.constantFrom('iat', 'exp', 'nbf'),
  mostly(offset, fc.constantFrom<unknown>(null, '1', [], {}, true), 5),
  { maxKeys: 2 }
)
const claims = fc.dictionary(
  fc.constantFrom('status', 'url', 'key', 'users', 'payload', '__proto__', 'token'),
  fc.constantFrom<unknown>(2, 4, 6, '2', null, 'http://{{inside}}/ok', 'http://{{ds}}/ok', '{{key}}', {}, ['a']),
  { maxKeys: 2 }
)

/** A token of the document server, or one that is not quite it. */
export const tokenRecipes: fc.Arbitrary<TokenRecipe> = fc.record({
  kind: mostly(fc.constant('good'), fc.constantFrom('absent', 'text'), 5),
  alg: mostly(fc.constant('HS256'), fc.constantFrom('none', 'HS384', 'HS512', 'NONE', 'hs256'), 12),
  secret: mostly(fc.constant(SECRET), fc.constantFrom('', 'another-secret-of-more-than-32-bytes', SECRET.slice(1), SECRET.toUpperCase(), 'secret'), 12),
  dates: mostly(fc.constant({}), dates, 5),
  claims: mostly(fc.constant({}), claims, 4),
  keyOf: mostly(fc.constant('plain'), fc.constantFrom('😀', 'another service'), 10),
  nested: mostly(fc.constant(false), fc.constant(true), 8),
  slip: mostly(fc.constant({ how: 'not' }), slip, 4),
  text: fc.oneof(fc.constantFrom('', '.', '..', '...', 'eyJ.eyJ.', 'null', '{}', 'a.b.c'), fc.string({ maxLength: 30 }), fc.base64String({ maxLength: 40 }))
})

export function slipped (token: string, slip: Slip): string {
  if (slip.how === 'not') return token
  const at = slip.at % token.length
  const [head = '', body = '', signature = ''] = token.split('.')
  switch (slip.how) {
    case 'change': return token.slice(0, at) + slip.character + token.slice(at + 1)
    case 'drop': return token.slice(0, at) + token.slice(at + 1)
    case 'double': return token.slice(0, at) + token[at] + token.slice(at)
    case 'insert': return token.slice(0, at) + slip.character + token.slice(at)
    case 'part': return [[head, body, ''], [head, body], ['', body, signature], [head, '', signature], [body, head, signature], [head, body, signature, '']][slip.at % 6]!.join('.')
    case 'pad': return `${token}${'='.repeat(slip.at % 3 + 1)}`
    case 'blank': return `${token}${slip.character === '=' ? '\u0000' : ' '}`
    case 'header': return `${Buffer.from(JSON.stringify([{ alg: 'none' }, { alg: 'HS256', typ: 'JWT', kid: '../../x' }, { typ: 'JWT' }, [], null][slip.at % 5])).toString('base64url')}.${body}.${slip.at % 2 ? signature : ''}`
  }
}

interface Input {
  readonly inBody: TokenRecipe
  readonly inHeader: TokenRecipe
  readonly usesHeader: boolean
  readonly place: 'callback' | 'download'
  readonly signature: 'own' | 'none' | 'of another file' | 'of the other action' | 'changed'
}

const inputs: fc.Arbitrary<Input> = fc.record({
  inBody: tokenRecipes,
  inHeader: tokenRecipes,
  usesHeader: mostly(fc.constant(false), fc.constant(true), 2),
  place: mostly(fc.constant('callback'), fc.constant('download')),
  signature: mostly(fc.constant('own'), fc.constantFrom('none', 'of another file', 'of the other action', 'changed'), 7)
})

t.setTimeout(TIMEOUT_MS)

t.test('only the document server\'s own tokens are accepted', async t => {
  const service = await startService(t, 'secure')
  await fuzz(t, {
    name: 'tokens-secure',
    share: 90,
    input: inputs,
    check: input => input.place === 'callback' ? post(service, input) : download(service, input),
    seen: { stored: 0.1, refused: 0.2, served: 0.01, forbidden: 0.01 }
  })
  await stillWorks(t, service)
})

t.test('without signed URLs a download needs a token for exactly its URL', async t => {
  const service = await startService(t, 'secure', { signedUrls: false })
  await fuzz(t, { name: 'tokens-unsigned', share: 30, input: inputs, check: input => download(service, input), seen: { served: 0.05, forbidden: 0.3 } })
  await stillWorks(t, service)
})

async function post (service: Service, { inBody, inHeader, usesHeader, signature }: Input): Promise<string> {
  const key = await service.keyOf('plain')
  const token = tokenOf(inBody, await fieldsFor(service, inBody))
  const header = usesHeader ? tokenOf(inHeader, { payload: await fieldsFor(service, inHeader) }) : undefined
  const { origin } = service.upstream
  const fields = asDocumentServer({ status: 2, key, url: `${origin}/ok`, users: ['unsigned'] }, [origin])
  const seen = await service.send({
    method: 'POST',
    target: targetOf(service, 'callback', signature),
    headers: ['Content-Type: application/json', ...(header === undefined ? [] : [`Authorization: Bearer ${header}`])],
    body: Buffer.from(JSON.stringify({ ...fields, ...(token !== undefined && { token }) }))
  })
  if (isNoHttp(seen.answer)) return 'no http'
  const error = errorOf(seen)
  const signed = signature === 'own' ? trusted(token, header) : undefined
  if (error === 1) {
    const isPlain = ({ slip, claims, dates, kind, nested }: TokenRecipe) =>
      kind === 'good' && slip.how === 'not' && !nested &&
      [claims, dates].every(changes => Object.keys(changes).length === 0)
    assertThat(seen.changed.length === 0, 'a refused save is stored')
    assertThat(!(signed && isPlain(inBody) && !usesHeader && inBody.keyOf === 'plain'), 'a good save is refused')
    return 'refused'
  }
  assertThat(signed !== undefined, 'what nobody signed is accepted')
  assertThat(typeof signed.key === 'string' && service.host.keys.isForFile('plain', signed.key), 'a token of another file is accepted')
  assertEffect(seen, signed)
  return seen.changed.length > 0 ? 'stored' : 'acknowledged'
}

function assertEffect ({ changed, requests }: Seen, { status, url }: Claims): void {
  if (changed.length === 0) return
  assertThat(status === 2 || status === 6, 'what was signed is no save')
  assertThat(requests.length > 0 && pathOfSaved(String(url)).endsWith(requests[0]!), 'another URL than the signed one was fetched')
}

async function download (service: Service, { inHeader, signature }: Input): Promise<string> {
  const target = targetOf(service, 'download', signature)
  const other = target.replace('fileId=plain', `fileId=${encodeURIComponent('😀')}`)
  const url = service.host.origin + (inHeader.keyOf === 'plain' ? target : other)
  const { claims, nested } = inHeader
  const token = tokenOf({ ...inHeader, nested: false }, nested ? { url } : { payload: { url, ...claims } })
  const { answer } = await service.send({ target, headers: token === undefined ? [] : [`Authorization: Bearer ${token}`] })
  if (isNoHttp(answer)) return 'no http'
  if (answer.status !== 200) {
    assertThat(answer.status === 401 || answer.status === 403, `status ${answer.status}`)
    assertThat(signature !== 'own' || !service.signedUrls, 'a signed URL is refused')
    return 'forbidden'
  }
  const payload = genuineClaims(token && received(token))?.payload as Claims | undefined
  assertThat(service.signedUrls ? signature === 'own' : payload?.url === service.host.origin + target, 'a download without a credential is served')
  return 'served'
}

/** The claims that count: those of the body token, otherwise the payload of the header token. */
function trusted (token: string | undefined, header: string | undefined): Claims | undefined {
  if (token !== undefined) return genuineClaims(token)
  const payload = genuineClaims(header && received(header))?.payload
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload as Claims : undefined
}

/** HTTP takes blanks at the end of a header away, and whatever follows the end of its line. */
function received (value: string): string {
  return value.replace(/\r?\n[^]*$/, '').replace(/[ \t]+$/, '')
}

async function fieldsFor (service: Service, { claims, keyOf }: TokenRecipe): Promise<Claims> {
  const key = keyOf === 'another service' ? 'a-key-of-another-service' : await service.keyOf(keyOf)
  const changed = JSON.parse(service.fill(JSON.stringify(claims)).replaceAll('{{key}}', key)) as Claims
  const { origin } = service.upstream
  return asDocumentServer({ status: 2, key, url: `${origin}/ok/signed`, ...changed }, [origin])
}

function tokenOf ({ kind, alg, secret, dates, nested, slip, text }: TokenRecipe, claims: object): string | undefined {
  if (kind === 'absent') return undefined
  if (kind === 'text') return text
  const now = Math.floor(Date.now() / 1000)
  const dated = Object.fromEntries(
    Object.entries(dates).map(([name, value]) => [name, typeof value === 'number' ? now + value : value])
  )
  return slipped(
    tokenOver({ ...(nested ? { payload: claims } : claims), ...dated }, {
      alg: /^HS\d+$/.test(alg) || alg === 'none' ? alg : 'none',
      secret: secret || SECRET.slice(0, 8)
    }),
    slip
  )
}

function targetOf ({ host }: Service, purpose: 'callback' | 'download', signature: Input['signature']): string {
  const other = purpose === 'callback' ? 'download' : 'callback'
  const { pathname, search } = new URL(
    signature === 'of another file'
      ? host.urls[purpose]('😀')
      : host.urls[signature === 'of the other action' ? other : purpose]('plain')
  )
  const query = new URLSearchParams(search)
  query.set('action', purpose)
  query.set('fileId', 'plain')
  if (signature === 'changed') query.set('signature', (query.get('signature') ?? '').replace(/.$/, last => last === 'A' ? 'B' : 'A'))
  if (signature === 'none') for (const name of ['signature', 'expires']) query.delete(name)
  return `${pathname}?${query}`
}
