/** A key for HS256 must be at least as long as its hash. Source: RFC 7518, section 3.2. */
const MIN_BYTES = 32
/** 32 random hex digits have fewer different characters in one of 25 million cases. */
const MIN_DIFFERENT_CHARACTERS = 8

/**
 * Words that defaults and placeholders consist of, such as the document server's (`secret`, `verysecretstring`,
 * `my_jwt_secret`) and `your-super-secret-jwt-token-with-at-least-32-characters-long`.
 */
const PLACEHOLDER_WORDS =
  /onlyoffice|password|secret|token|jwt|key|string|default|example|random|changeme|change|replace|your|my|me|this|that|which|is|in|for|with|use|production|please|must|be|(?:at.least|minimum|min).?\d{2,3}|characters|chars|bits|bytes|long|very|really|super|safe|valid|\ba\b|[\s_!<>-]/g

/** A variable in the syntax of a shell or a template, or a placeholder as examples write it. */
const VARIABLE = /^(?:\$\{.*\}|\{\{.*\}\}|<.*>|%\w+%|\$\w+)$/

/**
 * Why a secret is easy to guess, as the end of a sentence that begins with its name; `undefined` if no reason was
 * found.
 */
export function explainWeakness (secret: string): string | undefined {
  const normalized = secret.trim().toLowerCase()
  if (normalized.replace(PLACEHOLDER_WORDS, '') === '') return 'is a publicly known default'
  if (VARIABLE.test(normalized)) return 'is a placeholder that was not replaced'

  const size = Buffer.byteLength(secret)
  if (size < MIN_BYTES) return `has ${size} bytes and must have at least ${MIN_BYTES}`
  const characters = new Set(normalized).size
  if (characters < MIN_DIFFERENT_CHARACTERS) {
    return `has ${characters} different characters and must have at least ${MIN_DIFFERENT_CHARACTERS}`
  }
  return undefined
}
