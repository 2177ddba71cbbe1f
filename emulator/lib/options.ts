import type { DocumentServerOptions } from '../types/document-server.js'

const KNOWN: Readonly<Record<keyof DocumentServerOptions, true>> = {
  allowedHosts: true,
  authorizationHeader: true,
  authorizationPrefix: true,
  clock: true,
  host: true,
  jwtSecret: true,
  libreOffice: true,
  logger: true,
  operations: true,
  port: true,
  publicUrl: true,
  purposeCheck: true,
  remoteControl: true,
  requestLog: true,
  services: true,
  sharedClock: true,
  tokens: true,
  version: true
}

function assertGroup (
  name: string,
  group: object | undefined,
  known: object,
  isValid: (value: unknown) => boolean,
  description: string
): void {
  for (const [field, value] of Object.entries(group ?? {})) {
    if (!Object.hasOwn(known, field)) {
      throw new TypeError(`${name}.${field} is unknown: use ${Object.keys(known).join(', ')}`)
    }
    if (value !== undefined && !isValid(value)) throw new TypeError(`${name}.${field} must be ${description}`)
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
    if (!Object.hasOwn(KNOWN, name)) {
      throw new TypeError(`The option ${name} is unknown: use ${Object.keys(KNOWN).join(', ')}`)
    }
  }
  assertGroup(
    'operations',
    options.operations,
    { body: true, download: true, header: true, payload: true },
    value => typeof value === 'string',
    'a string'
  )
  assertGroup(
    'services',
    options.services,
    { converter: true, docbuilder: true, page: true },
    value => typeof value === 'boolean',
    'true or false'
  )
  // An environment variable that is not set is undefined.
  if (options.jwtSecret === undefined) {
    throw new TypeError('jwtSecret is missing: set it to the secret shared with your application')
  }
}
