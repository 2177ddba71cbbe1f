import type { DocumentServerOptions } from '../types/document-server.js'

const KNOWN: ReadonlyArray<keyof DocumentServerOptions> = [
  'allowedHosts', 'authorizationHeader', 'authorizationPrefix', 'clock', 'host', 'jwtSecret', 'libreOffice', 'logger',
  'operations', 'port', 'publicUrl', 'purposeCheck', 'remoteControl', 'requestLog', 'services', 'sharedClock', 'tokens',
  'version'
]

function assertGroup (
  name: string, group: object | undefined, known: readonly string[], example: string | boolean
): void {
  for (const [field, value] of Object.entries(group ?? {})) {
    if (!known.includes(field)) throw new TypeError(`${name}.${field} is unknown: use ${known.join(', ')}`)
    if (value === undefined || typeof value === typeof example) continue
    throw new TypeError(`${name}.${field} must be ${typeof example === 'string' ? 'a string' : 'true or false'}`)
  }
}

/**
 * Checks what somebody passes who never reads types. Throws a `TypeError`. The parts check the values of their options
 * themselves.
 */
export function assertOptions (options: DocumentServerOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('createDocumentServer() needs an object with options, such as { jwtSecret }')
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.some(known => known === name)) {
      throw new TypeError(`The option ${name} is unknown: use ${KNOWN.join(', ')}`)
    }
  }
  assertGroup('operations', options.operations, ['body', 'download', 'header', 'payload'], '')
  assertGroup('services', options.services, ['converter', 'docbuilder', 'page'], true)
  // An environment variable that is not set is undefined.
  if (options.jwtSecret === undefined) {
    throw new TypeError('jwtSecret is missing: set it to the secret shared with your application')
  }
}
