import type { DoctorFinding } from '../../types/doctor.js'
import { SERVICE_PATHS } from '../document-server/client.js'
import { COMMAND_CODE } from '../document-server/commands.js'
import { tokenSigner } from '../document-server/token.js'
import type { SeenToken, Sighting } from '../handler/probes.js'
import type { Settings } from '../options.js'
import { isJsonObject, parseJson } from '../util/text.js'
import { type DoctorServices, reachableServiceUrl, requestDirectly } from './direct-request.js'
import { error, firstWords, ok, shown, skipped, warning } from './findings.js'

export interface TokensInCheck {
  readonly finding: DoctorFinding
  /** Whether the document server accepts requests of this application. Only then can it be asked for a conversion. */
  readonly isAccepted: boolean
  readonly version?: string | undefined
  /** Whether the document server verifies tokens at all. */
  readonly hasTokens: boolean
}

const COMMAND = { c: 'version' }
const TIMEOUT_MS = 10_000
const INBOX = 'services.CoAuthoring.secret.inbox.string'
const CLOCK_REMEDY =
  'Set both clocks by NTP (timedatectl set-ntp true), that of the document server\'s machine and that of this one.'

/** Whether the document server accepts everything that this application signs, and nothing else. */
export async function checkTokensIn (services: DoctorServices): Promise<TokensInCheck> {
  const { settings: { documentServer, secrets }, client, signal } = services
  const url = reachableServiceUrl(documentServer, SERVICE_PATHS.command)
  const { code, version, problem = `error ${code}` } = await client.post('command', COMMAND, {
    signal,
    total: TIMEOUT_MS
  }).then(readAnswer, failure => {
    signal.throwIfAborted()
    return { problem: (failure as Error).message } as CommandAnswer
  })
  if (code !== 0) return { isAccepted: false, hasTokens: true, finding: await refusal() }

  const hasTokens = await send(JSON.stringify(COMMAND)) !== 0
  const finding = hasTokens
    ? ok('TOKENS_IN', 'The document server accepts a command with our token, and rejects one without.')
    : error('TOKENS_INBOX_OFF',
      'The document server executes a command without a token: everybody who reaches it can open, convert and delete documents, and choose their own rights in an editor.',
      'Set services.CoAuthoring.token.enable.request.inbox, request.outbox and browser of the document server to true (with Docker JWT_ENABLED=true).')
  return { isAccepted: true, hasTokens, finding, version }

  async function refusal (): Promise<DoctorFinding> {
    if (code === COMMAND_CODE.expiredToken) {
      return error('CLOCK_SKEW',
        `The document server answers error ${code} to a command: our token has expired by its clock.`,
        CLOCK_REMEDY)
    }
    if (code === COMMAND_CODE.invalidToken) return await rejected()
    return error('COMMANDS_FAILED',
      `The command service at ${shown(url)} gives no usable answer: ${problem}.`,
      'Let the proxy in front of the document server pass POST requests to /coauthoring/CommandService.ashx and /ConvertService.ashx, or set documentServer.internalUrl to the document server itself.')
  }

  async function rejected (): Promise<DoctorFinding> {
    const signer = secrets.length === 1 ? 'jwtSecret' : 'the first secret of jwtSecret'
    const evidence = `The document server answers error ${code} (invalid token) to a command that is signed with ${signer}`
    for (const [index, secret] of secrets.entries()) {
      if (index > 0 && await send(client.bodyOf('command', COMMAND, tokenSigner([secret]))) === 0) {
        return error('SECRET_INBOX',
          `${evidence}, and accepts secret ${index + 1} of the list.`,
          `Put that secret first in the list jwtSecret: the first one signs. Or set ${INBOX} of the document server to the first one.`)
      }
    }
    const padded = secrets.some(secret => secret !== secret.trim())
      ? ' The secret begins or ends with whitespace, such as the line break of a file that it was read from.'
      : ''
    return error('SECRET_INBOX',
      `${evidence}.${padded}`,
      `Make jwtSecret and ${INBOX} of the document server the same (local.json; with Docker the variable JWT_SECRET, which sets inbox, outbox and session), then restart the document server. Check the outbox secret as well: whether it differs, too, can be examined once this is fixed.`)
  }

  /** Sends a command as it is and resolves to the code of the answer; `undefined` if there is none. */
  async function send (body: string): Promise<number | undefined> {
    const { response } = await requestDirectly(services, 'command', url, body)
    return response?.status === 200 ? readAnswer(response.text).code : undefined
  }
}

interface CommandAnswer {
  readonly code?: number
  readonly version?: string | undefined
  /** Why there is no code. */
  readonly problem?: string
}

function readAnswer (text: string): CommandAnswer {
  const answer = parseJson(text)
  if (!isJsonObject(answer) || typeof answer.error !== 'number') return { problem: firstWords(text) }
  return { code: answer.error, version: typeof answer.version === 'string' ? answer.version : undefined }
}

const OUTBOX = 'services.CoAuthoring.token.outbox'
/** Both sides tolerate this difference. */
const TOLERANCE_SECONDS = 60

interface TokenFacts {
  /** The document server's requests for the probe. */
  readonly downloads: readonly Sighting[]
  /** Whether the document server verifies the tokens of requests. */
  readonly hasTokensIn: boolean
  /** Whether publicBaseUrl is redirected. */
  readonly isRedirected: boolean
  readonly clockAhead: number | undefined
}

/** The findings about the tokens in the document server's requests for the probe, and about its clock. */
export function assessTokensOut (
  { documentServer, publicBaseUrl, requireToken, signedUrls }: Settings,
  { downloads, hasTokensIn, isRedirected, clockAhead }: TokenFacts
): { readonly tokens: DoctorFinding, readonly clock: DoctorFinding } {
  const { authorizationHeader, authorizationPrefix } = documentServer
  const fault = requireToken ? error : warning
  const place = `after "${authorizationPrefix}" in the header ${authorizationHeader}`
  const seen = downloads.find(({ isSigned }) => isSigned)?.tokens
  const expected = seen?.find(({ isExpectedThere }) => isExpectedThere)

  const finding = expected ? assessToken(expected) : assessAbsence()
  if (finding.code !== 'CLOCK_SKEW') {
    return { tokens: finding, clock: checkClock(expected?.fault ? undefined : expected?.issuedSecondsAgo, clockAhead) }
  }
  return {
    tokens: skipped('TOKENS_OUT', 'Whether its tokens are valid shows once the clocks agree.'),
    clock: finding
  }

  function assessToken ({ fault: tokenFault, issuedSecondsAgo }: SeenToken): DoctorFinding {
    if (!tokenFault) return ok('TOKENS_OUT', `The document server's token ${place} is signed with our secret.`)
    const { problem, remedy } = tokenFault
    const evidence = `The document server's token ${place} ${problem}`
    if (issuedSecondsAgo !== undefined && Math.abs(issuedSecondsAgo) > TOLERANCE_SECONDS) {
      return fault('CLOCK_SKEW',
        `${evidence}: it was made ${Math.abs(issuedSecondsAgo)} s ${issuedSecondsAgo < 0 ? 'in the future' : 'ago'} by the clock of this application, for a request that came at once.`,
        CLOCK_REMEDY)
    }
    return fault('TOKEN_INVALID',
      `${evidence}.`,
      `To mend that, ${remedy}, and restart it. If inbox and outbox have different secrets on purpose, list both: jwtSecret: [inbox, outbox]. The first one signs, all of them verify.`)
  }

  function assessAbsence (): DoctorFinding {
    if (!seen) {
      return skipped('TOKENS_OUT', 'No request of the document server was seen, so its token could not be examined: it did not arrive, or another instance of the application answered.')
    }
    const elsewhere = seen.find(({ fault, issuedSecondsAgo }) => !fault || issuedSecondsAgo !== undefined)
    if (elsewhere) return inAnotherHeader(elsewhere)
    if (authorizationHeader === 'authorization' && new URL(publicBaseUrl()).username !== '') {
      return skipped('TOKENS_OUT', 'The user name in publicBaseUrl replaces the token of a download, so it could not be examined. Callbacks have another one in their body.')
    }
    // In this case downloads for conversions carry no token, whether or not callbacks do.
    // Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
    if (!hasTokensIn) {
      return skipped('TOKENS_OUT', 'Its request came without a token: so do those for conversions where it verifies no tokens of requests, see the finding TOKENS_INBOX_OFF. Whether callbacks carry one shows once that is changed.')
    }
    if (isRedirected) {
      return skipped('TOKENS_OUT', 'Its request came without a token: a redirect to another host removes it, see the finding PUBLIC_URL_REDIRECT.')
    }
    const consequence = requireToken ? ' Its callbacks are refused without one.' : ''
    return fault('TOKENS_OUTBOX_OFF',
      `The document server requested a document without a token ${place}.${consequence}`,
      'Set services.CoAuthoring.token.enable.request.outbox of the document server to true (with Docker JWT_ENABLED=true).')
  }

  function inAnotherHeader ({ header, prefix }: SeenToken): DoctorFinding {
    const after = prefix === '' ? '' : ` after "${prefix}"`
    return (requireToken && !signedUrls ? error : warning)('TOKEN_HEADER',
      `The document server sends its token in the header ${header}${after}, and not ${place}.`,
      `Set documentServer: { authorizationHeader: '${header}', authorizationPrefix: '${prefix}' }, or ${OUTBOX}.header to ${authorizationHeader} and ${OUTBOX}.prefix to "${authorizationPrefix}" at the document server.`)
  }
}

/** Uses the age of a token that was made for a request, or else the date of the web server. */
export function checkClock (issuedSecondsAgo: number | undefined, clockAhead: number | undefined): DoctorFinding {
  const ahead = issuedSecondsAgo === undefined ? clockAhead : -issuedSecondsAgo
  if (ahead === undefined) return skipped('CLOCK', 'There was neither a token nor a date to compare.')
  const source = issuedSecondsAgo === undefined ? 'its web server\'s date' : 'the date of its token'
  const difference = `${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead of'}`
  const evidence = `By ${source}, the clock of the document server is ${difference} that of this application.`
  return Math.abs(ahead) > TOLERANCE_SECONDS ? warning('CLOCK_SKEW', evidence, CLOCK_REMEDY) : ok('CLOCK', evidence)
}
