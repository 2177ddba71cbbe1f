import Fastify from 'fastify'
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import editor, { type EditorOptions, memoryStorage } from '../../lib/index.js'
import { SECRET } from '../helpers/host.js'

async function register (t: Test, options: Partial<EditorOptions>): Promise<void> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(editor, { editorApiUrl: 'https://docs.example.com/api.js', publicBaseUrl: 'https://app.example.com', jwtSecret: SECRET, storage: memoryStorage(), ...options })
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
  // eslint-disable-next-line no-template-curly-in-string
  '${JWT_SECRET:-none-was-given-here}': /is a variable that nobody has replaced/,
  x: /has 1 bytes and must have at least 32/,
  'a good one, but a little short!': /has 31 bytes and must have at least 32/,
  [`${'ü'.repeat(15)}x`]: /has 31 bytes and must have at least 32/
}

for (const [jwtSecret, reason] of Object.entries(weak)) {
  t.test(`row 76: a weak secret is refused in secure, with the reason and what to do: ${JSON.stringify(jwtSecret).slice(0, 40)}`, async t => {
    const refusal = { code: 'FST_EDITOR_INVALID_OPTION', message: reason }
    const error = await register(t, { jwtSecret }).then(() => null, error => error as Error)
    t.match(error, refusal)
    t.match(error, { message: /^Option jwtSecret .*: whoever guesses it reads and replaces every document\. Make one with `openssl rand -hex 32`.* or set allowWeakSecret$/ })
    if (jwtSecret.length > 2) t.notOk(error!.message.includes(jwtSecret), 'it is not repeated')
    await t.rejects(register(t, { jwtSecret: [SECRET, jwtSecret] }), refusal, 'it would still verify')
    await t.rejects(register(t, { profile: 'classic', allowWeakSecret: false, jwtSecret }), refusal)
    await t.resolves(register(t, { allowWeakSecret: true, jwtSecret }))
    await t.resolves(register(t, { profile: 'classic', jwtSecret }))
  })
}

t.test('row 76: a secret of 32 bytes or more is taken', async t => {
  for (const jwtSecret of [
    'a good one, and just long enough', 'ü, the bytes count: ö ä ß é ç ñ', randomBytes(16).toString('hex'), randomBytes(24).toString('base64'),
    'secret-of-our-own-with-some-words-in-it', 'passwords are made of secret words'
  ]) {
    await t.resolves(register(t, { jwtSecret }), jwtSecret)
  }
})
