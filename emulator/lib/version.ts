import { createRequire } from 'node:module'

/** The version of the document server that is emulated. */
const SERVER_VERSION = '9.3.0'

/** What the document server says of its build. */
export interface Build {
  /** Three numbers: `9.3.0`. */
  readonly version: string
  readonly number: number
}

/** Reads the option `version`: three numbers, and the number of the build if there is a fourth. Throws a `TypeError`. */
export function buildOf (option: string = SERVER_VERSION): Build {
  const [, version, number] = /^(\d{1,4}\.\d{1,4}\.\d{1,4})(?:\.(\d{1,6}))?$/.exec(option) ?? []
  if (version === undefined) throw new TypeError(`version must be three or four numbers such as 9.3.0 or 9.3.0.1, not ${JSON.stringify(option)}`)
  return { version, number: Number(number ?? 0) }
}

/** The version of this package. */
export const VERSION: string = createRequire(import.meta.url)('onlyoffice-emulator/package.json').version
