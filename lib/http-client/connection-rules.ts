import { X509Certificate } from 'node:crypto'
import type { EditorOptions } from '../../types/options.js'
import type { ConnectionOptions } from './connections.js'
import { AnyFunction, anyOf, listOf, Milliseconds, oneOf, rule, type Rules, stringThat, TrueOrFalse } from '../rules.js'

type Options = Required<EditorOptions>

const isPem = stringThat(isCertificate)

/** Of https connections. */
export const tlsRules: Rules<Options['tls']> = {
  rejectUnauthorized: TrueOrFalse,
  minVersion: oneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
  ca: rule('must be certificates in PEM, not the path of a file: read it with fs.readFileSync(path, \'utf8\')', anyOf(isPem, listOf(isPem, { min: 1 })))
}

/** Of all connections. */
export const connectionTimeoutRules: Rules<Pick<Options['timeouts'], 'connect' | 'headers' | 'idle'>> = {
  connect: Milliseconds,
  headers: Milliseconds,
  idle: Milliseconds
}

export const connectionRules: Rules<ConnectionOptions> = {
  timeouts: connectionTimeoutRules,
  tls: tlsRules,
  lookup: AnyFunction
}

function isCertificate (text: string): boolean {
  try {
    return text.includes('-----BEGIN ') && new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}
