/** RFC 7518, section 3.2: a key for HS256 has at least the 32 bytes of its hash. */
const MIN_BYTES = 32
/** 32 random hex digits have fewer once in 25 million times. */
const MIN_CHARACTERS = 8

/**
 * Long enough, and known to everybody: from RFCs, the documentation of frameworks, and tutorials that were copied thousands of
 * times. In small letters.
 */
const KNOWN: ReadonlySet<string> = new Set([
  'the secret that both of them know, 0123456789', // ours: it was in examples/testing
  'aym1sysppbydfgzld3umj1qzkobwvmkoqq-estjqlr_t-1qs0gzh75aktmn3yj0ips4hcguutwjazzr1z9caow', // RFC 7515
  'hjtxiz2usn5kbqfbttnwbpdmhkv8fjg-onbc6mxccyg', // RFC 7520
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI
  '192b9bdd22ab9ed4d12e236c78afcb9a393ec15f71bbf5dc987d54727823bcbf', // Flask
  '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b', // Spring, as the next ones
  '357638792f423f4428472b4b6250655368566d597133743677397a2443264629',
  '404e635266556a586e3272357538782f413f4428472b4b6250645367566b5970',
  '413f4428472b4b6250655368566d5970337336763979244226452948404d6351',
  '5367566b59703373367639792f423f4528482b4d6251655468576d5a71347437',
  '======================bezkoder=spring===========================',
  'byym000ollmqg6vvvp1oh7xzyr7ghuw1qvuc5dcgt3snm', // ASP.NET, as the next ones
  'dhftos5uphk3vmcjqrexst1rsyjzbjxwrgjmfpu4',
  'jwtauthenticationhighsecuredpasswordvvvp1oh7xzyr',
  'this is my custom secret key for authentication',
  'this is my custom secret key for authnetication',
  'this is used to sign and verify jwt tokens, replace it with your own secret, it can be any string'
])

/**
 * What defaults and placeholders are made of: those of the document server (`secret`, `verysecretstring`, `my_jwt_secret`), and
 * longer ones from everywhere (`your-super-secret-jwt-token-with-at-least-32-characters-long`).
 */
const PLACEHOLDER_WORDS = /onlyoffice|password|secret|token|jwt|key|string|default|example|random|changeme|change|replace|your|my|me|this|that|which|is|in|for|with|use|production|please|must|be|(?:at.least|minimum|min).?\d{2,3}|characters|chars|bits|bytes|long|very|really|super|safe|valid|\ba\b|[\s_!<>-]/g

/** As shells, templates and examples write it. */
const VARIABLE = /^(?:\$\{.*\}|\{\{.*\}\}|<.*>|%\w+%|\$\w+)$/

/** What people type who were asked for something long. */
const SEQUENCES = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].join('\n')

/** What makes a secret easy to guess, for an error message; `undefined` when nothing is known against it. */
export function weaknessOf (secret: string): string | undefined {
  const plain = secret.trim().toLowerCase()
  if (KNOWN.has(plain) || plain.replace(PLACEHOLDER_WORDS, '') === '') return 'is a publicly known default'
  if (VARIABLE.test(plain)) return 'is a variable that nobody has replaced'

  const size = Buffer.byteLength(secret)
  if (size < MIN_BYTES) return `has ${size} bytes and must have at least ${MIN_BYTES}`
  const part = repeatedIn(plain)
  if (part !== undefined) return `repeats a part of ${Buffer.byteLength(part)} bytes, is worth no more than that, and must have at least ${MIN_BYTES} without repetition`
  const characters = new Set(plain).size
  if (characters < MIN_CHARACTERS) return `has ${characters} different characters and must have at least ${MIN_CHARACTERS}`
  if (isSequence(plain)) return 'is a sequence of letters or digits, as on a keyboard'
  return undefined
}

/** The part that a text repeats, whatever its last characters are, if it is too short to be a secret. */
function repeatedIn (text: string): string | undefined {
  for (let rest = 0; rest <= 4; rest++) {
    const part = repeatedInAll(text.slice(0, text.length - rest))
    if (part !== undefined) return part
  }
  return undefined
}

/** Half of the part must come again: less may be chance. */
function repeatedInAll (text: string): string | undefined {
  for (let length = 1; length < MIN_BYTES && length * 1.5 <= text.length; length++) {
    const part = text.slice(0, length)
    if (text.startsWith(text.slice(length))) return Buffer.byteLength(part) < MIN_BYTES ? part : undefined
  }
  return undefined
}

/** Whether three quarters of the characters are the one before, or its neighbour in a sequence. */
function isSequence (text: string): boolean {
  const following = Array.from(text).filter((character, index) => {
    const before = text[index - 1]
    return before === character || SEQUENCES.includes(`${before}${character}`) || SEQUENCES.includes(`${character}${before}`)
  })
  return following.length >= text.length * 0.75
}
