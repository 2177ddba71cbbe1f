import { createHmac } from 'node:crypto'
import { forgedToken, SECRET } from '../../kit/document-server.js'

export type Claims = Readonly<Record<string, unknown>>

const TOLERANCE_SECONDS = 60

/**
 * A token over any claims, those that a library would not sign among them. Valid for five minutes unless they say
 * otherwise.
 */
export function tokenOver (claims: object, { alg = 'HS256', secret = SECRET } = {}): string {
  const iat = Math.floor(Date.now() / 1000)
  return forgedToken({ iat, exp: iat + 300, ...claims }, { alg, secret })
}

/** The claims of a document server token, verified without the library; `undefined` if it is not one. */
export function genuineClaims (token: unknown): Claims | undefined {
  if (typeof token !== 'string') return undefined
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || signature !== createHmac('sha256', SECRET).update(`${head}.${body}`).digest('base64url')) return undefined
  const [header, claims] = [objectOf(head), objectOf(body)]
  const now = Date.now() / 1000
  const isLate = claims?.exp !== undefined && !(typeof claims.exp === 'number' && claims.exp > now - TOLERANCE_SECONDS)
  const isEarly = [claims?.nbf, claims?.iat].some(time => typeof time === 'number' && time > now + TOLERANCE_SECONDS + 1)
  return header?.alg === 'HS256' && !isLate && !isEarly ? claims : undefined
}

function objectOf (part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Claims : undefined
  } catch {
    return undefined
  }
}
