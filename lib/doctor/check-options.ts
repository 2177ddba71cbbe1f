import type { DoctorFinding } from '../../types/doctor.js'
import { API_SCRIPT_PATH, type Settings } from '../options.js'
import { isPublicIp, mayBePublicHost } from '../security/public-ip.js'
import { explainWeakness } from '../security/weak-secret.js'
import { isQuoted } from '../util/text.js'
import { error, ok, shown, warning } from './findings.js'

/** Errors in the URLs and the secret, found without any connection, for the log at the start of the application. */
export function startWarnings (settings: Settings): string[] {
  return [quotedSecret(settings), localPublicUrl(settings), apiPath(settings), mixedContent(settings)]
    .filter(finding => finding !== undefined)
    .map(({ title, evidence, remedy }) => `${title}: ${evidence} ${remedy}`)
}

function quotedSecret ({ secrets }: Settings): DoctorFinding | undefined {
  if (!secrets.some(isQuoted)) return undefined
  return warning('SECRET_QUOTED',
    'jwtSecret begins and ends with the same quotation mark, which is part of the secret here. Shells remove such marks, as does node --env-file; docker --env-file does not.',
    'Remove the marks where the secret is set, unless the document server\'s secret has them, too.')
}

/** All on one machine is a usual set-up for development. */
function localPublicUrl (
  { documentServer: { internalOrigin }, editorApiUrl, publicBaseUrl }: Settings
): DoctorFinding | undefined {
  const url = new URL(publicBaseUrl())
  const server = internalOrigin === null ? editorApiUrl : new URL(internalOrigin)
  let meaning: string
  if (isThisMachine(url) && !isThisMachine(server)) {
    meaning = `which means the document server itself to a document server at ${server.host}.`
  } else if (!mayBePublicHost(url.hostname) && isPublicIp(server.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    meaning = `a private IP address, and the document server has the public one ${server.hostname}.`
  } else {
    return undefined
  }
  return warning('PUBLIC_URL_LOCAL',
    `publicBaseUrl is ${shown(url)}, ${meaning}`,
    'Set publicBaseUrl to a URL at which the document server reaches this application, such as https://app.example.com, or http://host.docker.internal:3000 from a container on this machine.')
}

function mixedContent ({ editorApiUrl, publicBaseUrl }: Settings): DoctorFinding | undefined {
  if (!publicBaseUrl().startsWith('https:') || editorApiUrl.protocol !== 'http:' || isLoopback(editorApiUrl)) {
    return undefined
  }
  return error('MIXED_CONTENT',
    `publicBaseUrl is https and editorApiUrl is ${shown(editorApiUrl)}: browsers do not load it into an https page.`,
    `Serve the document server over https, and set editorApiUrl to https://${editorApiUrl.host}${editorApiUrl.pathname}.`)
}

function apiPath ({ editorApiUrl }: Settings): DoctorFinding | undefined {
  if (editorApiUrl.pathname.endsWith('.js')) return undefined
  return error('API_PATH',
    `editorApiUrl is ${shown(editorApiUrl)}.`,
    `Set it to the URL of the script, such as ${editorApiUrl.origin}${API_SCRIPT_PATH}.`)
}

/**
 * A connection to an unspecified address, such as `0.0.0.0`, stays on the machine. Browsers do not trust it as they
 * trust a loopback address.
 */
function isThisMachine (url: URL): boolean {
  return isLoopback(url) || url.hostname === '0.0.0.0' || url.hostname === '[::]'
}

function isLoopback (url: Readonly<URL>): boolean {
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/i.test(url.hostname)
}

/** The findings about the options that need no connection. */
export function checkOptions (settings: Settings): DoctorFinding[] {
  const { profile, secrets, tls } = settings
  const weakness = secrets.map(explainWeakness).find(Boolean)
  const findings = [
    profile === 'classic' && warning('PROFILE_CLASSIC',
      'profile is \'classic\': callbacks and downloads need no credentials, and the proxy fetches any URL.',
      'Set profile: \'secure\', or leave the option out.'),
    profile === 'secure' && !tls.rejectUnauthorized && warning('TLS_NOT_VERIFIED',
      'tls.rejectUnauthorized is false: whoever is between this application and the document server can read and change saved files.',
      'Remove tls.rejectUnauthorized, and give the certificate authority to the option tls.ca.'),
    weakness !== undefined && warning('WEAK_SECRET',
      `jwtSecret ${weakness}, and allowWeakSecret accepts it.`,
      'Create a secret with `openssl rand -hex 32` for this application and the document server.'),
    quotedSecret(settings),
    localPublicUrl(settings),
    mixedContent(settings)
  ].filter(finding => typeof finding === 'object')
  return findings.length > 0 ? findings : [ok('OPTIONS', 'Nothing is wrong that can be seen without a connection.')]
}
