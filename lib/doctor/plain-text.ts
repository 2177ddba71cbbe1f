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

/** Removes what must not be in a report, wherever it comes from: secrets, tokens, signatures, query strings. */
export function redactor (secrets: readonly string[]): (finding: DoctorFinding) => DoctorFinding {
  const withoutSecrets = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
  const redact = (text: string) => text
    .replace(/eyJ[\w-]{8,}(\.[\w-]*)*/g, '[token]')
    .replace(/\?[\w.~%-]+=[^\s"'<>]*/g, '')
    .replace(/\b(signature|md5|token|secret|password)=[^\s"'&]+/gi, '$1=[removed]')
    .replace(/\/\/[^\s/@"']*@/g, '//')
    .replace(QUOTED, (quoted, start: string) => quoted.length > MAX_WORDS_LENGTH + 2 ? `"${start}…"` : quoted)
  // A remedy contains our own words only, among which a weak secret may be.
  return finding => ({ ...finding, evidence: redact(withoutSecrets(finding.evidence)), ...(finding.remedy !== undefined && { remedy: redact(finding.remedy) }) })
}
