import { createRequire } from 'node:module'

/** Of the document server that this behaves as. */
export const SERVER_VERSION = '9.3.0'

/** Of this package. */
export const VERSION: string = createRequire(import.meta.url)('onlyoffice-emulator/package.json').version
