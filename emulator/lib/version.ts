import { createRequire } from 'node:module'
import type { DocumentServerOptions, KnownVersion } from '../types/document-server.js'

/** In their order. */
const KNOWN: readonly KnownVersion[] = ['9.3', '9.4', '10.0']
/** The newest of which exchanges were recorded. */
const RECORDED: KnownVersion = '9.3'

/** What the document server says of its build, and how it behaves. */
export type Build = ReturnType<typeof buildOf>

/** Reads the option `version`: two, three or four numbers. Throws a `TypeError`. */
export function buildOf (option: string = RECORDED) {
  const [, major, minor, patch = 0, number = 0] =
    /^(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4})(?:\.(\d{1,6}))?)?$/.exec(option) ?? []
  if (major === undefined) {
    throw new TypeError(
      `version must be ${KNOWN.join(', ')} or the full number of a build such as 9.3.0.1, not ${JSON.stringify(option)}`
    )
  }
  const isLater = (known: string) => rank(known) > rank(`${major}.${minor}`)
  return {
    /** Three numbers: `9.3.0`. */
    version: `${major}.${minor}.${patch}`,
    number: Number(number),
    /** The newest known version that is not later, or the oldest one. */
    behavesAs: KNOWN.findLast(known => !isLater(known)) ?? KNOWN[0]!
  }
}

function rank (version: string): number {
  const [major, minor] = version.split('.').map(Number) as [number, number]
  return major * 10_000 + minor
}

/** The setting `purposeCheck`, which 10.0 has introduced. Throws a `TypeError`. */
export function purposeCheckOf (
  { purposeCheck }: DocumentServerOptions,
  { behavesAs, version }: Build
): NonNullable<DocumentServerOptions['purposeCheck']> {
  const has = behavesAs === '10.0'
  if (purposeCheck === undefined) return has ? 'validate' : 'off'
  if (!['off', 'validate', 'strict'].includes(purposeCheck)) {
    throw new TypeError(`purposeCheck must be off, validate or strict, not ${JSON.stringify(purposeCheck)}`)
  }
  if (!has) throw new TypeError(`purposeCheck is a setting of version 10.0 and later, not of ${version}`)
  return purposeCheck
}

/** The version of this package. */
export const VERSION: string = createRequire(import.meta.url)('onlyoffice-emulator/package.json').version
