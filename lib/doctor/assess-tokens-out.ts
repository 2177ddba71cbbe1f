import type { DoctorFinding } from '../../types/doctor.js'
import type { Settings } from '../options.js'
import { clockSkew } from './check-clock.js'
import { fault, ok, skipped } from './findings.js'
import type { SeenToken, Sighting } from './probes.js'

export interface TokensOutAssessment {
  readonly finding: DoctorFinding
  readonly issuedSecondsAgo?: number
}

const OUTBOX = 'services.CoAuthoring.token.outbox'

/** What the document server's request for the probe tells about its tokens. `hasTokensIn`: it verifies those of requests. */
export function assessTokensOut ({ documentServer, publicBaseUrl, requireToken, signedUrls }: Pick<Settings, 'documentServer' | 'publicBaseUrl' | 'requireToken' | 'signedUrls'>, downloads: readonly Sighting[], { hasTokensIn }: { readonly hasTokensIn: boolean }): TokensOutAssessment {
  const { authorizationHeader, authorizationPrefix } = documentServer
  const sighting = downloads.find(({ isSigned }) => isSigned)
  if (!sighting) return { finding: skipped('TOKENS_OUT', 'No request of the document server was seen, so its token could not be examined: it did not arrive, or another instance of the application answered.') }
  const { tokens } = sighting
  const needed = requireToken ? 'error' : 'warning'
  const place = `after "${authorizationPrefix}" in the header ${authorizationHeader}`

  const expected = tokens.find(({ isExpectedThere }) => isExpectedThere)
  if (expected) return assess(expected)
  const elsewhere = tokens.find(({ fault, issuedSecondsAgo }) => !fault || issuedSecondsAgo !== undefined)
  if (elsewhere) return { finding: inAnotherHeader(elsewhere) }
  if (authorizationHeader === 'authorization' && new URL(publicBaseUrl).username !== '') {
    return { finding: skipped('TOKENS_OUT', 'The user name in publicBaseUrl replaces the token of a download, so it could not be examined. Callbacks have another one in their body.') }
  }
  // Then the downloads of conversions carry none, whatever callbacks carry. Source: docs/document-server-protocol.md#tokens-the-document-server-sends
  if (!hasTokensIn) return { finding: skipped('TOKENS_OUT', 'Its request came without a token: so do those for conversions where it verifies no tokens of requests, see the finding TOKENS_INBOX_OFF. Whether callbacks carry one shows once that is changed.') }
  return {
    finding: fault(needed, 'TOKENS_OUTBOX_OFF', `The document server requested a document without a token ${place}.${requireToken ? ' Its callbacks are refused without one.' : ''}`,
      'Set services.CoAuthoring.token.enable.request.outbox of the document server to true (with Docker JWT_ENABLED=true).')
  }

  function assess ({ fault: tokenFault, issuedSecondsAgo }: SeenToken): TokensOutAssessment {
    if (!tokenFault) return { finding: ok('TOKENS_OUT', `The document server's token ${place} is signed with our secret.`), ...(issuedSecondsAgo !== undefined && { issuedSecondsAgo }) }
    const evidence = `The document server's token ${place} ${tokenFault.problem}`
    if (issuedSecondsAgo === undefined) {
      const isOtherAlgorithm = tokenFault.algorithm !== undefined && tokenFault.algorithm !== 'HS256'
      return isOtherAlgorithm
        ? { finding: fault(needed, 'TOKEN_ALGORITHM', `${evidence} but with ${tokenFault.algorithm}.`, `Set ${OUTBOX}.algorithm of the document server to HS256.`) }
        : { finding: fault(needed, 'SECRET_OUTBOX', `${evidence}.`, 'Make jwtSecret and services.CoAuthoring.secret.outbox.string of the document server the same (local.json; with Docker the variable JWT_SECRET), then restart the document server. If inbox and outbox have different secrets on purpose, list both: jwtSecret: [inbox, outbox]. The first one signs, all of them verify.') }
    }
    if (Math.abs(issuedSecondsAgo) <= 60) return { finding: fault(needed, 'TOKEN_ENDLESS', `${evidence}.`, `Set ${OUTBOX}.expires of the document server to 5m.`) }
    return { finding: clockSkew(needed, `${evidence}: it was made ${Math.abs(issuedSecondsAgo)} s ${issuedSecondsAgo < 0 ? 'in the future' : 'ago'} by the clock of this application, for a request that came at once.`) }
  }

  function inAnotherHeader ({ header, prefix }: SeenToken): DoctorFinding {
    return fault(requireToken && !signedUrls ? 'error' : 'warning', 'TOKEN_HEADER', `The document server sends its token in the header ${header}${prefix === '' ? '' : ` after "${prefix}"`}, and not ${place}.`,
      `Set documentServer: { authorizationHeader: '${header}', authorizationPrefix: '${prefix}' }, or ${OUTBOX}.header to ${authorizationHeader} and ${OUTBOX}.prefix to "${authorizationPrefix}" at the document server.`)
  }
}
