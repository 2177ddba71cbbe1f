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
  port: true,
  publicUrl: true,
  remoteControl: true,
  requestLog: true,
  sharedClock: true,
  tokens: true,
  version: true
}

/** Checks what somebody passes who never reads types. Throws a `TypeError`. The parts check the values of their options themselves. */
export function assertOptions (options: DocumentServerOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('createDocumentServer() needs an object with options, such as { jwtSecret }')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(KNOWN, name)) throw new TypeError(`The option ${name} is unknown: use ${Object.keys(KNOWN).join(', ')}`)
  }
  // An environment variable that is not set is undefined.
  if (options.jwtSecret === undefined) throw new TypeError('jwtSecret is missing: set it to the secret shared with your application')
}
