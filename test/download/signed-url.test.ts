import { createHmac } from 'node:crypto'
import { fakeClock } from 'onlyoffice-emulator'
import t from 'tap'
import { fileStorage } from '../../lib/index.js'
import { handlerUrls } from '../../lib/security/signatures.js'
import { HANDLER, type Host, signed, startHost } from '../kit/host.js'
import { memoryLog } from '../kit/log.js'
import { SECRET } from '../kit/document-server.js'

const OTHER_SECRET = 'another-secret-of-this-test-suite-987654'
const DAY = 86_400

const settingsOf = ({ origin }: Host) => ({ publicBaseUrl: () => origin, path: HANDLER, secrets: [SECRET], signedUrls: true, downloadUrlLifetime: DAY * 1000 })

t.test('the signature of a download URL is valid for exactly what it was made for', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = new URL((await host.app.editorControl().openDocument(fileId)).documentUrl)
  const { signature, expires } = Object.fromEntries(url.searchParams) as { signature: string, expires: string }

  const worthless: Record<string, string> = {
    'a later end': host.handler({ action: 'download', fileId, expires: String(Number(expires) + 1), signature }),
    'no end': host.handler({ action: 'download', fileId, signature }),
    'the end in other words': host.handler({ action: 'download', fileId, expires: `${expires}.0`, signature }),
    'an empty end': host.handler({ action: 'download', fileId, expires: '', signature }),
    'an end that is no number': host.handler({ action: 'download', fileId, expires: 'never', signature }),
    'the signature of the callback URL': host.urls.callback(fileId).replace('callback', 'download'),
    'a cut signature': url.href.slice(0, -1),
    'another character': url.href.slice(0, -2) + (url.href.at(-2) === 'A' ? 'B' : 'A') + url.href.at(-1),
    'a key': `${url.href}&key=x`
  }
  for (const [name, address] of Object.entries(worthless)) {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(address, { method })
      t.equal(response.status, 403, name)
      t.notMatch(await response.text(), /content/)
    }
  }
  t.equal((await fetch(`${url.href}&signature=${signature}`)).status, 404, 'a repeated parameter is not used')

  const response = await fetch(url)
  t.equal(response.status, 200)
  t.equal(await response.text(), 'content')
  t.equal((await fetch(`${url.href}&mine=1`)).status, 200, 'parameters of the host\'s own do not matter')
})

t.test('a download URL is valid for 24 hours, or as long as downloadUrlLifetime says', async t => {
  for (const [options, lifetime] of [[{}, DAY], [{ downloadUrlLifetime: 90_000 }, 90]] as const) {
    const clock = fakeClock()
    const host = await startHost(t, { ...options, clock })
    const { fileId } = await host.storage.create('docx', Buffer.from('content'))
    const { documentUrl } = await host.app.editorControl().openDocument(fileId)
    const expires = Number(new URL(documentUrl).searchParams.get('expires'))
    t.equal(expires, Math.ceil(clock.now() / 1000) + lifetime)
    t.equal((await fetch(documentUrl)).status, 200)
    clock.jump((lifetime + 1) * 1000)
    t.equal((await fetch(documentUrl)).status, 403)
  }
})

t.test('an expired download URL is refused even with the document server\'s token', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const expired = handlerUrls({ ...settingsOf(host), downloadUrlLifetime: -2000 }).download(fileId)
  // The document server sends its token along to whatever address an old page's configuration holds.
  const response = await fetch(expired, { headers: { authorization: `Bearer ${signed({ payload: { url: expired } })}` } })
  t.equal(response.status, 403)
  t.match(await response.json(), { code: 'FST_EDITOR_FORBIDDEN', message: 'Forbidden' })
})

t.test('any other answer of authorize than true, false, undefined and "grant" is refused, and the log names it', async t => {
  for (const [answer, kind] of [['yes', 'a string'], [{ id: 7 }, 'an object'], [1, 'a number'], [null, 'null']] as const) {
    const log = memoryLog()
    const host = await startHost(t, { authorize: () => answer as never, server: log.server })
    const { fileId } = await host.storage.create('docx', Buffer.from('content'))
    t.equal((await fetch(host.urls.download(fileId))).status, 403, kind)
    t.ok(log.records().some(({ err }) => err?.message === `Forbidden: authorize returned ${kind}: it must return true, false, undefined or 'grant'`), kind)
  }
})

t.test('the first secret of a list signs the URLs of a control', async t => {
  const host = await startHost(t, { jwtSecret: [OTHER_SECRET, SECRET] })
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const { documentUrl, callbackUrl } = await host.app.editorControl().openDocument(fileId)
  const byFirst = handlerUrls({ ...settingsOf(host), secrets: [OTHER_SECRET] })
  t.equal(byFirst.checkSignature('download', fileId, Object.fromEntries(new URL(documentUrl).searchParams)), 'valid')
  t.equal(callbackUrl, byFirst.callback(fileId))
})

t.test('the signing key is derived from the secret with HKDF (RFC 5869), not the secret itself', async t => {
  const host = await startHost(t)
  const { fileId } = await host.storage.create('docx', Buffer.from('content'))
  const url = new URL((await host.app.editorControl().openDocument(fileId)).documentUrl)
  const content = JSON.stringify([`${host.origin}${HANDLER}`, 'download', fileId, url.searchParams.get('expires'), null])
  const hmac = (key: string | Buffer, text: string | Buffer) => createHmac('sha256', key).update(text).digest()
  const extracted = hmac(Buffer.alloc(32), Buffer.from(SECRET))
  const derived = hmac(extracted, Buffer.from('fastify-onlyoffice signed URL, version 1\x01'))
  t.equal(url.searchParams.get('signature'), hmac(derived, content).toString('base64url'))
  t.not(url.searchParams.get('signature'), hmac(SECRET, content).toString('base64url'))
})

t.test('fileIds with every kind of character can be signed and verified', async t => {
  const ids = ['a b', 'a&b', 'a#b', 'a+b', 'a%b', 'é', '😀', '[a]', "a'b", 'a=b&signature=x']
  const directory = t.testdir(Object.fromEntries(ids.map(id => [`${id}.txt`, id])))
  const host = await startHost(t, { storage: fileStorage({ directory }) })
  for (const id of ids) {
    const { documentUrl } = await host.app.editorControl().openDocument(id)
    const response = await fetch(documentUrl)
    t.equal(response.status, 200, id)
    t.equal(await response.text(), id)
  }
})
