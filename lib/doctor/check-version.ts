import type { DoctorFinding } from '../../types/doctor.js'
import { advisoriesFor, isOlder } from './advisories.js'
import type { TokensInCheck } from './check-tokens-in.js'
import { ok, skipped, warning } from './findings.js'
import { isNewerThanKnown, knownVersions, whatIsKnownOf } from './known-versions.js'

/** The first with a random secret instead of none. Older ones were not tried. */
const OLDEST = '7.2.0'
/** Of builds from the source code that nobody gave a version. */
const UNRELEASED = '4.1.2.37'

/** What is known of the version of the document server: vulnerabilities, and what was recorded and tested. */
export function checkVersion ({ version, hasTokens }: Pick<TokensInCheck, 'version' | 'hasTokens'>): DoctorFinding[] {
  if (version === undefined) return [skipped('VERSION', 'The document server did not report its version.')]
  if (!/^\d{1,4}(\.\d{1,6}){1,3}$/.test(version)) return [skipped('VERSION', 'The document server reports a version that is not a number.')]
  if (version === UNRELEASED) return [skipped('VERSION', `Version ${version} is the placeholder in the source code: this build does not report its real version.`)]

  const known = whatIsKnownOf(version)
  const advisories = advisoriesFor(version, { hasTokens })
  const fixed = advisories.map(({ fixedIn }) => fixedIn).reduce((a, b) => isOlder(a, b) ? b : a, OLDEST)
  const update = `Update the document server to ${fixed} or later; its sessions end when it is restarted.`
  const findings: DoctorFinding[] = []
  if (advisories.length > 0) findings.push(warning('VERSION_ADVISORIES', `Version ${version}: ${advisories.map(({ id, subject }) => `${id} (${subject})`).join(', ')}. ${known}`, update))
  if (isOlder(version, OLDEST)) findings.push(warning('VERSION_OLD', `Version ${version}. This library was made for ${OLDEST} and later.`, update))
  if (isNewerThanKnown(version)) {
    findings.push(warning('VERSION_NEW', `Version ${version}. This release of fastify-onlyoffice knows versions up to ${knownVersions.at(-1)!.version}; nothing is known against a newer one. ${known}`,
      'See the changelog of fastify-onlyoffice for this version, and update to a release that knows it. Until there is one, try opening, saving and converting with this version before it is used.'))
  }
  return findings.length > 0 ? findings : [ok('VERSION', `Version ${version}. ${known} No known vulnerability in the list of this release.`)]
}
