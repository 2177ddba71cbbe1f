import type { JwtSecret, SeparateSecrets } from '../../../types/document-server.js'

/** Secrets by direction, as lists. */
export interface Secrets {
  /** Verify what is received. */
  readonly inbox: readonly string[]
  /** The first signs what is sent. */
  readonly outbox: readonly string[]
}

/** Reads the option `jwtSecret`. Throws a `TypeError`. */
export function secretsOf (option: JwtSecret | SeparateSecrets): Secrets {
  if (typeof option === 'string' || Array.isArray(option)) {
    const both = listOf('jwtSecret', option as JwtSecret)
    return { inbox: both, outbox: both }
  }
  const { inbox, outbox } = Object(option) as Partial<SeparateSecrets>
  return { inbox: listOf('jwtSecret.inbox', inbox), outbox: listOf('jwtSecret.outbox', outbox) }
}

function listOf (name: string, given: JwtSecret | undefined): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (list.length === 0 || !list.every(secret => typeof secret === 'string' && secret !== '')) {
    throw new TypeError(`${name} must be a string or a list of strings, none of them empty`)
  }
  return list as readonly string[]
}
