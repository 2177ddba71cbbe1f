import { fakeClock } from 'onlyoffice-emulator'
import t from 'tap'
import { handlerUrls } from '../../lib/security/signatures.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { type HostOptions, startHost } from '../kit/host.js'
import { OTHER_SECRET, startSetUp } from './support.js'

const ID = 'fastify-onlyoffice-probe-0123456789abcdef01234567'
const DOCX = Buffer.from('504b0304', 'hex')

const token = (secret: string) => forgedToken({ iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300 }, { secret })

/** An application whose hooks and storage tell when they are used. */
async function startWatched (t: import('tap').Test, options: HostOptions = {}) {
  const used: string[] = []
  const host = await startHost(t, {
    authorize: () => { used.push('authorize'); return undefined },
    onCallback: () => { used.push('onCallback') },
    onSaved: () => { used.push('onSaved') },
    onSaveFailed: () => { used.push('onSaveFailed') },
    ...options
  })
  const { storage } = host
  for (const name of ['stat', 'read', 'create', 'replace'] as const) {
    const original = storage[name].bind(storage) as (...args: unknown[]) => unknown
    Object.assign(storage, { [name]: (...args: unknown[]) => { used.push(name); return original(...args) } })
  }
  const post = async (url: string, body = '{"status":2,"url":"http://127.0.0.1:9/x"}') => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return { status: response.status, text: await response.text() }
  }
  return { host, used, post }
}

t.test('a probe is answered before any hook, file or session', async t => {
  for (const options of [{}, { profile: 'classic' as const }, { signedUrls: false }]) {
    const { host, used, post } = await startWatched(t, options)
    const download = await fetch(host.urls.probe('download', ID))
    t.equal(download.status, 200)
    t.ok(Buffer.from(await download.arrayBuffer()).subarray(0, 4).equals(DOCX), 'a document')
    t.match(await post(host.urls.probe('callback', ID)), { status: 200, text: /^\{"error":0,"probe":/ })
    t.strictSame(used, [], 'and nothing of the application was used')
  }
})

t.test('the answer to a probe of the callback URL is signed, and says what arrived', async t => {
  const { host, post } = await startWatched(t)
  await fetch(host.urls.probe('download', ID), {
    headers: {
      authorization: `Bearer ${token(SECRET)}`,
      'x-other': `JWT ${token(OTHER_SECRET)}`,
      'x-basic': 'Basic dTpw'
    }
  })
  const { probe, signature } = JSON.parse((await post(host.urls.probe('callback', ID), 'x'.repeat(100_000))).text)
  t.equal(host.urls.isProbeAnswer(ID, probe, signature), true)
  t.equal(host.urls.isProbeAnswer(ID.replace('0123', '3210'), probe, signature), false, 'not for another probe')
  t.equal(host.urls.isProbeAnswer(ID, `${probe} `, signature), false, 'not for another content')
  const answer = JSON.parse(probe)
  t.equal(answer.bytes, 100_000)
  t.match(answer.sightings, [{ action: 'download', isSigned: true, host: new URL(host.origin).host }, { action: 'callback' }])
  t.match(answer.sightings[0].tokens, [
    { header: 'authorization', prefix: 'Bearer ', isExpectedThere: true, issuedSecondsAgo: Number },
    { header: 'x-other', prefix: 'JWT ', isExpectedThere: false, fault: { problem: 'is signed with another secret' } }
  ])
  t.equal(answer.sightings[0].tokens.length, 2)
  t.notMatch(probe, /eyJ|dTpw/, 'but no token')
})

t.test('signatures: one for a probe opens no file, one for a file is none for a probe, and each is for one action', async t => {
  const { host, post } = await startWatched(t)
  const { fileId } = await host.storage.create('txt', Buffer.from('a document'))
  const signatureOf = (url: string) => new URL(url).searchParams
  const withFile = (url: string, id: string) => { const copy = new URL(url); copy.searchParams.set('fileId', id); return copy.href }
  const withAction = (url: string, action: string) => { const copy = new URL(url); copy.searchParams.set('action', action); return copy.href }

  t.equal((await fetch(withFile(host.urls.probe('download', ID), fileId))).status, 403, 'a probe\'s signature for a file')
  t.equal((await fetch(withFile(host.urls.download(fileId), ID))).status, 403, 'a file\'s signature for a probe')
  t.equal((await fetch(withAction(host.urls.probe('callback', ID), 'download'))).status, 403)
  t.match(await post(withAction(host.urls.probe('download', ID), 'callback')), { text: '{"error":1}' })
  t.match(await post(withFile(host.urls.probe('callback', ID), fileId)), { text: '{"error":1}' }, 'it saves nothing')
  t.match(await post(withFile(host.urls.callback(fileId), ID)), { text: '{"error":1}' })
  t.match(await post(host.urls.callback(ID)), { text: '{"error":1}' }, 'a callback URL for a fileId that looks like a probe needs a token')
  const proxyToken = host.urls.proxyToken(ID)
  t.equal(
    (await fetch(
      host.handler({
        action: 'download',
        fileId: ID,
        expires: proxyToken.split('.')[0]!,
        signature: proxyToken.split('.')[1]!
      })
    )).status,
    403,
    'a proxy token'
  )
  t.equal(
    (await fetch(`${host.origin}/Controls/Editor/EditorHandler.ashx?action=download&fileId=${ID}`)).status,
    401,
    'no signature'
  )
  t.ok(signatureOf(host.urls.probe('download', ID)).has('expires'))
})

t.test('a file whose ID looks like a probe is a file like any other', async t => {
  const { host } = await startWatched(t)
  const { fileId } = await host.storage.create('txt', Buffer.from('a document'))
  const { storage } = host
  const { stat, read } = storage
  Object.assign(storage, { stat: async () => await stat.call(storage, fileId), read: async () => await read.call(storage, fileId) })
  t.equal(await (await fetch(host.urls.download(ID))).text(), 'a document')
})

t.test('a probe expires after five minutes, and one of another application or another secret is none', async t => {
  const clock = fakeClock()
  const { host, post } = await startWatched(t, { clock })
  const [download, callback] = [host.urls.probe('download', ID), host.urls.probe('callback', ID)]
  await clock.advance(299_000)
  t.equal((await fetch(download)).status, 200)
  await clock.advance(2_000)
  t.not((await fetch(download)).status, 200)
  t.match(await post(callback), { text: '{"error":1}' })

  const foreign = { path: '/Controls/Editor/EditorHandler.ashx', signedUrls: true, downloadUrlLifetime: 1000, clock }
  for (
    const urls of [
      handlerUrls({ ...foreign, publicBaseUrl: host.origin, secrets: [OTHER_SECRET] }),
      handlerUrls({ ...foreign, publicBaseUrl: 'http://other.test', secrets: [SECRET] })
    ]
  ) {
    t.not((await fetch(urls.probe('download', ID).replace('http://other.test', host.origin))).status, 200)
  }
})

t.test('other methods and bodies that never end or are too large are refused', async t => {
  const { host, used } = await startWatched(t, { bodyLimit: 1000, timeouts: { body: 200 } })
  t.not((await fetch(host.urls.probe('download', ID), { method: 'HEAD' })).status, 200)
  t.equal((await fetch(host.urls.probe('callback', ID))).status, 405)
  const tooLarge = await fetch(host.urls.probe('callback', ID), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'x'.repeat(1001)
  }).then(async response => await response.text(), () => 'closed')
  t.match(tooLarge, /error":1|closed/)
  const endless = new ReadableStream({
    start (controller) {
      controller.enqueue(Buffer.from('x'))
    }
  })
  const unfinished = await fetch(
    host.urls.probe('callback', ID),
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: endless, duplex: 'half' } as RequestInit
  ).then(async response => await response.text(), () => 'closed')
  t.match(unfinished, /error":1|closed/)
  t.equal((await fetch(host.urls.probe('callback', ID), { method: 'POST' })).status, 200)
  t.strictSame(used.filter(name => name !== 'authorize' && name !== 'stat'), [])
})

t.test('what is remembered of probes is bounded', async t => {
  const { host } = await startSetUp(t)
  const idOf = (n: number) => ID.slice(0, -4) + String(n).padStart(4, '0')
  const sightingsOf = async (id: string) => {
    const response = await fetch(host.urls.probe('callback', id), { method: 'POST', headers: { 'content-type': 'application/json' }, body: 'x' })
    return JSON.parse((await response.json() as { probe: string }).probe).sightings.length
  }
  for (let count = 0; count < 15; count++) await fetch(host.urls.probe('download', ID))
  t.equal(await sightingsOf(ID), 10, 'ten requests of a probe')
  for (let n = 0; n < 60; n++) await fetch(host.urls.probe('download', idOf(n)))
  t.equal(await sightingsOf(ID), 1, 'and fifty probes: the oldest are forgotten')
})
