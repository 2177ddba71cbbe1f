import { fakeClock } from 'onlyoffice-emulator'
import t from 'tap'
import { handlerUrls } from '../../lib/security/signatures.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { storeOf } from '../kit/storage.js'
import { OTHER_SECRET } from './support.js'

const ID = '0123456789abcdef01234567'
const DOCX = Buffer.from('504b0304', 'hex')

const token = (secret: string) => forgedToken({ iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300 }, { secret })

/** An application whose hooks and storage tell when they are used. */
async function startWatched (t: import('tap').Test, options: HostOptions = {}) {
  const used: string[] = []
  const host = await startHost(t, {
    authorize: () => { used.push('authorize'); return undefined },
    onCallback: () => { used.push('onCallback') },
    ...options
  })
  const storage = storeOf(host.app)
  for (const name of ['stat', 'read', 'create', 'replace', 'stage', 'snapshot', 'commit'] as const) {
    const original = storage[name].bind(storage) as (...args: unknown[]) => unknown
    Object.assign(storage, { [name]: (...args: unknown[]) => { used.push(name); return original(...args) } })
  }
  const post = async (url: string, body = '{"status":2,"url":"http://127.0.0.1:9/x"}') => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return { status: response.status, text: await response.text() }
  }
  return { host, used, post }
}

t.test('a probe reaches no hook of the plugin, file or session', async t => {
  for (const options of [{}, { profile: 'classic' as const }, { signedUrls: false }]) {
    const { host, used, post } = await startWatched(t, options)
    const download = await fetch(host.urls.probe(ID))
    t.equal(download.status, 200)
    t.ok(Buffer.from(await download.arrayBuffer()).subarray(0, 4).equals(DOCX), 'a document')
    t.match(await post(host.urls.probe(ID)), { status: 200, text: /^\{"probe":/ })
    t.strictSame(used, [], 'and nothing of the application was used')
  }
})

t.test('the answer to a POST is signed, and says what arrived', async t => {
  const { host, post } = await startWatched(t)
  const headers = { authorization: `Bearer ${token(SECRET)}`, 'x-other': `JWT ${token(OTHER_SECRET)}`, 'x-basic': 'Basic dTpw' }
  for (let count = 0; count < 15; count++) await fetch(host.urls.probe(ID), { headers })
  const { probe, signature } = JSON.parse((await post(host.urls.probe(ID), 'x'.repeat(100_000))).text)
  t.equal(host.urls.isProbeAnswer(ID, probe, signature), true)
  t.equal(host.urls.isProbeAnswer(ID.replace('0123', '3210'), probe, signature), false, 'not for another probe')
  t.equal(host.urls.isProbeAnswer(ID, `${probe} `, signature), false, 'not for another content')
  const { sightings } = JSON.parse(probe)
  t.equal(sightings.length, 10, 'what is remembered is bounded')
  t.match(sightings[0], { method: 'GET', isSigned: true })
  t.match(sightings[0].tokens, [
    { header: 'authorization', prefix: 'Bearer ', isExpectedThere: true, issuedSecondsAgo: Number },
    { header: 'x-other', prefix: 'JWT ', isExpectedThere: false, fault: { problem: 'is signed with another secret' } }
  ])
  t.equal(sightings[0].tokens.length, 2)
  t.notMatch(probe, /eyJ|dTpw/, 'but no token')
})

t.test('a signature for a probe opens no file, and one for a file is none for a probe', async t => {
  const { host, post, used } = await startWatched(t)
  const { fileId } = await host.storage.create('txt', Buffer.from('a document'))
  used.length = 0
  const probe = new URL(host.urls.probe(fileId)).searchParams
  const signed = { fileId, expires: probe.get('expires')!, signature: probe.get('signature')! }
  t.equal((await fetch(host.handler({ action: 'download', ...signed }))).status, 403)
  t.match(await post(host.handler({ action: 'callback', ...signed })), { text: '{"error":1}' })
  const file = new URL(host.urls.download(fileId)).searchParams
  file.set('id', fileId)
  const forged = `${host.origin}/Controls/Editor/EditorHandler.ashx/probe?${file}`
  t.match(await post(forged), { status: 401 })
  t.equal((await fetch(forged)).status, 401)
  t.equal((await fetch(forged.split('?')[0]!)).status, 404, 'no probe')
  t.strictSame(used, [])
})

t.test('a probe expires after five minutes, and one of another application or another secret is none', async t => {
  const clock = fakeClock()
  const { host } = await startWatched(t, { clock })
  const url = host.urls.probe(ID)
  await clock.advance(299_000)
  t.equal((await fetch(url)).status, 200)
  await clock.advance(2_000)
  t.equal((await fetch(url)).status, 401)

  const foreign = { path: '/Controls/Editor/EditorHandler.ashx', signedUrls: true, downloadUrlLifetime: 1000, clock }
  for (const urls of [
    handlerUrls({ ...foreign, publicBaseUrl: () => host.origin, secrets: [OTHER_SECRET] }),
    handlerUrls({ ...foreign, publicBaseUrl: () => 'http://other.test', secrets: [SECRET] })
  ]) {
    t.equal((await fetch(urls.probe(ID).replace('http://other.test', host.origin))).status, 401)
  }
})

t.test('a body that is too large is refused, and one without a signature is not read', async t => {
  const { host, post } = await startWatched(t, { bodyLimit: 1000 })
  const status = async (url: string, body: string) => await post(url, body).then(({ status }) => status, () => 'closed')
  t.equal(await status(host.urls.probe(ID), 'x'.repeat(1000)), 200)
  t.match(String(await status(host.urls.probe(ID), 'x'.repeat(1001))), /413|closed/)
  t.match(String(await status(host.urls.probe(ID).replace('signature=', 'signature=x'), 'x'.repeat(1001))), /401|closed/)
})
