import type { JwtSecret, SeparateSecrets } from '../../../types/document-server.js'

/**
 * Reads the option `jwtSecret`: those of the inbox verify what is received, the first one of the outbox signs what is
 * sent. Throws a `TypeError`.
 */
export function secretsOf (option: JwtSecret | SeparateSecrets) {
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
