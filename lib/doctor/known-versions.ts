import { isOlder } from './advisories.js'

export interface KnownVersion {
  /** Of the row in README.md and docs/document-server.md, which tests compare with this list. */
  readonly name: string
  /** Major and minor version, as the document server reports them. */
  readonly version: string
  readonly recorded: string
  readonly tested: string
  readonly unknown: string
}

/** From the oldest to the newest version. A fork stands behind the version whose number it reports. */
export const knownVersions: readonly KnownVersion[] = [
  {
    name: '9.3',
    version: '9.3',
    recorded: 'opening, saves, commands and conversions of a running server with another converter',
    tested: 'all that the plugin does',
    unknown: 'what its own converter makes; forms, mail merge and timed saves, which were only read in its source code'
  },
  {
    name: 'Euro-Office 9.3',
    version: '9.3',
    recorded: 'nothing',
    tested: 'nothing of its own',
    unknown: 'how it differs from 9.3, of which it is a fork'
  },
  {
    name: '9.4',
    version: '9.4',
    recorded: 'nothing',
    tested: 'as 9.3: its documentation changes nothing in between',
    unknown: 'changes without documentation'
  },
  {
    name: '10.0',
    version: '10.0',
    recorded: 'nothing',
    tested: 'as 9.3, with what its documentation adds: purposes of tokens, also with purposeCheck strict, and files in requests',
    unknown: 'which purpose its own tokens name; changes without documentation'
  }
]

/** Whether the minor version is above the newest known one: a patch of that is known. */
export function isNewerThanKnown (version: string): boolean {
  return isOlder(knownVersions.at(-1)!.version, minorOf(version))
}

/** What is known of a version such as `9.3.0.140`, in one line: its rows, or those of the nearest known versions. */
export function whatIsKnownOf (version: string): string {
  const minor = minorOf(version)
  const below = knownVersions.findLast(known => !isOlder(minor, known.version))?.version
  const above = knownVersions.find(known => !isOlder(known.version, minor))?.version
  const rows = knownVersions.filter(known => known.version === below || known.version === above).map(lineOf)
  return below === above ? rows.join(' ') : `Nearest known versions: ${rows.join(' ')}`
}

function minorOf (version: string): string {
  return version.split('.', 2).join('.')
}

function lineOf ({ name, recorded, tested, unknown }: KnownVersion): string {
  return `${name}: recorded: ${recorded}; tested with the emulator: ${tested}; unknown: ${unknown}.`
}
