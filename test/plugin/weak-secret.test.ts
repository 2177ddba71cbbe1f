import Fastify from 'fastify'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { explainWeakness } from '../../lib/security/weak-secret.js'
import editor, { type FastifyOnlyofficeOptions, memoryStorage } from '../../lib/index.js'
import { SECRET as EMULATOR_SECRET } from '../../emulator/test/support.js'
import { SECRET } from '../kit/document-server.js'

async function register (t: Test, options: Partial<FastifyOnlyofficeOptions>): Promise<void> {
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
  [`${'secret'.repeat(6)}`]: /is a publicly known default/,
  'a-string-secret-at-least-256-bits-long': /is a publicly known default/,
  'replace-me-with-at-least-32-random-characters': /is a publicly known default/,
  [`${'a'.repeat(32)}`]: /has 1 different characters/,
  '{{ JWT_SECRET_32_CHARACTERS_LONG_X }}': /is a placeholder that was not replaced/,
  $JWT_SECRET_JWT_SECRET_JWT_SECRET_: /is a placeholder/,
  abababaababababaabababbababababab: /has 2 different characters and must have at least 8/,
  // eslint-disable-next-line no-template-curly-in-string
  '${JWT_SECRET:-none-was-given-here}': /is a placeholder that was not replaced/,
  x: /has 1 bytes and must have at least 32/,
  'a good one, but a little short!': /has 31 bytes and must have at least 32/,
  [`${'ü'.repeat(15)}x`]: /has 31 bytes and must have at least 32/
}

for (const [jwtSecret, reason] of Object.entries(weak)) {
  t.test(`a weak secret is refused, with the reason and how to fix it: ${JSON.stringify(jwtSecret).slice(0, 40)}`, async t => {
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
