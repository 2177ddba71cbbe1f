import type { DoctorFinding } from '../../types/doctor.js'
import { isHtml } from '../document-server/file-signatures.js'
import { API_SCRIPT_PATH, type Settings } from '../options.js'
import {
  type ConnectionFault, type DirectRequester, type DirectResponse, isRedirect, reachableServiceUrl, redirectTarget,
  serverCodes
} from './direct-request.js'
import { error, firstWords, ok, shown, skipped } from './findings.js'

interface ServerCheck {
  readonly findings: readonly DoctorFinding[]
  /** Whether a document server answers. Only then can its other services be checked. */
  readonly isReached: boolean
  /** By how many seconds the clock of its web server is ahead of ours. */
  readonly clockAhead?: number
}

interface Dependencies {
  readonly settings: Pick<Settings, 'clock' | 'documentServer' | 'tls'>
  readonly direct: DirectRequester
}

/** Whether this application reaches the document server, and whether the document server reports that it works. */
export async function checkServer ({ settings, direct }: Dependencies, signal: AbortSignal): Promise<ServerCheck> {
  const { documentServer } = settings
  const url = reachableServiceUrl(documentServer, '/healthcheck')
  const option = documentServer.internalOrigin === null ? 'editorApiUrl' : 'documentServer.internalUrl'
  const outcome = await direct('command', url, { signal })
  if ('failure' in outcome) return { isReached: false, findings: [connectionError(url, outcome.failure, option)] }

  const { response } = outcome
  const answer = response.text.trim()
  if (response.status === 200 && (answer === 'true' || answer === 'false')) {
    const clock = clockAhead(response, settings.clock.now())
    return {
      isReached: true,
      findings: [answer === 'true' ? ok('SERVER', `${shown(url)} answers "true".`) : unhealthy(url)],
      ...(clock !== undefined && { clockAhead: clock })
    }
  }
  return {
    isReached: false,
    findings: [isRedirect(response) ? redirected(url, response, option) : somethingElse(url, response, option)]
  }
}

function connectionError (url: URL, { kind, code, meaning }: ConnectionFault, option: string): DoctorFinding {
  const remedies: Readonly<Record<ConnectionFault['kind'], string>> = {
    refused: `Start the document server, or correct host and port in ${option}, such as ${example(option)}. In a container, localhost is the container itself: use the name of the document server's container.`,
    name: `Correct the host in ${option}, such as ${example(option)}. If only browsers know the public name, set documentServer.internalUrl to a name that this application can resolve.`,
    timeout: `Check firewalls and security groups between this application and ${url.host}, and ${option}. If the public host cannot be reached from here, set documentServer.internalUrl, such as http://documentserver.`,
    'self-signed': 'Give the certificate authority to the option tls.ca: readFileSync(\'ca.pem\', \'utf8\'). Or set documentServer.internalUrl to an http URL inside your network.',
    expired: `Renew the certificate at ${url.host}, and check the clock of this machine.`,
    'wrong-host':
      `Use in ${option} the host that the certificate was issued for, or issue a certificate for ${url.hostname}.`,
    chain:
      `Make the web server at ${url.host} send the full chain (nginx: ssl_certificate with fullchain.pem), or give the certificate authority to the option tls.ca.`,
    tls:
      `Check whether ${url.host} serves https at this port, and which TLS versions it supports: the option tls.minVersion is TLSv1.2 by default.`,
    blocked: `Use the URL that the redirect leads to in ${option}.`,
    other: `Check ${option}, and whether a proxy or firewall ends connections between this application and ${url.host}.`
  }
  return error(serverCodes[kind], `No answer from ${shown(url)}: ${code}, ${meaning}.`, remedies[kind])
}

function unhealthy (url: URL): DoctorFinding {
  return error(
    'SERVER_UNHEALTHY',
    `${shown(url)} answers "false": its database, queue or storage fails.`,
    'Look into the log of the document server (/var/log/onlyoffice/documentserver/docservice), and restart its database and queue.'
  )
}

function redirected (url: URL, response: DirectResponse, option: string): DoctorFinding {
  const target = redirectTarget(url, response)
  return error('SERVER_REDIRECT', `${shown(url)} answers status ${response.status} with a redirect to ${target ? shown(target) : 'nowhere'}. Conversions and commands are not redirected.`,
    target && target.origin !== url.origin
      ? `Use the origin that the redirect leads to in ${option}: ${target.origin}.`
      : 'Let the proxy in front of the document server pass requests without a login, or set documentServer.internalUrl to the document server itself, such as http://documentserver.'
  )
}

function somethingElse (url: URL, { status, text }: DirectResponse, option: string): DoctorFinding {
  const gateway = status === 502 || status === 503 || status === 504
  return error(
    'SERVER_OTHER',
    `${shown(url)} answers status ${status} and ${firstWords(text)}: not "true" or "false", as a document server does.`,
    gateway
      ? 'A proxy answers, but the document server behind it does not: start it, and check the proxy\'s upstream.'
      : `Correct ${option}, such as ${example(option)}: it must lead to an ONLYOFFICE document server, with the virtual path if it has one.`)
}

function example (option: string): string {
  return option === 'editorApiUrl'
    ? 'https://docs.example.com/web-apps/apps/api/documents/api.js'
    : 'http://documentserver'
}

/** A proxy may answer from a cache, and then the date is meaningless. */
function clockAhead ({ header }: DirectResponse, now: number): number | undefined {
  const date = header('age') === undefined ? Date.parse(header('date') ?? '') : NaN
  return Number.isNaN(date) ? undefined : Math.round((date - now) / 1000)
}

interface ApiScriptCheckDependencies {
  readonly settings: Pick<Settings, 'documentServer' | 'editorApiUrl'>
  readonly direct: DirectRequester
}

/** Whether a browser gets the editor's script at `editorApiUrl`. */
export async function checkApiScript (
  { settings: { documentServer, editorApiUrl }, direct }: ApiScriptCheckDependencies,
  signal: AbortSignal
): Promise<DoctorFinding> {
  const outcome = await direct('probe', editorApiUrl, { signal })
  if ('failure' in outcome) {
    const { code, meaning } = outcome.failure
    const hint = documentServer.internalOrigin === null
      ? 'See the finding about the document server.'
      : 'This application reaches the document server at documentServer.internalUrl only: open editorApiUrl in a browser to check it.'
    return skipped('API_SCRIPT', `No answer from ${shown(editorApiUrl)}: ${code}, ${meaning}. ${hint}`)
  }
  const { response } = outcome
  if (definesEditor(response)) return ok('API_SCRIPT', `${shown(editorApiUrl)} is there and defines DocsAPI.`)

  const seen = `${shown(editorApiUrl)} answers status ${response.status}`
  const better = await betterUrl()
  if (better) {
    return error(
      'API_PATH',
      `${seen} and ${firstWords(response.text)}; ${shown(better)} is the script.`,
      `Set editorApiUrl to ${shown(better)}.`
    )
  }
  if (isRedirect(response)) return redirected(response, seen)
  if (response.status !== 200) {
    return error(
      'API_MISSING',
      `${seen} and ${firstWords(response.text)}.`,
      `Set editorApiUrl to the api.js of a document server: its URL followed by ${API_SCRIPT_PATH}. If that is what it is, check the proxy in front of the document server.`
    )
  }
  return error(
    'API_NOT_SCRIPT',
    `${seen} and ${isHtml(response.text) ? 'a page: ' : ''}${firstWords(response.text)}; it does not define DocsAPI.`,
    `Let ${shown(editorApiUrl)} be served by the document server, to everybody: browsers load it without a login.`
  )

  /** The usual path at the same origin, if the script is there. */
  async function betterUrl (): Promise<URL | undefined> {
    const usual = new URL(API_SCRIPT_PATH, editorApiUrl.origin)
    if (editorApiUrl.pathname === usual.pathname) return undefined
    const found = await direct('probe', usual, { signal })
    return 'response' in found && definesEditor(found.response) ? usual : undefined
  }

  function redirected (redirect: DirectResponse, seen: string): DoctorFinding {
    const target = redirectTarget(editorApiUrl, redirect)
    return error(
      'API_REDIRECT',
      `${seen} with a redirect to ${target ? shown(target) : 'nowhere'}.`,
      target?.pathname === editorApiUrl.pathname
        ? `Set editorApiUrl to ${shown(target)}.`
        : 'Let the proxy in front of the document server serve api.js without a login: browsers load it from pages of the application.'
    )
  }
}

function definesEditor ({ status, text }: DirectResponse): boolean {
  return status === 200 && text.includes('DocsAPI') && !isHtml(text)
}
