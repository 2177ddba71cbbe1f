import t from 'tap'
import { createSigner } from 'fast-jwt'
import { SECRET, startDocumentServer, startFakeHost } from '../support.js'

const sign = createSigner({ key: SECRET, noTimestamp: true })

t.test('a configuration is refused with the recorded codes unless its token signs what counts', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const seconds = Math.floor(Date.now() / 1000)
  const document = { key: 'K', title: 'report.docx', fileType: 'docx', url: `${host.origin}/files/report.docx`, permissions: { edit: true, download: true } }
  const editorConfig = { callbackUrl: `${host.origin}/cb`, lang: 'en', mode: 'edit', user: { id: 'uid-1', name: 'John Smith' } }
  const config = { documentType: 'word', document, editorConfig }
  const without = <Thing extends object>(thing: Thing, name: keyof Thing) => ({ ...thing, [name]: undefined })

  const refusals: Array<[title: string, token: string | undefined, code: number, message: string]> = [
    ['no token', undefined, 4006, 'token:jwt must be provided'],
    ['wrong secret', createSigner({ key: 'another secret' })(config), 4006, 'token:invalid signature'],
    ['not a token', 'x.y.z', 4006, 'token:jwt malformed'],
    ['no algorithm', createSigner({ algorithm: 'none' })(config), 4006, 'token:jwt malformed'],
    ['expired two minutes ago', sign({ ...config, exp: seconds - 120 }), 4005, 'token:jwt expired'],
    ['{ payload: config }', sign({ payload: config }), 4006, 'token:'],
    ['no document.key', sign({ ...config, document: without(document, 'key') }), 4006, 'token:'],
    ['no document.url', sign({ ...config, document: without(document, 'url') }), 4006, 'token:'],
    ['no callbackUrl', sign({ ...config, editorConfig: without(editorConfig, 'callbackUrl') }), 4006, 'token:'],
    ['no mode', sign({ ...config, editorConfig: without(editorConfig, 'mode') }), 4006, 'token:'],
    ['no permissions', sign({ ...config, document: without(document, 'permissions') }), 4006, 'token:'],
    ['other permissions', sign({ ...config, document: { ...document, permissions: { edit: true, download: false } } }), 4004, 'access deny'],
    ['a top-level url', sign({ ...config, url: 'x' }), 4004, 'access deny'],
    ['a top-level key', sign({ ...config, key: 'x' }), 4004, 'access deny'],
    ['a top-level payload', sign({ ...config, payload: {} }), 4004, 'access deny'],
    ['a key with other characters', sign({ ...config, document: { ...document, key: 'a b' } }), -82, 'document.key must be 1 to 128 characters of 0-9 A-Z a-z . _ = -']
  ]
  for (const [title, token, code, message] of refusals) {
    await t.rejects(server.open({ ...config, token }), { name: 'DocumentServerError', code, message }, title)
  }
  t.equal(host.received.length, 0, 'the host was told nothing')

  const skewed = await server.open({ ...config, token: sign({ ...config, exp: seconds - 30 }) })
  t.equal((await skewed.close()).status, 4, '30 s of clock skew are allowed')
})

t.test('what the token signs overrides the configuration, and view from either side wins', async t => {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const config = host.config('K')

  const evil = await server.open({ ...config, editorConfig: { ...config.editorConfig, user: { id: 'evil', name: 'Evil' } } })
  t.equal(evil.userId, 'uid-1')
  await evil.close()

  const viewing = await server.open({ ...config, editorConfig: { ...config.editorConfig, mode: 'view' } })
  t.equal(viewing.viewOnly, true, 'view in the configuration only')
  const signed = await server.open({ ...host.config('K', { mode: 'view' }), editorConfig: config.editorConfig })
  t.equal(signed.viewOnly, true, 'view in the token only')
  await t.rejects(signed.edit('text'), TypeError)
  t.strictSame(await signed.close(), { status: null, httpStatus: null, answer: null, accepted: false })
  t.strictSame(host.statuses(), [1, 4], 'viewers are not reported')
})
