import type { DoctorFinding } from '../../types/doctor.js'
import { isFromGateway } from '../document-server/client.js'
import { API_SCRIPT_PATH } from '../options.js'
import { isHtml } from '../util/text.js'
import type { TokensInCheck } from './check-tokens.js'
import {
  type ConnectionFault, type DirectResponse, type DoctorServices, isRedirect, reachableServiceUrl, redirectTarget,
  requestDirectly
} from './direct-request.js'
import { error, firstWords, ok, shown, skipped, warning } from './findings.js'

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

  function unreachable ({ code, reason, remedy }: ConnectionFault): DoctorFinding {
    const isTls = /^(?:EPROTO|ERR_SSL_|ERR_TLS_|CRL_)|CERT|INVALID_CA|LEAF_SIGNATURE/.test(code)
    return error(isTls ? 'SERVER_TLS' : 'SERVER_UNREACHABLE',
      `No answer from ${shown(url)}: ${reason}.`,
      `${remedy} The URL is that of ${option}, such as ${example}.`)
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

  const target = isRedirect(response) ? redirectTarget(editorApiUrl, response) : undefined
  const redirect = target ? ` with a redirect to ${shown(target)}` : ''
  const evidence = `${shown(editorApiUrl)} answers status ${response.status}${redirect} and ${firstWords(response.text)}, which does not define DocsAPI.`
  const usual = new URL(API_SCRIPT_PATH, editorApiUrl.origin)
  if (editorApiUrl.pathname !== usual.pathname) {
    const { response: found } = await requestDirectly(services, 'probe', usual)
    if (found && definesEditor(found)) return error('API_PATH', evidence, `Set editorApiUrl to ${shown(usual)}.`)
  }
  return error('API_MISSING',
    evidence,
    target?.pathname === editorApiUrl.pathname
      ? `Set editorApiUrl to ${shown(target)}.`
      : `Set editorApiUrl to the api.js of a document server: its URL followed by ${API_SCRIPT_PATH}. If that is what it is, let the proxy in front of the document server pass it without a login: browsers load it from pages of the application.`)
}

function definesEditor ({ status, text }: DirectResponse): boolean {
  return status === 200 && text.includes('DocsAPI') && !isHtml(text)
}

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
    return [skipped('VERSION', `Version ${version} is the placeholder in the source code, so this build does not report its real version.`)]
  }

  const advisories = advisoriesFor(version, { hasTokens })
  const fixed = advisories.map(({ fixedIn }) => fixedIn).reduce((a, b) => isOlder(a, b) ? b : a, OLDEST)
  const update = `Update the document server to ${fixed} or later; its sessions end when it is restarted.`
  const findings: DoctorFinding[] = []
  if (advisories.length > 0) {
    const list = advisories.map(({ id, subject }) => `${id} (${subject})`).join(', ')
    findings.push(warning('VERSION_ADVISORIES', `Version ${version} has known vulnerabilities: ${list}.`, update))
  }
  if (isOlder(version, OLDEST)) {
    findings.push(warning('VERSION_OLD', `Version ${version} is older than ${OLDEST}, the oldest that this library was made for.`, update))
  }
  // Newer patches of the newest known version are known.
  const newest = knownVersions.at(-1)!
  if (isOlder(newest, version.split('.', 2).join('.'))) {
    findings.push(warning('VERSION_NEW',
      `Version ${version} is newer than ${newest}, the newest that this release of fastify-onlyoffice knows.`,
      'Update fastify-onlyoffice to a release that knows it. Until there is one, try opening, saving and converting with this version before it is used.'))
  }
  return findings.length > 0
    ? findings
    : [ok('VERSION', `Version ${version} has no vulnerability that this release knows.`)]
}

/** Those of docs/document-server.md, as the document server reports them. */
export const knownVersions = ['9.3', '9.4', '10.0']

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
