import { createRequire } from 'node:module'

/** The version of the document server that is emulated. */
export const SERVER_VERSION = '9.3.0'

/** The version of this package. */
export const VERSION: string = createRequire(import.meta.url)('onlyoffice-emulator/package.json').version
