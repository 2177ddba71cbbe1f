import Fastify from 'fastify'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { explainWeakness } from '../../lib/security/weak-secret.js'
import editor, { type EditorOptions, memoryStorage } from '../../lib/index.js'
import { SECRET as EMULATOR_SECRET } from '../../emulator/test/support.js'
import { SECRET } from '../kit/document-server.js'

async function register (t: Test, options: Partial<EditorOptions>): Promise<void> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, {
    editorApiUrl: 'https://docs.example.com/api.js',
    publicBaseUrl: 'https://app.example.com',
    jwtSecret: SECRET,
    storage: memoryStorage(),
    ...options
  })
}

const weak: Record<string, RegExp> = {
  secret: /is a publicly known default/,
  verysecretstring: /is a publicly known default/,
  my_jwt_secret: /is a publicly known default/,
  MY_JWT_SECRET: /is a publicly known default/,
  ' verysecretstring ': /is a publicly known default/,
  [`${'secret'.repeat(6)}`]: /is a publicly known default/,
  'my_jwt_secret-my_jwt_secret-my_jwt_secret': /is a publicly known default/,
  'a-string-secret-at-least-256-bits-long': /is a publicly known default/,
  'your-jwt-secret-key-your-jwt-secret-key': /is a publicly known default/,
  onlyoffice_onlyoffice_onlyoffice_onlyoffice: /is a publicly known default/,
  'replace-me-with-at-least-32-random-characters': /is a publicly known default/,
  'your-super-secret-jwt-token-with-at-least-32-characters-long': /is a publicly known default/,
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long': /is a publicly known default/,
  'Please_change_this_secret_key_in_production!': /is a publicly known default/,
  reallyreallyreallyreallyverysafe: /is a publicly known default/,
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970': /is a publicly known default/,
  'the secret that both of them know, 0123456789': /is a publicly known default/,
  [`${'a'.repeat(32)}`]: /repeats a part of 1 bytes: it is only as strong as that part, which must have at least 32 bytes/,
  [`${'a'.repeat(500)}`]: /repeats a part of 1 bytes/,
  [`${'abc'.repeat(11)}ab`]: /repeats a part of 3 bytes/,
  [`${'0123456789abcdef'.repeat(2)}`]: /repeats a part of 16 bytes/,
  [`${'deadbeef'.repeat(8)}`]: /repeats a part of 8 bytes/,
  'correct-horse-battery-correct-horse-battery': /repeats a part of 22 bytes/,
  'Winter-2026-by-the-lakeWinter-2026-by': /repeats a part of 23 bytes/,
  [`${'ü'.repeat(16)}`]: /repeats a part of 2 bytes/,
  [`${'a'.repeat(31)}b`]: /repeats a part of 1 bytes/,
  passwordpasswordpasswordpassword1: /repeats a part of 8 bytes/,
  'my-secret-my-secret-my-secret-my2': /repeats a part of 10 bytes/,
  '{{ JWT_SECRET_32_CHARACTERS_LONG_X }}': /is a placeholder that was not replaced/,
  $JWT_SECRET_JWT_SECRET_JWT_SECRET_: /is a placeholder/,
  '%JWT_SECRET_JWT_SECRET_JWT_SECRET_%': /is a placeholder/,
  '<the-jwt-secret-of-docs.example.com>': /is a placeholder/,
  abababaababababaabababbababababab: /has 2 different characters and must have at least 8/,
  '11111111-1111-1111-1111-111111111111': /has 2 different characters/,
  abcaabbaccbaabcaabbaccbbaaccbabcacabcg: /has 4 different characters/,
  abcdefghijklmnopqrstuvwxyz012345: /is a sequence of letters or digits, as in the alphabet or on a keyboard/,
  ABCDEFGHIJKLMNOPQRSTUVWXYZ012345: /is a sequence/,
  zyxwvutsrqponmlkjihgfedcba987654: /is a sequence/,
  '00112233445566778899aabbccddeeff': /is a sequence/,
  '1234567890qwertyuiopasdfghjklzxc': /is a sequence/,
  '00000000001111111111222222222233': /has 4 different characters/,
  // eslint-disable-next-line no-template-curly-in-string
  '${JWT_SECRET:-none-was-given-here}': /is a placeholder that was not replaced/,
  x: /has 1 bytes and must have at least 32/,
  'a good one, but a little short!': /has 31 bytes and must have at least 32/,
  [`${'ü'.repeat(15)}x`]: /has 31 bytes and must have at least 32/
}

for (const [jwtSecret, reason] of Object.entries(weak)) {
  t.test(`a weak secret is refused, with the reason and how to fix it: ${JSON.stringify(jwtSecret).slice(0, 40)} (secure)`, async t => {
    const refusal = { code: 'FST_EDITOR_INVALID_OPTION', message: reason }
    const error = await register(t, { jwtSecret }).then(() => null, error => error as Error)
    t.match(error, refusal)
    t.match(error, {
      message:
        /^Option jwtSecret .*: anyone who guesses it can read and replace every document\. Create one with `openssl rand -hex 32`.* or set allowWeakSecret$/
    })
    if (jwtSecret.length > 2) t.notOk(error!.message.includes(jwtSecret), 'it is not repeated')
    await t.rejects(register(t, { jwtSecret: [SECRET, jwtSecret] }), refusal, 'it would still verify')
    await t.rejects(register(t, { profile: 'classic', allowWeakSecret: false, jwtSecret }), refusal)
    await t.resolves(register(t, { allowWeakSecret: true, jwtSecret }))
    await t.resolves(register(t, { profile: 'classic', jwtSecret }))
  })
}

t.test('a secret of 32 bytes or more is accepted', async t => {
  for (const jwtSecret of [
    `${'a-part-of-32-bytes-is-enough-xyz'.repeat(2)}`, 'a-part-of-24-bytes-is-ok-a-part-', SECRET, EMULATOR_SECRET,
    'a good one, and just long enough', 'ü, the bytes count: ö ä ß é ç ñ', randomBytes(16).toString('hex'), randomBytes(24).toString('base64'),
    'secret-of-our-own-with-some-words-in-it', 'passwords are made of secret words'
  ]) {
    await t.resolves(register(t, { jwtSecret }), jwtSecret)
  }
})

/** How secrets are made by those who make them well. */
const made: Record<string, () => string> = {
  '`openssl rand -hex 32`': () => randomBytes(32).toString('hex'),
  '`openssl rand -hex 16`': () => randomBytes(16).toString('hex'),
  '`openssl rand -base64 32`': () => randomBytes(32).toString('base64'),
  '`openssl rand -base64 24`': () => randomBytes(24).toString('base64'),
  'base64url of 32 bytes': () => randomBytes(32).toString('base64url'),
  'one UUID': () => randomUUID(),
  'a pair of UUIDs': () => `${randomUUID()}${randomUUID()}`,
  'a passphrase of random words': () => Array.from({ length: 7 }, randomWord).join('-')
}

/** As hard as dice make it: of two to four syllables. */
function randomWord (): string {
  return Array.from({ length: randomInt(2, 5) }, () => `${'bcdfghklmnprstvwz'[randomInt(17)]}${'aeiou'[randomInt(5)]}`).join('')
}

for (const [name, make] of Object.entries(made)) {
  t.test(`a random secret is never mistaken for a weak one: ${name}`, async t => {
    const secrets = Array.from({ length: 3000 }, make).filter(secret => secret.length >= 32)
    t.ok(secrets.length > 2000)
    t.strictSame(secrets.filter(secret => explainWeakness(secret) !== undefined), [])
  })
}

t.test('secrets that appear in this repository\'s examples and documentation are refused', async t => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const examples = (await readdir(join(root, 'examples'), { recursive: true })).filter(file =>
    /\.(c?js|ts|md|ya?ml|example)$/.test(file) && !/node_modules|App_Data/.test(file)
  )
  const files = ['README.md', 'SECURITY.md', ...examples.map(file => join('examples', file))]
  t.ok(files.length > 20, 'they were found')
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, secret] of text.matchAll(/secret['"]?\s*[:=]\s*(?:\[\s*)?['"`]([^'"`\n]*)['"`]/gi)) {
      t.not(explainWeakness(secret!), undefined, `${file}: ${secret}`)
    }
  }
})
