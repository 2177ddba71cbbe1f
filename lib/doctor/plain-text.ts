import type { DoctorFinding } from '../../types/doctor.js'
import { parseUrl } from '../url.js'

const MAX_WORDS_LENGTH = 80
const SEARCHED_LENGTH = 4000

/** The first words of an answer, without markup, in double quotes. A report shortens them: only then nothing secret is cut in two. */
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

/** What must not be in a report: the secrets, and the credentials of `publicBaseUrl` as they are sent. */
export function confidential ({ secrets, publicBaseUrl }: { readonly secrets: readonly string[], readonly publicBaseUrl: string }): readonly string[] {
  const { username, password } = new URL(publicBaseUrl)
  if (username === '' && password === '') return secrets
  return [...secrets, Buffer.from(`${username}:${password}`).toString('base64'), password || username]
}

/**
 * Removes what must not be in a report, wherever it comes from: secrets, tokens, signatures, query strings, also percent-encoded
 * ones in a path, and characters that control a terminal or the direction of the text.
 */
export function redactor (secrets: readonly string[]): (finding: DoctorFinding) => DoctorFinding {
  const withoutSecrets = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  const redact = (text: string) => text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/eyJ[\w-]{8,}(\.[\w-]*)*/g, '[token]')
    .replace(/(?:\?|%(?:25)*3F)[\w.~%-]{1,64}?(?:=|%(?:25)*3D)[^\s"'<>]*/gi, '')
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '[signature]')
    .replace(/\b(signature|md5|token|secret|password)=[^\s"'&]+/gi, '$1=[removed]')
    .replace(/\/\/[^\s/@"']*@/g, '//')
    .replace(QUOTED, (quoted, start: string) => quoted.length > MAX_WORDS_LENGTH + 2 ? `"${start}…"` : quoted)
    .replace(/\S+/g, word => word.length > MAX_WORD_LENGTH ? `${word.slice(0, MAX_WORD_LENGTH)}…` : word)
  // A remedy contains our own words only, among which a weak secret may be.
  return finding => ({ ...finding, evidence: redact(withoutSecrets(finding.evidence)), ...(finding.remedy !== undefined && { remedy: redact(finding.remedy) }) })
}
