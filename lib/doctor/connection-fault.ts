import type { DoctorCode } from './codes.js'

/** Why there is no answer. */
export interface ConnectionFault {
  readonly kind: 'refused' | 'name' | 'timeout' | 'self-signed' | 'expired' | 'wrong-host' | 'chain' | 'tls' | 'blocked' | 'other'
  /** The code of the error, such as `ECONNREFUSED`. */
  readonly code: string
  /** What that means, to follow a comma or "because". */
  readonly meaning: string
}

const kinds: ReadonlyArray<readonly [code: RegExp, kind: ConnectionFault['kind'], meaning: string]> = [
  [/^ECONNREFUSED$/, 'refused', 'nothing listens at this host and port'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA)$/, 'name', 'the host name has no IP address here'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'self-signed', 'its certificate is signed by itself, or by an authority that is not known here'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'expired', 'its certificate has expired or is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'wrong-host', 'its certificate is for another host'],
  [/^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|INVALID_CA|CERT_UNTRUSTED)$/, 'chain', 'it does not send its intermediate certificates, or its certificate authority is not known here'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/, 'tls', 'there is no TLS that both sides support, or no TLS at all'],
  [/TIMED?_?OUT/, 'timeout', 'there was no answer in time'],
  [/^FST_EDITOR_ADDRESS_BLOCKED$/, 'blocked', 'a redirect leads to another origin']
]

/** Finds the most telling code in an error and its causes. */
export function connectionFault (error: unknown): ConnectionFault {
  const all = codesOf(error)
  for (const [pattern, kind, meaning] of kinds) {
    const code = all.find(one => pattern.test(one))
    if (code !== undefined) return { kind, code, meaning }
  }
  return { kind: 'other', code: all.at(-1) ?? 'unknown', meaning: 'the connection failed' }
}

/** Outermost first. */
function codesOf (error: unknown): string[] {
  const found: string[] = []
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth++) {
    const { code, errors } = current as { readonly code?: unknown, readonly errors?: readonly unknown[] }
    if (typeof code === 'string') found.push(code)
    else if (current.name !== 'Error') found.push(current.name)
    current = current.cause ?? errors?.[0]
  }
  return found
}

/** The fault of a connection to the document server. */
export const serverCodes: Readonly<Record<ConnectionFault['kind'], Extract<DoctorCode, `SERVER_${string}`>>> = {
  refused: 'SERVER_REFUSED',
  name: 'SERVER_NAME',
  timeout: 'SERVER_TIMEOUT',
  'self-signed': 'SERVER_TLS_SELF_SIGNED',
  expired: 'SERVER_TLS_EXPIRED',
  'wrong-host': 'SERVER_TLS_HOST',
  chain: 'SERVER_TLS_CHAIN',
  tls: 'SERVER_TLS',
  blocked: 'SERVER_REDIRECT',
  other: 'SERVER_UNREACHABLE'
}
