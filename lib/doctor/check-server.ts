import type { DoctorFinding } from '../../types/doctor.js'
import { isFromGateway } from '../document-server/client.js'
import { API_SCRIPT_PATH } from '../options.js'
import { isHtml } from '../util/text.js'
import {
  type ConnectionFault, type DirectResponse, isRedirect, reachableServiceUrl, redirectTarget, requestDirectly
} from './direct-request.js'
import { error, firstWords, ok, shown, skipped } from './findings.js'
import type { DoctorServices } from './services.js'

/**
 * Whether this application reaches the document server, and whether the document server reports that it works. Only if
 * it is reached can its other services be checked.
 */
export async function checkServer (services: DoctorServices) {
  const { clock, documentServer } = services.settings
  const url = reachableServiceUrl(documentServer, '/healthcheck')
  const [option, example] = documentServer.internalOrigin === null
    ? ['editorApiUrl', 'https://docs.example.com/web-apps/apps/api/documents/api.js'] as const
    : ['documentServer.internalUrl', 'http://documentserver'] as const
  const { response, failure } = await requestDirectly(services, 'command', url)
  if (failure) return { isReached: false as const, finding: unreachable(failure) }

  const answer = response.status === 200 ? response.text.trim() : ''
  if (answer === 'true' || answer === 'false') {
    return { isReached: true as const, finding: healthy(answer), clockAhead: clockAhead(response, clock.now()) }
  }
  return { isReached: false as const, finding: isRedirect(response) ? redirected(response) : somethingElse(response) }

  function unreachable ({ finding, reason }: ConnectionFault): DoctorFinding {
    const remedies: Readonly<Record<ConnectionFault['finding'], string>> = {
      SERVER_REFUSED: `Start the document server, or correct host and port in ${option}, such as ${example}. In a container, localhost is the container itself: use the name of the document server's container.`,
      SERVER_NAME: `Correct the host in ${option}, such as ${example}. If only browsers know the public name, set documentServer.internalUrl to a name that this application can resolve.`,
      SERVER_TIMEOUT: `Check firewalls and security groups between this application and ${url.host}, and ${option}. If the public host cannot be reached from here, set documentServer.internalUrl, such as http://documentserver.`,
      SERVER_TLS_SELF_SIGNED: 'Give the certificate authority to the option tls.ca: readFileSync(\'ca.pem\', \'utf8\'). Or set documentServer.internalUrl to an http URL inside your network.',
      SERVER_TLS_EXPIRED: `Renew the certificate at ${url.host}, and check the clock of this machine.`,
      SERVER_TLS_HOST: `Use in ${option} the host that the certificate was issued for, or issue a certificate for ${url.hostname}.`,
      SERVER_TLS_CHAIN: `Make the web server at ${url.host} send the full chain (nginx: ssl_certificate with fullchain.pem), or give the certificate authority to the option tls.ca.`,
      SERVER_TLS: `Check whether ${url.host} serves https at this port, and which TLS versions it supports: the option tls.minVersion is TLSv1.2 by default.`,
      SERVER_REDIRECT: `Use the URL that the redirect leads to in ${option}.`,
      SERVER_UNREACHABLE: `Check ${option}, and whether a proxy or firewall ends connections between this application and ${url.host}.`
    }
    return error(finding, `No answer from ${shown(url)}: ${reason}.`, remedies[finding])
  }

  function healthy (answer: 'true' | 'false'): DoctorFinding {
    if (answer === 'true') return ok('SERVER', `${shown(url)} answers "true".`)
    return error('SERVER_UNHEALTHY',
      `${shown(url)} answers "false": its database, queue or storage fails.`,
      'Look into the log of the document server (/var/log/onlyoffice/documentserver/docservice), and restart its database and queue.')
  }

  function redirected (response: DirectResponse): DoctorFinding {
    const target = redirectTarget(url, response)
    return error('SERVER_REDIRECT',
      `${shown(url)} answers status ${response.status} with a redirect to ${target ? shown(target) : 'nowhere'}. Conversions and commands are not redirected.`,
      target && target.origin !== url.origin
        ? `Use the origin that the redirect leads to in ${option}: ${target.origin}.`
        : 'Let the proxy in front of the document server pass requests without a login, or set documentServer.internalUrl to the document server itself, such as http://documentserver.')
  }

  function somethingElse (response: DirectResponse): DoctorFinding {
    return error('SERVER_OTHER',
      `${shown(url)} answers status ${response.status} and ${firstWords(response.text)}: not "true" or "false", as a document server does.`,
      isFromGateway(response)
        ? 'A proxy answers, but the document server behind it does not: start it, and check the proxy\'s upstream.'
        : `Correct ${option}, such as ${example}: it must lead to an ONLYOFFICE document server, with the virtual path if it has one.`)
  }
}

/**
 * By how many seconds the clock of a web server is ahead of ours. A proxy may answer from a cache, and then the date is
 * meaningless.
 */
function clockAhead ({ header }: DirectResponse, now: number): number | undefined {
  const date = header('age') === undefined ? Date.parse(header('date') ?? '') : NaN
  return Number.isNaN(date) ? undefined : Math.round((date - now) / 1000)
}

/** Whether a browser gets the editor's script at `editorApiUrl`. */
export async function checkApiScript (services: DoctorServices): Promise<DoctorFinding> {
  const { documentServer, editorApiUrl } = services.settings
  const { response, failure } = await requestDirectly(services, 'probe', editorApiUrl)
  if (failure) {
    const hint = documentServer.internalOrigin === null
      ? 'See the finding about the document server.'
      : 'This application reaches the document server at documentServer.internalUrl only: open editorApiUrl in a browser to check it.'
    return skipped('API_SCRIPT', `No answer from ${shown(editorApiUrl)}: ${failure.reason}. ${hint}`)
  }
  if (definesEditor(response)) return ok('API_SCRIPT', `${shown(editorApiUrl)} is there and defines DocsAPI.`)

  const seen = `${shown(editorApiUrl)} answers status ${response.status}`
  const words = firstWords(response.text)
  const usual = new URL(API_SCRIPT_PATH, editorApiUrl.origin)
  if (editorApiUrl.pathname !== usual.pathname) {
    const { response: found } = await requestDirectly(services, 'probe', usual)
    if (found && definesEditor(found)) {
      return error('API_PATH',
        `${seen} and ${words}; ${shown(usual)} is the script.`,
        `Set editorApiUrl to ${shown(usual)}.`)
    }
  }
  if (isRedirect(response)) {
    const target = redirectTarget(editorApiUrl, response)
    return error('API_REDIRECT',
      `${seen} with a redirect to ${target ? shown(target) : 'nowhere'}.`,
      target?.pathname === editorApiUrl.pathname
        ? `Set editorApiUrl to ${shown(target)}.`
        : 'Let the proxy in front of the document server serve api.js without a login: browsers load it from pages of the application.')
  }
  if (response.status !== 200) {
    return error('API_MISSING',
      `${seen} and ${words}.`,
      `Set editorApiUrl to the api.js of a document server: its URL followed by ${API_SCRIPT_PATH}. If that is what it is, check the proxy in front of the document server.`)
  }
  return error('API_NOT_SCRIPT',
    `${seen} and ${isHtml(response.text) ? 'a page: ' : ''}${words}; it does not define DocsAPI.`,
    `Let ${shown(editorApiUrl)} be served by the document server, to everybody: browsers load it without a login.`)
}

function definesEditor ({ status, text }: DirectResponse): boolean {
  return status === 200 && text.includes('DocsAPI') && !isHtml(text)
}
