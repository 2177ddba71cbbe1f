import type { DoctorFinding } from '../../types/doctor.js'
import type { Settings } from '../options.js'
import { parseUrl } from '../util/url.js'

/** The checks, in the order of the report. Their codes are those of findings that are `ok` or `skipped`. */
export const CHECKS = [
  'OPTIONS', 'SERVER', 'API_SCRIPT', 'TOKENS_IN', 'VERSION', 'DOWNLOAD', 'TOKENS_OUT', 'CLOCK', 'RESULT', 'CALLBACK',
  'STORAGE'
] as const
export type CheckCode = typeof CHECKS[number]

export const ok = (code: DoctorCode, evidence: string) => finding('ok', code, evidence)
export const skipped = (code: DoctorCode, evidence: string, remedy?: string) =>
  finding('skipped', code, evidence, remedy)
export const warning = (code: FaultCode, evidence: string, remedy: string) => finding('warning', code, evidence, remedy)
export const error = (code: FaultCode, evidence: string, remedy: string) => finding('error', code, evidence, remedy)

function finding (status: DoctorFinding['status'], code: DoctorCode, evidence: string, remedy?: string): DoctorFinding {
  return { code, status, title: codes[code], evidence, ...(remedy !== undefined && { remedy }) }
}

export function isError ({ status }: DoctorFinding): boolean {
  return status === 'error'
}

/**
 * Everything that the doctor can report, with the titles of the findings. A check without problems has the code of its
 * group.
 */
export const codes = {
  OPTIONS: 'Options',
  PROFILE_CLASSIC: 'The profile classic checks nothing',
  TLS_NOT_VERIFIED: 'Certificates are not verified',
  WEAK_SECRET: 'The secret is weak',
  SECRET_QUOTED: 'The secret is in quotation marks',
  PUBLIC_URL_LOCAL: 'publicBaseUrl is local, the document server is not',
  MIXED_CONTENT: 'https pages cannot load api.js over http',
  SERVER: 'The document server',
  SERVER_TLS: 'No trusted TLS connection to the document server',
  SERVER_UNREACHABLE: 'The document server cannot be reached',
  SERVER_REDIRECT: 'The URL of the document server is redirected',
  SERVER_UNHEALTHY: 'The document server reports that it does not work',
  SERVER_OTHER: 'Another server answers at the document server\'s address',
  API_SCRIPT: 'The script of the editor, api.js',
  API_PATH: 'editorApiUrl does not point to api.js',
  API_MISSING: 'There is no api.js at editorApiUrl',
  TOKENS_IN: 'Tokens that the document server receives',
  SECRET_INBOX: 'The document server rejects our tokens',
  TOKENS_INBOX_OFF: 'The document server accepts requests without a token',
  COMMANDS_FAILED: 'The command service of the document server does not work',
  VERSION: 'Version of the document server',
  VERSION_ADVISORIES: 'The document server has known vulnerabilities',
  VERSION_OLD: 'The document server is old',
  VERSION_NEW: 'The document server is newer than what this release knows',
  DOWNLOAD: 'The document server downloads a document from this application',
  DOWNLOAD_UNREACHABLE: 'The document server cannot download from publicBaseUrl',
  DOWNLOAD_REPLACED: 'The document server gets other content instead of our documents',
  CONVERSION_FAILED: 'The document server cannot convert documents',
  CONVERSION_TIMEOUT: 'The document server does not finish a conversion',
  TOKENS_OUT: 'Tokens that the document server sends',
  TOKEN_INVALID: 'The tokens of the document server are invalid',
  TOKENS_OUTBOX_OFF: 'The document server sends no tokens',
  TOKEN_HEADER: 'The document server sends its token in another header',
  CLOCK: 'Clocks',
  CLOCK_SKEW: 'The clocks of application and document server differ',
  RESULT: 'Files of the document server',
  RESULT_ORIGIN: 'The document server announces its files at another origin',
  RESULT_FETCH: 'A file of the document server cannot be fetched',

  CALLBACK: 'Our handler at publicBaseUrl',
  HOOK_ANSWERS: 'A hook of the application answers before the handler',
  PUBLIC_URL_LOGIN: 'A login is required at publicBaseUrl',
  PUBLIC_URL_REDIRECT: 'publicBaseUrl is redirected',
  PUBLIC_URL_TLS: 'publicBaseUrl is https, but plain http is served there',
  PUBLIC_URL_NOT_OURS: 'publicBaseUrl does not lead to our handler',
  PUBLIC_URL_QUERY: 'The query of our URLs is changed on its way',
  CALLBACK_BODY_LIMIT: 'Large callbacks are refused on their way',
  INSTANCE_DIFFERS: 'Another instance does not accept our URLs',
  STORAGE: 'Storage',
  STORAGE_FAILED: 'The storage does not work',
  STORAGE_NOT_SHARED: 'Instances of the application have different storages',
  // About one document, in the order in which it is opened.
  OPENING_FILE: 'The document in the storage',
  OPENING_NO_FILE: 'The document in the storage',
  OPENING_UNKNOWN: 'Opening the document',
  OPENING_PAGE: 'The page with the editor',
  OPENING_SERVED: 'The request of the document server for the document',
  OPENING_REFUSED: 'The request of the document server for the document',
  OPENING_INTERRUPTED: 'The request of the document server for the document',
  OPENING_ANSWERED_BY_APPLICATION: 'The request of the document server for the document',
  OPENING_CACHED: 'The request of the document server for the document',
  OPENING_NEVER_ASKED: 'The request of the document server for the document',
  OPENING_REPORTED: 'What the page reports',
  CALLBACK_ACCEPTED: 'Callbacks of the document server',
  CALLBACK_REFUSED: 'Callbacks of the document server',
  CALLBACK_INTERRUPTED: 'Callbacks of the document server',
  CALLBACK_ANSWERED_BY_APPLICATION: 'Callbacks of the document server',
  OPENING_NOT_JOINED: 'Callbacks of the document server',
  OPENING_UNSIGNED: 'Requests without a valid signature'
} as const

export type DoctorCode = keyof typeof codes
type FaultCode = Exclude<DoctorCode, CheckCode>

const MAX_WORDS_LENGTH = 80
const SEARCHED_LENGTH = 4000

/**
 * The first words of an answer, without markup, in double quotes. They are only shortened in the report, so that no
 * secret is cut in two before it is removed.
 */
export function firstWords (text: string): string {
  const start = text.length > SEARCHED_LENGTH ? text.slice(0, SEARCHED_LENGTH).replace(/\S{1,500}$/, '') : text
  const words = start
    .replace(/<(script|style)\b.*?<\/\1>|<!--.*?-->/gis, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll('"', '\'')
    .trim()
  return words === '' ? 'nothing' : `"${words}"`
}

/** A URL without its credentials, query and fragment. */
export function shown (url: URL | string): string {
  const parsed = typeof url === 'string' ? parseUrl(url) : url
  return parsed ? `${parsed.origin}${parsed.pathname === '/' ? '' : parsed.pathname}` : 'an invalid URL'
}

const QUOTED = new RegExp(`"([^"]{0,${MAX_WORDS_LENGTH}})[^"]*"`, 'g')
const MAX_WORD_LENGTH = 300

/**
 * Removes from a report whatever must not be in it: secrets, the credentials of `publicBaseUrl`, tokens, signatures,
 * query strings, even percent-encoded ones in a path, and characters that control a terminal or the direction of text.
 */
export function redactor (
  settings: Pick<Settings, 'secrets' | 'publicBaseUrl'>
): (finding: DoctorFinding) => DoctorFinding {
  const withoutSecrets = (text: string) => [...settings.secrets, ...sentCredentials(settings.publicBaseUrl())]
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  const redact = (text: string) => text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/eyJ[\w-]{8,}(\.[\w-]*)*/g, '[token]')
    .replace(/(?:\?|%(?:25)*3F)[\w.~%-]{1,64}?(?:=|%(?:25)*3D)[^\s"'<>]*/gi, '')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '[signature]')
    .replace(/\b(signature|md5|token|secret|password)=[^\s"'&]+/gi, '$1=[removed]')
    .replace(/\/\/[^\s/@"']*@/g, '//')
    .replace(QUOTED, (quoted, start: string) => quoted.length > MAX_WORDS_LENGTH + 2 ? `"${start}…"` : quoted)
    .replace(/\S+/g, word => word.length > MAX_WORD_LENGTH ? `${word.slice(0, MAX_WORD_LENGTH)}…` : word)
  // A remedy contains only our own words, which may include a weak secret.
  return finding => ({
    ...finding,
    evidence: redact(withoutSecrets(finding.evidence)),
    ...(finding.remedy !== undefined && { remedy: redact(finding.remedy) })
  })
}

/** The credentials of a URL, in the forms in which they are sent. */
function sentCredentials (url: string): string[] {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return []
  return [Buffer.from(`${username}:${password}`).toString('base64'), password || username]
}
