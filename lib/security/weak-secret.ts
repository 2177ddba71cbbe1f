/** RFC 7518, section 3.2: a key for HS256 has at least the 32 bytes of its hash. */
const MIN_BYTES = 32

/** Long enough, and known to everybody: from the examples of JWT libraries and tools. */
const KNOWN: ReadonlySet<string> = new Set([
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'replace-me-with-at-least-32-random-characters',
  'this-is-a-very-long-secret-key-at-least-32-characters',
  'your-super-secret-jwt-key-change-this-in-production'
])

/**
 * What the document server's images and documentation, and examples everywhere, make their defaults of: `secret`,
 * `verysecretstring`, `my_jwt_secret`, `your-jwt-secret-key`. Repeated, they get longer and no better.
 */
const DEFAULT_WORDS = /verysecretstring|onlyoffice|changeme|password|secret|default|your|jwt|key|my|[\s_-]/g

/** What makes a secret easy to guess, for an error message; `undefined` when nothing is known against it. */
export function weaknessOf (secret: string): string | undefined {
  const plain = secret.trim().toLowerCase()
  if (KNOWN.has(plain) || plain.replace(DEFAULT_WORDS, '') === '') return 'is a publicly known default'
  if (/^\$\{.*\}$/.test(plain)) return 'is a variable that nobody has replaced'
  const size = Buffer.byteLength(secret)
  return size < MIN_BYTES ? `has ${size} bytes and must have at least ${MIN_BYTES}` : undefined
}
