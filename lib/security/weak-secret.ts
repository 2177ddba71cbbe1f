/** A key for HS256 must be at least as long as its hash. Source: RFC 7518, section 3.2. */
const MIN_BYTES = 32
/** 32 random hex digits have fewer different characters in one of 25 million cases. */
const MIN_DIFFERENT_CHARACTERS = 8

/**
 * Long enough but published: in RFCs, in the documentation of frameworks, or in tutorials copied thousands of times.
 * Compared in lower case.
 */
const PUBLISHED: ReadonlySet<string> = new Set([
  'the secret that both of them know, 0123456789', // an earlier examples/testing of this package
  'aym1sysppbydfgzld3umj1qzkobwvmkoqq-estjqlr_t-1qs0gzh75aktmn3yj0ips4hcguutwjazzr1z9caow', // RFC 7515
  'hjtxiz2usn5kbqfbttnwbpdmhkv8fjg-onbc6mxccyg', // RFC 7520
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI
  '192b9bdd22ab9ed4d12e236c78afcb9a393ec15f71bbf5dc987d54727823bcbf', // Flask
  '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b', // Spring, like the next ones
  '357638792f423f4428472b4b6250655368566d597133743677397a2443264629',
  '404e635266556a586e3272357538782f413f4428472b4b6250645367566b5970',
  '413f4428472b4b6250655368566d5970337336763979244226452948404d6351',
  '5367566b59703373367639792f423f4528482b4d6251655468576d5a71347437',
  '======================bezkoder=spring===========================',
  'byym000ollmqg6vvvp1oh7xzyr7ghuw1qvuc5dcgt3snm', // ASP.NET, like the next ones
  'dhftos5uphk3vmcjqrexst1rsyjzbjxwrgjmfpu4',
  'jwtauthenticationhighsecuredpasswordvvvp1oh7xzyr',
  'this is my custom secret key for authentication',
  'this is my custom secret key for authnetication',
  'this is used to sign and verify jwt tokens, replace it with your own secret, it can be any string'
])

/**
 * Words that defaults and placeholders consist of, such as the document server's (`secret`, `verysecretstring`,
 * `my_jwt_secret`) and `your-super-secret-jwt-token-with-at-least-32-characters-long`.
 */
const PLACEHOLDER_WORDS =
  /onlyoffice|password|secret|token|jwt|key|string|default|example|random|changeme|change|replace|your|my|me|this|that|which|is|in|for|with|use|production|please|must|be|(?:at.least|minimum|min).?\d{2,3}|characters|chars|bits|bytes|long|very|really|super|safe|valid|\ba\b|[\s_!<>-]/g

/** A variable in the syntax of a shell or a template, or a placeholder as examples write it. */
const VARIABLE = /^(?:\$\{.*\}|\{\{.*\}\}|<.*>|%\w+%|\$\w+)$/

/** Sequences of the alphabet and of keyboards. */
const SEQUENCES = ['abcdefghijklmnopqrstuvwxyz', '01234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].join('\n')

/**
 * Why a secret is easy to guess, as the end of a sentence that begins with its name; `undefined` if no reason was
 * found.
 */
export function explainWeakness (secret: string): string | undefined {
  const normalized = secret.trim().toLowerCase()
  if (PUBLISHED.has(normalized) || normalized.replace(PLACEHOLDER_WORDS, '') === '') {
    return 'is a publicly known default'
  }
  if (VARIABLE.test(normalized)) return 'is a placeholder that was not replaced'

  const size = Buffer.byteLength(secret)
  if (size < MIN_BYTES) return `has ${size} bytes and must have at least ${MIN_BYTES}`
  const part = repeatedPart(normalized)
  if (part !== undefined) return `repeats a part of ${Buffer.byteLength(part)} bytes: it is only as strong as that part, which must have at least ${MIN_BYTES} bytes`
  const characters = new Set(normalized).size
  if (characters < MIN_DIFFERENT_CHARACTERS) {
    return `has ${characters} different characters and must have at least ${MIN_DIFFERENT_CHARACTERS}`
  }
  if (isSequence(normalized)) return 'is a sequence of letters or digits, as in the alphabet or on a keyboard'
  return undefined
}

/** The part that a string repeats, apart from its last four characters, if the part is too short for a secret. */
function repeatedPart (value: string): string | undefined {
  for (let ignored = 0; ignored <= 4; ignored++) {
    const part = partRepeatedToEnd(value.slice(0, value.length - ignored))
    if (part !== undefined) return part
  }
  return undefined
}

/** At least half of the part must be repeated: less may be chance. */
function partRepeatedToEnd (value: string): string | undefined {
  for (let length = 1; length < MIN_BYTES && length * 1.5 <= value.length; length++) {
    const part = value.slice(0, length)
    if (value.startsWith(value.slice(length))) return Buffer.byteLength(part) < MIN_BYTES ? part : undefined
  }
  return undefined
}

/** Whether three quarters of the characters equal the one before, or are next to it in a sequence. */
function isSequence (value: string): boolean {
  const following = Array.from(value).filter((character, index) => {
    const previous = value[index - 1]
    return previous === character || SEQUENCES.includes(`${previous}${character}`) ||
      SEQUENCES.includes(`${character}${previous}`)
  })
  return following.length >= value.length * 0.75
}
