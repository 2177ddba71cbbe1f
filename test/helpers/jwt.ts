import { createHmac } from 'node:crypto'

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token with any header, made by hand: what a library would refuse to make included. */
export function forgedToken (claims: object, { alg = 'HS256', secret = '', typ = 'JWT' }): string {
  const content = `${base64url({ alg, typ })}.${base64url(claims)}`
  if (alg === 'none') return `${content}.`
  return `${content}.${createHmac(`sha${alg.slice(2)}`, secret).update(content).digest('base64url')}`
}
