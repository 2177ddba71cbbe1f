import type { DoctorFinding } from '../../types/doctor.js'
import type { DocumentServerClient } from '../document-server/client.js'
import { COMMAND_CODE } from '../document-server/commands.js'
import { SERVICE_PATHS } from '../document-server/server-urls.js'
import { tokenSigner } from '../document-server/token.js'
import { isJsonObject, parseJson } from '../json.js'
import type { Settings } from '../options.js'
import { clockSkew } from './check-clock.js'
import { letsInWithoutToken } from './check-editor-tokens.js'
import type { DirectRequester } from './direct-request.js'
import { error, ok, warning } from './findings.js'
import { firstWords, shown } from './plain-text.js'
import { reachableServiceUrl } from './service-url.js'

export interface TokensInCheck {
  readonly findings: readonly DoctorFinding[]
  /** Whether the document server accepts requests of this application: only then it can be asked for a conversion. */
  readonly isAccepted: boolean
  readonly version?: string
  /** Whether it verifies tokens at all. */
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

/** Whether the document server accepts what this application signs, and only that. */
export async function checkTokensIn ({ settings: { documentServer, secrets }, client, direct }: Dependencies, signal: AbortSignal): Promise<TokensInCheck> {
  const url = reachableServiceUrl(documentServer, SERVICE_PATHS.command)
  const signed = await client.post('command', COMMAND, { signal, total: TIMEOUT_MS }).then(({ status, text }) => readAnswer(status, text), failure => {
    signal.throwIfAborted()
    return { problem: (failure as Error).message }
  })
  if ('problem' in signed) return { isAccepted: false, hasTokens: true, findings: [unusable(signed.problem)] }

  const { code, version } = signed
  const versionKnown = version === undefined ? {} : { version }
  if (code === COMMAND_CODE.expiredToken) return { isAccepted: false, hasTokens: true, findings: [clockSkew('error', `The document server answers error ${code} to a command: our token has expired by its clock.`)] }
  if (code === COMMAND_CODE.invalidToken) return { isAccepted: false, hasTokens: true, findings: [await rejected()] }
  if (code !== 0) return { isAccepted: false, hasTokens: true, findings: [unusable(`error ${code}`)] }
  const [hasTokens, isOpen] = await Promise.all([acceptsUnsigned().then(isAccepted => !isAccepted), letsInWithoutToken({ documentServer }, direct, signal)])
  const editors = isOpen === undefined ? 'Whether it refuses an editor without a token, too, could not be seen.' : isOpen ? '' : 'It refuses an editor without a token, too.'
  return {
    isAccepted: true,
    hasTokens,
    findings: [
      hasTokens ? ok('TOKENS_IN', `The document server accepts a command with our token, and rejects one without. ${editors}`.trim()) : tokensOff(),
      ...isOpen === true ? [editorsOff()] : []
    ],
    ...versionKnown
  }

  async function acceptsUnsigned (): Promise<boolean> {
    return (await send(JSON.stringify(COMMAND))) === 0
  }

  async function rejected (): Promise<DoctorFinding> {
    const padded = secrets.some(secret => secret !== secret.trim()) ? ' The secret begins or ends with whitespace, such as the line break of a file that it was read from.' : ''
    const evidence = `The document server answers error ${COMMAND_CODE.invalidToken} (invalid token) to a command that is signed with ${secrets.length === 1 ? 'jwtSecret' : 'the first secret of jwtSecret'}`
    for (const [index, secret] of secrets.entries()) {
      if (index > 0 && await send(client.bodyOf('command', COMMAND, tokenSigner([secret]))) === 0) {
        return error('SECRET_INBOX', `${evidence}, and accepts secret ${index + 1} of the list.`, `Put that secret first in the list jwtSecret: the first one signs. Or set ${INBOX} of the document server to the first one.`)
      }
    }
    return error('SECRET_INBOX', `${evidence}.${padded}`, `Make jwtSecret and ${INBOX} of the document server the same (local.json; with Docker the variable JWT_SECRET, which sets inbox, outbox and session), then restart the document server. Check the outbox secret as well: whether it differs, too, can be examined once this is fixed.`)
  }

  /** The code of the answer to a command sent as it is; `undefined` if there is none. */
  async function send (body: string): Promise<number | undefined> {
    const outcome = await direct('command', url, { method: 'POST', headers: { accept: 'application/json', 'content-type': 'application/json' }, body, signal })
    const answer = 'response' in outcome ? readAnswer(outcome.response.status, outcome.response.text) : undefined
    return answer && 'code' in answer ? answer.code : undefined
  }

  function unusable (problem: string): DoctorFinding {
    return error('COMMANDS_FAILED', `The command service at ${shown(url)} gives no usable answer: ${problem}.`, 'Let the proxy in front of the document server pass POST requests to /coauthoring/CommandService.ashx and /ConvertService.ashx, or set documentServer.internalUrl to the document server itself.')
  }
}

function tokensOff (): DoctorFinding {
  return warning('TOKENS_INBOX_OFF', 'The document server executes a command without a token: everybody who reaches it can open and convert documents, and delete those that it keeps.',
    'Set services.CoAuthoring.token.enable.request.inbox and .browser of the document server to true (with Docker JWT_ENABLED=true).')
}

function editorsOff (): DoctorFinding {
  return error('TOKENS_BROWSER_OFF', 'The document server lets in an editor without a token: everybody who reaches it can open documents, also those of others, with the rights that they choose. Who may only view can edit.',
    'Set services.CoAuthoring.token.enable.browser of the document server to true (with Docker JWT_ENABLED=true).')
}

function readAnswer (status: number, text: string): { readonly code: number, readonly version: string | undefined } | { readonly problem: string } {
  const answer = status === 200 ? parseJson(text) : undefined
  if (isJsonObject(answer) && typeof answer.error === 'number') return { code: answer.error, version: typeof answer.version === 'string' ? answer.version : undefined }
  return { problem: status === 200 ? firstWords(text) : `status ${status}` }
}
