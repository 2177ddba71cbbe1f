import fc from 'fast-check'
import { SECRET } from '../../../kit/host.js'
import { mostly } from '../runs.js'

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
