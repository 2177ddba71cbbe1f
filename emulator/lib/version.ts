import { createRequire } from 'node:module'

/** Of this package. */
export const VERSION: string = createRequire(import.meta.url)('onlyoffice-emulator/package.json').version
