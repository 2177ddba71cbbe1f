import type { DoctorFinding } from '../../types/doctor.js'
import { advisoriesFor, isOlder } from './advisories.js'
import type { TokensInCheck } from './check-tokens-in.js'
import { ok, skipped, warning } from './findings.js'

/** The first with a random secret instead of none. Older ones were not tried. */
const OLDEST = '7.2.0'

/** Whether the version of the document server has known vulnerabilities, or is older than what this library was made for. */
export function checkVersion ({ version, hasTokens }: Pick<TokensInCheck, 'version' | 'hasTokens'>): DoctorFinding[] {
  if (version === undefined) return [skipped('VERSION', 'The document server did not tell its version.')]
  if (!/^\d{1,4}(\.\d{1,6}){1,3}$/.test(version)) return [skipped('VERSION', 'The document server tells a version that is not a number.')]

  const known = advisoriesFor(version, { hasTokens })
  const newest = known.map(({ fixedIn }) => fixedIn).reduce((a, b) => isOlder(a, b) ? b : a, OLDEST)
  const remedy = `Update the document server to ${newest} or later; its sessions end when it is restarted.`
  const findings: DoctorFinding[] = []
  if (known.length > 0) findings.push(warning('VERSION_ADVISORIES', `Version ${version}: ${known.map(({ id, subject }) => `${id} (${subject})`).join(', ')}.`, remedy))
  if (isOlder(version, OLDEST)) findings.push(warning('VERSION_OLD', `Version ${version}. This library was made for ${OLDEST} and later.`, remedy))
  return findings.length > 0 ? findings : [ok('VERSION', `Version ${version}. No known vulnerability in the list of this release.`)]
}
