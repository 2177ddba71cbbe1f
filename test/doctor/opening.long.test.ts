import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { type DoctorFinding, type EditorControlDefaults, memoryStorage, type EditorStorage } from '../../lib/index.js'
import { type Host, type HostOptions, startHost } from '../kit/host.js'
import { SECRET } from '../kit/document-server.js'
import { memoryLog } from '../kit/log.js'

const MINUTE = 60_000
const START = Date.parse('2026-03-04T05:06:07.000Z')

interface Watched extends Host {
  readonly fileId: string
  readonly storage: EditorStorage
  /** Makes a page with the document, as the application does. */
  page (defaults?: EditorControlDefaults): Promise<{ readonly key: string, readonly url: string, readonly callbackUrl: string, readonly proxyToken: string }>
  /** Milliseconds. */
  later (time: number): void
  /** What the doctor says about opening the document, by code. */
  explain (fileId?: string): Promise<Record<string, DoctorFinding>>
}

/**
 * A service with a document and a clock that a test moves. The document server is down: only the explanation counts
 * here.
 */
async function start (t: Test, options: Omit<HostOptions, 'clock'> = {}): Promise<Watched> {
  let now = START
  const host = await startHost(t, { ...options, clock: { now: () => now } })
  const { fileId } = await host.storage.create('docx', Buffer.from('PK content'))
  return {
    ...host,
    fileId,
    async page (defaults = {}) {
      const control = await host.app.editorControl(defaults).openDocument(fileId)
      const { document, editorConfig } = control.config!
      return { key: document!.key!, url: document!.url!, callbackUrl: editorConfig!.callbackUrl!, proxyToken: control.proxyToken }
    },
    later (time) { now += time },
    async explain (asked = fileId) {
      const { findings } = await host.app.editorDoctor({ fileId: asked, timeout: 1 })
      return Object.fromEntries(findings.filter(({ code }) => /^(OPENING|CALLBACK)_/.test(code)).map(finding => [finding.code, finding]))
    }
  }
}

t.test('of a document that no page shows, the doctor knows nothing and says that other instances are not included', async t => {
  const { explain } = await start(t)
  const { OPENING_UNKNOWN, OPENING_FILE } = await explain()
  t.match(OPENING_UNKNOWN, { status: 'skipped', evidence: /^Since 2026-03-04 05:06:07 UTC, this process has made no page .* other instances/ })
  t.match(OPENING_FILE, { status: 'ok', evidence: /format docx, size 10 bytes/ })

  const absent = await explain('absent')
  t.match(absent.OPENING_NO_FILE, { status: 'error', remedy: /all instances of the application use one storage/ })
})

t.test('a page whose document was never asked for is told apart from one that was made just now', async t => {
  const { page, explain, later } = await start(t)
  await page()
  t.match(await explain(), {
    OPENING_NEVER_ASKED: { status: 'skipped', evidence: /has not asked for the document yet/ },
    OPENING_PAGE: { evidence: /05:06:07 UTC, for editing/ }
  })
  later(MINUTE)
  t.match(await explain(), {
    OPENING_NEVER_ASKED: {
      status: 'error',
      evidence: /^The page was made at 2026-03-04 05:06:07 UTC.*cannot reach publicBaseUrl/,
      remedy: /services\.CoAuthoring\.secret\.inbox/
    }
  })
})

t.test('a document that was served is reported with the time, whether whole, in part, or not modified', async t => {
  const { page, explain, later } = await start(t)
  const { url } = await page()
  later(MINUTE)
  const response = await fetch(url)
  t.equal(await response.text(), 'PK content')
  t.match(await explain(), { OPENING_SERVED: { status: 'ok', evidence: 'The download of the document succeeded at 2026-03-04 05:07:07 UTC.' } })

  later(1000)
  t.equal((await fetch(url, { headers: { range: 'bytes=0-1' } })).status, 206)
  t.equal((await fetch(url, { headers: { 'if-none-match': response.headers.get('etag')!, 'cache-control': 'max-age=0' } })).status, 304)
  t.match(await explain(), { OPENING_SERVED: { evidence: 'The download of the document succeeded at 2026-03-04 05:07:08 UTC (3 times in succession).' } })

  await fetch(url, { method: 'HEAD' })
  t.match(await explain(), { OPENING_SERVED: { evidence: /3 times/ } }, 'a HEAD request is not one of the document server')
})

t.test('a document that was refused is reported with code, reason and time', async t => {
  const { page, explain, later } = await start(t, {
    downloadUrlLifetime: 10 * MINUTE,
    authorize: (_target, { request }) => request.headers['x-deny'] === 'yes' ? false : undefined
  })
  const { url } = await page()
  later(1000)
  t.equal((await fetch(url, { headers: { 'x-deny': 'yes' } })).status, 403)
  t.match(await explain(), {
    OPENING_REFUSED: {
      status: 'error',
      evidence: /05:06:08 UTC: FST_EDITOR_FORBIDDEN \(.*denied by authorize\)/,
      remedy: /troubleshooting\.md#errors/
    }
  })

  later(11 * MINUTE)
  t.equal((await fetch(url)).status, 403)
  t.match(await explain(), { OPENING_REFUSED: { evidence: /05:17:08 UTC: FST_EDITOR_FORBIDDEN \(.*expired/ } })

  const { url: fresh } = await page()
  t.equal((await fetch(fresh)).status, 200)
  const findings = await explain()
  t.notOk(findings.OPENING_REFUSED, 'what a later request got replaces it')
  t.ok(findings.OPENING_SERVED)
})

t.test('a hook of the application that answers before the plugin is found, for downloads and callbacks', async t => {
  const { page, explain, keys, storage, fileId } = await start(t, {
    prepare (app) {
      app.addHook('onRequest', async () => {
        throw Object.assign(new Error('log in'), { statusCode: 401, code: 'APP_LOGIN' })
      })
    }
  })
  const { url, callbackUrl } = await page()
  await fetch(url, { redirect: 'manual' })
  t.match(await explain(), {
    OPENING_ANSWERED_BY_APPLICATION: {
      status: 'error',
      evidence: /by the application itself with status 401, before the plugin/,
      remedy: /config\.onlyoffice\.caller is 'document-server'/
    }
  })

  const body = JSON.stringify({ status: 1, key: keys.of((await storage.stat(fileId))!) })
  await fetch(callbackUrl, { method: 'POST', body, redirect: 'manual' })
  t.match(await explain(), { CALLBACK_ANSWERED_BY_APPLICATION: { status: 'error', evidence: /with status 401/ } })
})

t.test('a download whose connection ends is reported as interrupted', async t => {
  const storage = memoryStorage()
  const body = new Readable({ read () {} })
  const { page, explain, fileId } = await start(t, { storage: { ...storage, read: async fileId => ({ info: (await storage.stat(fileId))!, body }) } })
  const { url } = await page()
  const { hostname, port, pathname, search } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  body.push('PK')
  await once(socket, 'data')
  socket.destroy()
  await once(body, 'close')
  t.match(await explain(fileId), { OPENING_INTERRUPTED: { status: 'error', remedy: /proxies/ } })
})

t.test('callbacks: the last one counts, but a refused save stays until a save is accepted', async t => {
  const { page, explain, later, postSignedCallback, postCallback, fileId } = await start(t, { saveRetries: 0 })
  const { key } = await page()
  later(1000)
  t.equal((await postSignedCallback(fileId, { key, status: 1, users: ['ada'] })).body, '{"error":0}')
  t.match(await explain(), {
    CALLBACK_ACCEPTED: { status: 'ok', evidence: 'A callback with status 1 succeeded at 2026-03-04 05:06:08 UTC.' },
    OPENING_CACHED: { status: 'ok' }
  })

  later(1000)
  t.equal((await postCallback(fileId, { key, status: 1, token: 'eyJ.eyJ.x' })).body, '{"error":1}')
  t.match(await explain(), {
    CALLBACK_REFUSED: {
      status: 'error',
      evidence: /status 1 was refused at 2026-03-04 05:06:09 UTC: FST_EDITOR_UNAUTHORIZED \(/,
      remedy: /"callback refused"/
    }
  })

  // No document server answers there.
  t.equal(
    (await postSignedCallback(fileId, {
      key,
      status: 2,
      url: 'http://127.0.0.1:9/cache/files/data/k/output.docx/output.docx',
      filetype: 'docx'
    })).body,
    '{"error":1}'
  )
  t.equal((await postSignedCallback(fileId, { key, status: 1, users: ['ada'] })).body, '{"error":0}')
  t.match(await explain(), { CALLBACK_REFUSED: { status: 'error', evidence: /status 2 .*FST_EDITOR_UPSTREAM/ } })
})

t.test('a document that was served without any callback is a warning, unless the page is for viewing', async t => {
  for (const mode of ['edit', 'view'] as const) {
    const { page, explain, later } = await start(t)
    await (await fetch((await page({ mode })).url)).text()
    t.notOk((await explain()).OPENING_NOT_JOINED, 'not at once')
    later(MINUTE)
    t.match((await explain()).OPENING_NOT_JOINED, mode === 'edit' ? { status: 'warning', remedy: /POST to publicBaseUrl/ } : undefined, mode)
  }
})

t.test('what a page reports is told until users have joined', async t => {
  const log = memoryLog()
  const { page, explain, origin, handler, fileId, postSignedCallback, later } = await start(t, { server: log.server })
  const { key, proxyToken } = await page()
  const { status } = await fetch(handler({ action: 'report', fileId, code: '-4' }), { method: 'POST', headers: { 'x-editor-proxy-token': proxyToken, origin } })
  t.equal(status, 204)
  t.match(
    log.text(),
    /a document did not open in the browser: .*never asked for the document: it cannot reach publicBaseUrl/,
    'the log tells what the handler saw, too'
  )
  t.match(await explain(), {
    OPENING_REPORTED: { status: 'error', evidence: /05:06:07 UTC a page reported: code -4/ },
    OPENING_NEVER_ASKED: { status: 'error' }
  }, 'after a report there is nothing left to wait for')
  later(1000)
  await postSignedCallback(fileId, { key, status: 1, users: ['ada'] })
  t.notOk((await explain()).OPENING_REPORTED)
})

t.test('requests of strangers count apart: they are not taken for the document server and drive nothing out', async t => {
  const { app, page, explain, later, handler, fileId } = await start(t)
  await page()
  later(MINUTE)
  for (const query of [{}, { signature: 'x', expires: '99999999999' }]) {
    t.match((await fetch(handler({ action: 'download', fileId, ...query }))).status, /40[13]/)
    t.equal((await (await fetch(handler({ action: 'callback', fileId, ...query }), { method: 'POST', body: '{"status":1}' })).text()), '{"error":1}')
  }
  t.match(await explain(), {
    OPENING_UNSIGNED: { status: 'warning', evidence: /^4 requests .*FST_EDITOR_FORBIDDEN/, remedy: /differ in jwtSecret/ }
  })

  for (let id = 0; id < 1000; id++) await app.inject(handler({ action: 'download', fileId: `stranger-${id}` }))
  const { OPENING_PAGE, OPENING_UNSIGNED } = await explain()
  t.match(OPENING_PAGE, { status: 'ok' }, 'the history of the page is still there')
  t.notOk(OPENING_UNSIGNED, 'the number of counters is limited')
  t.match(await explain('stranger-999'), { OPENING_UNSIGNED: { evidence: /^One request/ }, OPENING_UNKNOWN: {} })
})

t.test('in the profile classic, requests without credentials count only for documents that a page shows', async t => {
  const { page, explain, fileId, storage, handler } = await start(t, { profile: 'classic', jwtSecret: SECRET })
  const { fileId: other } = await storage.create('docx', Buffer.from('x'))
  for (const id of [fileId, other]) await (await fetch(handler({ action: 'download', fileId: id }))).text()
  t.ok((await explain(other)).OPENING_UNKNOWN)
  t.ok((await explain()).OPENING_UNKNOWN)
  const { url } = await page()
  await (await fetch(url)).text()
  t.ok((await explain()).OPENING_SERVED)
})

t.test('the history is limited: 20 events of each of 1000 documents', async t => {
  const { app, page, explain, storage, fileId } = await start(t, { authorize: (_target, { request: { headers } }) => headers['x-deny'] === undefined ? undefined : false })
  const { url } = await page()
  const download = async (event: number) => await (await fetch(url, { headers: event % 2 === 0 ? {} : { 'x-deny': 'yes' } })).text()
  for (let event = 1; event < 20; event++) await download(event)
  t.match(await explain(), { OPENING_PAGE: { status: 'ok' }, OPENING_REFUSED: {} })
  await download(20)
  t.match(await explain(), { OPENING_PAGE: { status: 'skipped', evidence: /only the last 20 events/ }, OPENING_SERVED: {} })

  for (let i = 0; i < 1000; i++) {
    const { fileId } = await storage.create('txt', Buffer.from(String(i)))
    assert.ok((await app.editorControl().openDocument(fileId)).config)
  }
  t.ok((await explain(fileId)).OPENING_UNKNOWN, 'the oldest is forgotten')
})

t.test('no explanation contains a signature, a token or a query', async t => {
  const { page, explain, handler, fileId, postCallback } = await start(t, { authorize: () => { throw new Error('private words') } })
  const { url, callbackUrl, key } = await page()
  await fetch(url)
  await fetch(handler({ action: 'download', fileId, signature: 'stranger' }))
  await postCallback(fileId, { key, status: 2, token: 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl' }, {
    authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl'
  })
  const told = JSON.stringify(await explain())
  t.match(told, 'OPENING_REFUSED')
  t.match(told, 'CALLBACK_REFUSED')
  for (const secret of [
    SECRET,
    'private words',
    'eyJ',
    new URL(url).searchParams.get('signature')!,
    new URL(callbackUrl).searchParams.get('signature')!,
    'action='
  ]) t.notOk(told.includes(secret), secret)
})
