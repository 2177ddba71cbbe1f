/** RFC 7518, section 3.2: a key for HS256 has at least the 32 bytes of its hash. */
const MIN_BYTES = 32

/** So few different characters are no random text of that length. */
const MIN_DISTINCT = 8

/** Long enough, and known to everybody: from the examples of JWT libraries, tools and integrations. */
const KNOWN: ReadonlySet<string> = new Set([
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'your-256-bit-secret-your-256-bit-secret',
  'your-secret-key-must-be-at-least-32-characters-long',
  'your-super-secret-jwt-key-change-this-in-production',
  'this-is-a-very-long-secret-key-at-least-32-characters',
  'replace-me-with-at-least-32-random-characters',
  '0123456789abcdef0123456789abcdef',
  '00112233445566778899aabbccddeeff',
  'abcdefghijklmnopqrstuvwxyz123456',
  'abcdefghijklmnopqrstuvwxyz0123456789'
])

/** Short ones that the document server's own documentation and images use: repeated, they get longer and no better. */
const DEFAULTS = ['secret', 'verysecretstring', 'my_jwt_secret', 'mysecret', 'jwt_secret', 'your_secret', 'changeme', 'password', 'onlyoffice']

/** What makes a secret easy to guess, for an error message; `undefined` when nothing is known against it. */
export function weaknessOf (secret: string): string | undefined {
  const plain = secret.trim().toLowerCase()
  if (KNOWN.has(plain) || DEFAULTS.some(word => isRepeated(plain, word))) return 'is a publicly known default'
  const size = Buffer.byteLength(secret)
  if (size < MIN_BYTES) return `has ${size} bytes and must have at least ${MIN_BYTES}`
  if (new Set(secret).size < MIN_DISTINCT) return `has fewer than ${MIN_DISTINCT} different characters`
  return undefined
}

function isRepeated (text: string, word: string): boolean {
  return text.length > 0 && text.split(word).join('').replace(/[\s_-]+/g, '') === ''
}
