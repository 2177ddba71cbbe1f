import { randomBytes } from 'node:crypto'
import type { DoctorFinding } from '../../types/doctor.js'
import { type DocumentServerClient, SERVICE_PATHS } from '../document-server/client.js'
import { COMMAND_CODE } from '../document-server/commands.js'
import { tokenSigner } from '../document-server/token.js'
import type { SeenToken, Sighting } from '../handler/probe-requests.js'
import type { Settings } from '../options.js'
import { isJsonObject, parseJson } from '../util/text.js'
import { type DirectRequester, reachableServiceUrl } from './direct-request.js'
import { error, firstWords, ok, shown, skipped, warning } from './findings.js'

export interface TokensInCheck {
  readonly findings: readonly DoctorFinding[]
  /** Whether the document server accepts requests of this application. Only then can it be asked for a conversion. */
  readonly isAccepted: boolean
  readonly version?: string
  /** Whether the document server verifies tokens at all. */
  readonly hasTokens: boolean
}

interface Dependencies {
  readonly settings: Pick<Settings, 'documentServer' | 'secrets'>
  readonly client: Pick<DocumentServerClient, 'bodyOf' | 'post'>
  readonly direct: DirectRequester
}

const COMMAND = { c: 'version' }
const TIMEOUT_MS = 10_000
const INBOX = 'services.CoAuthoring.secret.inbox.string'

/** Whether the document server accepts everything that this application signs, and nothing else. */
export async function checkTokensIn (
  { settings: { documentServer, secrets }, client, direct }: Dependencies,
  signal: AbortSignal
): Promise<TokensInCheck> {
  const url = reachableServiceUrl(documentServer, SERVICE_PATHS.command)
  const signed = await client.post('command', COMMAND, { signal, total: TIMEOUT_MS }).then(
    ({ status, text }) => readAnswer(status, text),
    failure => {
      signal.throwIfAborted()
      return { problem: (failure as Error).message }
    }
  )
  if ('problem' in signed) return { isAccepted: false, hasTokens: true, findings: [unusable(signed.problem)] }

  const { code, version } = signed
  const versionKnown = version === undefined ? {} : { version }
  if (code === COMMAND_CODE.expiredToken) {
    return {
      isAccepted: false,
      hasTokens: true,
      findings: [
        clockSkew(
          'error',
          `The document server answers error ${code} to a command: our token has expired by its clock.`
        )
      ]
    }
  }
  if (code === COMMAND_CODE.invalidToken) return { isAccepted: false, hasTokens: true, findings: [await rejected()] }
  if (code !== 0) return { isAccepted: false, hasTokens: true, findings: [unusable(`error ${code}`)] }
  const [hasTokens, isOpen] = await Promise.all([
    acceptsUnsigned().then(isAccepted => !isAccepted),
    letsInWithoutToken({ documentServer }, direct, signal)
  ])
  const editors = isOpen === undefined
    ? 'Whether it refuses an editor without a token, too, could not be seen.'
    : isOpen
      ? ''
      : 'It refuses an editor without a token, too.'
  return {
    isAccepted: true,
    hasTokens,
    findings: [
      hasTokens
        ? ok(
          'TOKENS_IN',
          `The document server accepts a command with our token, and rejects one without. ${editors}`.trim()
        )
        : tokensOff(),
      ...isOpen === true ? [editorsOff()] : []
    ],
    ...versionKnown
  }

  async function acceptsUnsigned (): Promise<boolean> {
    return (await send(JSON.stringify(COMMAND))) === 0
  }

  async function rejected (): Promise<DoctorFinding> {
    const padded = secrets.some(secret => secret !== secret.trim())
      ? ' The secret begins or ends with whitespace, such as the line break of a file that it was read from.'
      : ''
    const evidence =
      `The document server answers error ${COMMAND_CODE.invalidToken} (invalid token) to a command that is signed with ${
        secrets.length === 1 ? 'jwtSecret' : 'the first secret of jwtSecret'
      }`
    for (const [index, secret] of secrets.entries()) {
      if (index > 0 && await send(client.bodyOf('command', COMMAND, tokenSigner([secret]))) === 0) {
        return error(
          'SECRET_INBOX',
          `${evidence}, and accepts secret ${index + 1} of the list.`,
          `Put that secret first in the list jwtSecret: the first one signs. Or set ${INBOX} of the document server to the first one.`
        )
      }
    }
    return error(
      'SECRET_INBOX',
      `${evidence}.${padded}`,
      `Make jwtSecret and ${INBOX} of the document server the same (local.json; with Docker the variable JWT_SECRET, which sets inbox, outbox and session), then restart the document server. Check the outbox secret as well: whether it differs, too, can be examined once this is fixed.`
    )
  }

  /** Sends a command as it is and resolves to the code of the answer; `undefined` if there is none. */
  async function send (body: string): Promise<number | undefined> {
    const outcome = await direct('command', url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      signal
    })
    const answer = 'response' in outcome ? readAnswer(outcome.response.status, outcome.response.text) : undefined
    return answer && 'code' in answer ? answer.code : undefined
  }

  function unusable (problem: string): DoctorFinding {
    return error(
      'COMMANDS_FAILED',
      `The command service at ${shown(url)} gives no usable answer: ${problem}.`,
      'Let the proxy in front of the document server pass POST requests to /coauthoring/CommandService.ashx and /ConvertService.ashx, or set documentServer.internalUrl to the document server itself.'
    )
  }
}

function tokensOff (): DoctorFinding {
  return warning(
    'TOKENS_INBOX_OFF',
    'The document server executes a command without a token: everybody who reaches it can open and convert documents, and delete those that it keeps.',
    'Set services.CoAuthoring.token.enable.request.inbox and .browser of the document server to true (with Docker JWT_ENABLED=true).'
  )
}

function editorsOff (): DoctorFinding {
  return error(
    'TOKENS_BROWSER_OFF',
    'The document server lets in an editor without a token: everybody who reaches it can open documents, also those of others, with the rights that they choose. Who may only view can edit.',
    'Set services.CoAuthoring.token.enable.browser of the document server to true (with Docker JWT_ENABLED=true).'
  )
}

function readAnswer (
  status: number,
  text: string
): { readonly code: number, readonly version: string | undefined } | { readonly problem: string } {
  const answer = status === 200 ? parseJson(text) : undefined
  if (isJsonObject(answer) && typeof answer.error === 'number') {
    return { code: answer.error, version: typeof answer.version === 'string' ? answer.version : undefined }
  }
  return { problem: status === 200 ? firstWords(text) : `status ${status}` }
}

const MAX_POLLS = 3
/** Stands between the packets of one answer. */
const SEPARATOR = '\x1E'

/**
 * Whether the document server lets in an editor without a token; `undefined` if that cannot be determined. Connects by
 * polling, as the page of an editor does before it opens a document.
 * Source: docs/document-server-protocol.md#the-configuration-and-its-token
 */
async function letsInWithoutToken (
  { documentServer }: Pick<Settings, 'documentServer'>,
  direct: DirectRequester,
  signal: AbortSignal
): Promise<boolean | undefined> {
  const url = reachableServiceUrl(documentServer, `/doc/fastify-onlyoffice-${randomBytes(9).toString('hex')}/c/`)
  const ask = async (query: object, body?: string): Promise<string> => {
    url.search = new URLSearchParams({ EIO: '4', transport: 'polling', ...query }).toString()
    const outcome = await direct('command', url, {
      signal,
      ...(body !== undefined && { method: 'POST', headers: { 'content-type': 'text/plain;charset=UTF-8' }, body })
    })
    return 'response' in outcome && outcome.response.status === 200 ? outcome.response.text : ''
  }
  const opened = await ask({})
  const handshake = opened.startsWith('0') ? parseJson(opened.slice(1)) : undefined
  if (!isJsonObject(handshake) || typeof handshake.sid !== 'string') return undefined
  const { sid } = handshake
  if (await ask({ sid }, '40') !== 'ok') return undefined
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const packets = (await ask({ sid })).split(SEPARATOR)
    if (packets.some(packet => packet.startsWith('44'))) return false
    if (!packets.some(packet => packet.startsWith('40'))) continue
    await ask({ sid }, '1') // closes the connection
    return true
  }
  return undefined
}

interface TokensOutAssessment {
  readonly finding: DoctorFinding
  readonly issuedSecondsAgo?: number
}

const OUTBOX = 'services.CoAuthoring.token.outbox'

/**
 * The findings about the tokens in the document server's requests for the probe. `hasTokensIn`: whether it verifies the
 * tokens of requests.
 */
export function assessTokensOut (
  { documentServer, publicBaseUrl, requireToken, signedUrls }: Pick<
    Settings,
    'documentServer' | 'publicBaseUrl' | 'requireToken' | 'signedUrls'
  >,
  downloads: readonly Sighting[],
  { hasTokensIn }: { readonly hasTokensIn: boolean }
): TokensOutAssessment {
  const { authorizationHeader, authorizationPrefix } = documentServer
  const sighting = downloads.find(({ isSigned }) => isSigned)
  if (!sighting) {
    return {
      finding: skipped(
        'TOKENS_OUT',
        'No request of the document server was seen, so its token could not be examined: it did not arrive, or another instance of the application answered.'
      )
    }
  }
  const { tokens } = sighting
  const needed = requireToken ? error : warning
  const place = `after "${authorizationPrefix}" in the header ${authorizationHeader}`

  const expected = tokens.find(({ isExpectedThere }) => isExpectedThere)
  if (expected) return assess(expected)
  const elsewhere = tokens.find(({ fault, issuedSecondsAgo }) => !fault || issuedSecondsAgo !== undefined)
  if (elsewhere) return { finding: inAnotherHeader(elsewhere) }
  if (authorizationHeader === 'authorization' && new URL(publicBaseUrl).username !== '') {
    return {
      finding: skipped(
        'TOKENS_OUT',
        'The user name in publicBaseUrl replaces the token of a download, so it could not be examined. Callbacks have another one in their body.'
      )
    }
  }
  // In this case downloads for conversions carry no token, whether or not callbacks do.
  // Source: docs/document-server-protocol.md#tokens-the-document-server-sends
  if (!hasTokensIn) {
    return {
      finding: skipped(
        'TOKENS_OUT',
        'Its request came without a token: so do those for conversions where it verifies no tokens of requests, see the finding TOKENS_INBOX_OFF. Whether callbacks carry one shows once that is changed.'
      )
    }
  }
  return {
    finding: needed(
      'TOKENS_OUTBOX_OFF',
      `The document server requested a document without a token ${place}.${
        requireToken ? ' Its callbacks are refused without one.' : ''
      }`,
      'Set services.CoAuthoring.token.enable.request.outbox of the document server to true (with Docker JWT_ENABLED=true).'
    )
  }

  function assess ({ fault: tokenFault, issuedSecondsAgo }: SeenToken): TokensOutAssessment {
    if (!tokenFault) {
      return {
        finding: ok('TOKENS_OUT', `The document server's token ${place} is signed with our secret.`),
        ...(issuedSecondsAgo !== undefined && { issuedSecondsAgo })
      }
    }
    const evidence = `The document server's token ${place} ${tokenFault.problem}`
    if (issuedSecondsAgo === undefined) {
      const isOtherAlgorithm = tokenFault.algorithm !== undefined && tokenFault.algorithm !== 'HS256'
      return isOtherAlgorithm
        ? {
            finding: needed(
              'TOKEN_ALGORITHM',
            `${evidence} but with ${tokenFault.algorithm}.`,
            `Set ${OUTBOX}.algorithm of the document server to HS256.`
            )
          }
        : {
            finding: needed(
              'SECRET_OUTBOX',
            `${evidence}.`,
            'Make jwtSecret and services.CoAuthoring.secret.outbox.string of the document server the same (local.json; with Docker the variable JWT_SECRET), then restart the document server. If inbox and outbox have different secrets on purpose, list both: jwtSecret: [inbox, outbox]. The first one signs, all of them verify.'
            )
          }
    }
    if (Math.abs(issuedSecondsAgo) <= 60) {
      return {
        finding: needed('TOKEN_ENDLESS', `${evidence}.`, `Set ${OUTBOX}.expires of the document server to 5m.`)
      }
    }
    return {
      finding: clockSkew(
        requireToken ? 'error' : 'warning',
        `${evidence}: it was made ${Math.abs(issuedSecondsAgo)} s ${
          issuedSecondsAgo < 0 ? 'in the future' : 'ago'
        } by the clock of this application, for a request that came at once.`
      )
    }
  }

  function inAnotherHeader ({ header, prefix }: SeenToken): DoctorFinding {
    return (requireToken && !signedUrls ? error : warning)(
      'TOKEN_HEADER',
      `The document server sends its token in the header ${header}${
        prefix === '' ? '' : ` after "${prefix}"`
      }, and not ${place}.`,
      `Set documentServer: { authorizationHeader: '${header}', authorizationPrefix: '${prefix}' }, or ${OUTBOX}.header to ${authorizationHeader} and ${OUTBOX}.prefix to "${authorizationPrefix}" at the document server.`
    )
  }
}

/** Both sides tolerate this difference. */
const TOLERANCE_SECONDS = 60

function clockSkew (status: 'error' | 'warning', evidence: string): DoctorFinding {
  return (status === 'error' ? error : warning)(
    'CLOCK_SKEW',
    evidence,
    'Set both clocks by NTP (timedatectl set-ntp true), that of the document server\'s machine and that of this one.'
  )
}

/** Uses the age of a token that was made for a request, or else the date of the web server. */
export function checkClock (issuedSecondsAgo: number | undefined, clockAhead: number | undefined): DoctorFinding {
  const ahead = issuedSecondsAgo === undefined ? clockAhead : -issuedSecondsAgo
  if (ahead === undefined) return skipped('CLOCK', 'There was neither a token nor a date to compare.')
  const source = issuedSecondsAgo === undefined ? 'its web server\'s date' : 'the date of its token'
  const evidence = `By ${source}, the clock of the document server is ${Math.abs(ahead)} s ${
    ahead < 0 ? 'behind' : 'ahead of'
  } that of this application.`
  return Math.abs(ahead) > TOLERANCE_SECONDS ? clockSkew('warning', evidence) : ok('CLOCK', evidence)
}
