import { createHmac } from 'node:crypto'
import t from 'tap'
import { startHost } from '../kit/host.js'

const secrets = [
  'plain-secret-0123456789-0123456789-012', 'a secret with blanks in it, 0123456789',
  ' leading and trailing blanks 0123456789 ', 'schlüssel-ключ-鍵-🔑-0123456789-0123456',
  '-----not a PEM key----- 0123456789 012', Array.from({ length: 60 }, (_, index) => `word ${index * 37}`).join(' ')
]

t.test('the configuration\'s token is an HS256 JWT, exact to the byte', async t => {
  for (const secret of secrets) {
    const host = await startHost(t, { jwtSecret: secret })
    const control = host.app.editorControl({ user: { id: '7', name: 'Ada ü 😀 \u2028' }, customization: { autosave: false } })
    await control.uploadDocument(Buffer.from('content'), 'Übung.docx')
    const { token, ...config } = control.config!
    const [header, payload, signature, ...more] = token.split('.')

    t.strictSame(more, [])
    t.equal(Buffer.from(header!, 'base64url').toString(), '{"alg":"HS256","typ":"JWT"}')
    t.equal(header, 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9')
    t.equal(Buffer.from(payload!, 'base64url').toString('utf8'), JSON.stringify(config), 'the payload is the configuration without the token, nothing added')
    t.equal(signature, createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${header}.${payload}`).digest('base64url'), secret)
    t.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/, 'unpadded, URL-safe')
  }
})

t.test('the configuration contains its token as token, in its JSON as well', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  t.type(control.config!.token, 'string')
  t.strictSame(JSON.parse(control.configJson), JSON.parse(JSON.stringify(control.config)))
  t.equal(JSON.parse(control.configJson).token, control.config!.token)
})

t.test('the first secret of a list signs the configuration', async t => {
  const host = await startHost(t, { jwtSecret: secrets.slice(0, 2) })
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const [header, payload, signature] = control.config!.token.split('.')
  t.equal(signature, createHmac('sha256', secrets[0]!).update(`${header}.${payload}`).digest('base64url'))
})

t.test('the configuration is signed again whenever it has changed', async t => {
  const host = await startHost(t)
  const control = host.app.editorControl()
  await control.uploadDocument(Buffer.from('content'), 'a.docx')
  const before = control.config!.token
  t.equal(control.config!.token, before)
  control.documentName = 'Renamed.docx'
  const { token, ...config } = control.config!
  t.equal(config.document.title, 'Renamed.docx')
  t.equal(Buffer.from(token.split('.')[1]!, 'base64url').toString(), JSON.stringify(config))
})
