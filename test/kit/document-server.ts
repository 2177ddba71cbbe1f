import type { DocumentServerOptions } from 'onlyoffice-emulator'

/**
 * With `DOCUMENT_SERVER=10.0`, the document server of tests names the purpose of its tokens and demands that of ours.
 */
const isNew = process.env.DOCUMENT_SERVER === '10.0'

/** Options of an emulated document server, unless the test needs a certain version. */
export function emulatedOptions (options: Partial<DocumentServerOptions> = {}): Partial<DocumentServerOptions> {
  return isNew && options.version === undefined ? { version: '10.0', purposeCheck: 'strict', ...options } : options
}

/** The claim of a token that a test signs itself. */
export function claimOf (operation: string): { readonly operation?: string } {
  return isNew ? { operation } : {}
}
