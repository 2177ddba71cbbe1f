import type { DoctorFinding } from '../../types/doctor.js'
import type { TokensInCheck } from './check-tokens.js'
import { ok, skipped, warning } from './findings.js'

/** The first version with a random default secret. Older ones were not tried. */
const OLDEST = '7.2.0'
/** Reported by builds from source whose version was not set. */
const UNRELEASED = '4.1.2.37'

/** The known facts about the document server's version: vulnerabilities, and what was recorded and tested. */
export function checkVersion ({ version, hasTokens }: Pick<TokensInCheck, 'version' | 'hasTokens'>): DoctorFinding[] {
  if (version === undefined) return [skipped('VERSION', 'The document server did not report its version.')]
  if (!/^\d{1,4}(\.\d{1,6}){1,3}$/.test(version)) {
    return [skipped('VERSION', 'The document server reports a version that is not a number.')]
  }
  if (version === UNRELEASED) {
    return [skipped('VERSION', `Version ${version} is the placeholder in the source code: this build does not report its real version.`)]
  }

  const known = whatIsKnownOf(version)
  const advisories = advisoriesFor(version, { hasTokens })
  const fixed = advisories.map(({ fixedIn }) => fixedIn).reduce((a, b) => isOlder(a, b) ? b : a, OLDEST)
  const update = `Update the document server to ${fixed} or later; its sessions end when it is restarted.`
  const findings: DoctorFinding[] = []
  if (advisories.length > 0) {
    const list = advisories.map(({ id, subject }) => `${id} (${subject})`).join(', ')
    findings.push(warning('VERSION_ADVISORIES', `Version ${version}: ${list}. ${known}`, update))
  }
  if (isOlder(version, OLDEST)) {
    findings.push(warning('VERSION_OLD', `Version ${version}. This library was made for ${OLDEST} and later.`, update))
  }
  // Newer patches of the newest known version are known.
  const newest = knownVersions.at(-1)!.version
  if (isOlder(newest, minorOf(version))) {
    findings.push(warning('VERSION_NEW',
      `Version ${version}. This release of fastify-onlyoffice knows versions up to ${newest}; nothing is known against a newer one. ${known}`,
      'See the changelog of fastify-onlyoffice for this version, and update to a release that knows it. Until there is one, try opening, saving and converting with this version before it is used.'))
  }
  return findings.length > 0
    ? findings
    : [ok('VERSION', `Version ${version}. ${known} No known vulnerability in the list of this release.`)]
}

/**
 * From the oldest to the newest version. A fork stands behind the version whose number it reports. `name` names the row
 * in README.md and docs/document-server.md, which tests compare with this list; `version` is the major and minor
 * version, as the document server reports them.
 */
export const knownVersions = [
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
    tested:
      'as 9.3, with what its documentation adds: purposes of tokens, also with purposeCheck strict, and files in requests',
    unknown: 'which purpose its own tokens name; changes without documentation'
  }
]

/**
 * The known facts about a version such as `9.3.0.140`, in one line: its own rows, or those of the nearest known
 * versions.
 */
function whatIsKnownOf (version: string): string {
  const minor = minorOf(version)
  const below = knownVersions.findLast(known => !isOlder(minor, known.version))?.version
  const above = knownVersions.find(known => !isOlder(known.version, minor))?.version
  const rows = knownVersions
    .filter(({ version }) => version === below || version === above)
    .map(({ name, recorded, tested, unknown }) =>
      `${name}: recorded: ${recorded}; tested with the emulator: ${tested}; unknown: ${unknown}.`
    )
  return below === above ? rows.join(' ') : `Nearest known versions: ${rows.join(' ')}`
}

function minorOf (version: string): string {
  return version.split('.', 2).join('.')
}

/**
 * Published vulnerabilities of ONLYOFFICE Docs. Sources: the CVE records, and the change log of
 * ONLYOFFICE/DocumentServer. `fixedIn` is the first version without the vulnerability; `withoutTokens`: only document
 * servers that verify no tokens are affected.
 */
export const advisories = [
  { id: 'CVE-2020-11534', fixedIn: '5.5.1', subject: 'a crafted document runs commands on the server' },
  { id: 'CVE-2021-3199', fixedIn: '5.6.3', subject: 'writing files outside of the allowed directory, and running code' },
  { id: 'CVE-2021-43444', fixedIn: '7.2.0', subject: 'a default key signs the URLs of files' },
  { id: 'CVE-2021-43445', fixedIn: '7.2.0', subject: 'a default key signs tokens' },
  { id: 'CVE-2021-43446', fixedIn: '7.2.0', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2021-43447', fixedIn: '7.2.0', subject: 'documents can be edited without authentication', withoutTokens: true },
  { id: 'CVE-2021-43448', fixedIn: '7.2.0', subject: 'users can take any name', withoutTokens: true },
  { id: 'CVE-2021-43449', fixedIn: '7.2.0', subject: 'the server fetches any URL for anybody', withoutTokens: true },
  { id: 'CVE-2022-47412', fixedIn: '7.3.3', subject: 'text that is searched for runs scripts in the page' },
  { id: 'CVE-2023-30186', fixedIn: '7.3.3', subject: 'a crafted script runs code on the server' },
  { id: 'CVE-2023-30187', fixedIn: '7.3.3', subject: 'a crafted script runs code on the server' },
  { id: 'CVE-2023-30188', fixedIn: '7.3.3', subject: 'a crafted script exhausts the memory' },
  { id: 'CVE-2023-50883', fixedIn: '8.0.1', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2024-44085', fixedIn: '8.1.0', subject: 'a macro runs scripts in the page' },
  { id: 'CVE-2025-5301', fixedIn: '8.3.2', subject: 'a request to its WOPI pages runs scripts in the page' },
  { id: 'CVE-2026-110652', fixedIn: '10.0.0', subject: 'the server fetches internal URLs for anybody', withoutTokens: true }
]

/** The advisories that affect a version, such as `9.3.0.140`. */
export function advisoriesFor (version: string, { hasTokens }: { readonly hasTokens: boolean }) {
  return advisories.filter(({ fixedIn, withoutTokens }) => isOlder(version, fixedIn) && !(hasTokens && withoutTokens))
}

export function isOlder (version: string, than: string): boolean {
  const [given, limit] = [version, than].map(text => text.split('.').map(Number)) as [number[], number[]]
  for (const [index, number] of limit.entries()) {
    const own = given[index] ?? 0
    if (own !== number) return own < number
  }
  return false
}
