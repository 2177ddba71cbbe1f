import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createDocumentServer, fakeClock } from 'onlyoffice-emulator'
import t, { type Test } from 'tap'
import { createApp } from '../../examples/rate-limit/app.js'
import { memoryStorage } from '../../lib/index.js'
import { SECRET } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { searchedLog } from '../kit/log.js'
import { plainEnvironment, root, temporaryDirectory } from '../kit/programs.js'

const PER_MINUTE = 5
const FLOOD = 20
const DOCUMENT_SERVER = '127.0.0.1'

/**
 * The example behind a reverse proxy, which names its clients: the document server on the same machine is not behind
 * it.
 */
async function start (t: Test, { isNamed = true } = {}) {
  const documentServer = await createDocumentServer({ jwtSecret: SECRET, clock: fakeClock({ autoAdvance: true }), libreOffice: false })
  t.teardown(() => documentServer.close())
  const httpServer = http.createServer()
  const { origin } = await listen(t, httpServer)
  const storage = memoryStorage()
  const app = await createApp({
    perMinute: PER_MINUTE,
    ...(isNamed && { documentServerAddress: DOCUMENT_SERVER }),
    server: {
      logger: searchedLog(t, [SECRET]),
      trustProxy: DOCUMENT_SERVER,
      serverFactory: handler => httpServer.on('request', handler)
    },
    editor: {
      editorApiUrl: documentServer.editorApiUrl,
      jwtSecret: SECRET,
      publicBaseUrl: origin,
      storage,
      proxy: { allow: [{ origin: documentServer.url, path: '/healthcheck' }] }
    }
  })
  t.teardown(() => app.close())
  await app.ready()
  const { fileId } = await storage.create('txt', Buffer.from('first draft'))
  const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)

  return {
    origin,
    fileId,
    documentServer,
    control,
    async stored () {
      const file = await storage.read(fileId)
      return file && Buffer.concat(await file.body.toArray()).toString()
    },
    /** As often as `FLOOD` says, all at once, from one client. */
    flood: (url: string, client: string, { method = 'GET', headers = {} } = {}) => Promise.all(Array.from({ length: FLOOD }, async () => {
      const response = await fetch(url, { method, headers: { ...headers, 'x-forwarded-for': client } })
      return { status: response.status, headers: response.headers, body: await response.text() }
    }))
  }
}

function count (answers: ReadonlyArray<{ readonly status: number }>, status: number): number {
  return answers.filter(answer => answer.status === status).length
}

t.test('rate limit example: a flood of downloads or proxy requests is answered 429; other clients are not limited', async t => {
  const { origin, fileId, documentServer, control, flood } = await start(t)
  const proxied = `${origin}/editor?action=proxy&fileId=${fileId}&url=${encodeURIComponent(`${documentServer.url}/healthcheck`)}`
  const headers = { 'x-editor-proxy-token': control.proxyToken }

  for (const [number, url] of [control.documentUrl!, proxied].entries()) {
    const answers = await flood(url, `203.0.113.${number}`, { headers })
    t.equal(count(answers, 200), PER_MINUTE)
    t.equal(count(answers, 429), FLOOD - PER_MINUTE)
    const limited = answers.find(({ status }) => status === 429)!
    t.ok(Number(limited.headers.get('retry-after')) > 0)
    t.equal(limited.headers.get('content-type'), 'text/plain')
    t.match(limited.body, /^Rate limit exceeded/)
    const other = await fetch(url, { headers: { ...headers, 'x-forwarded-for': '198.51.100.1' } })
    t.equal(other.status, 200)
    await other.body?.cancel()
  }
  t.equal(documentServer.receivedRequests.filter(({ url }) => url.startsWith('/healthcheck')).length, PER_MINUTE + 1, 'a limited request is not fetched')
})

t.test('rate limit example: requests without a credential count too', async t => {
  const { origin, flood } = await start(t)
  const answers = await flood(`${origin}/editor?action=download&fileId=guess`, '203.0.113.1')
  t.equal(count(answers, 401), PER_MINUTE)
  t.equal(count(answers, 429), FLOOD - PER_MINUTE)
})

t.test('rate limit example: the document server is not limited when it opens documents for many users', async t => {
  const { control, flood } = await start(t)
  t.equal(count(await flood(control.documentUrl!, DOCUMENT_SERVER), 200), FLOOD)
})

t.test('rate limit example: callbacks count unless they come from the document server, and are refused before their body is read', async t => {
  const { control, documentServer, stored, flood } = await start(t)
  const session = await documentServer.open(control.config!)
  await session.edit('saved during the flood')
  const answers = await flood(control.callbackUrl!, '203.0.113.1', { method: 'POST' })
  t.equal(count(answers, 200), PER_MINUTE)
  t.equal(count(answers, 429), FLOOD - PER_MINUTE)
  t.match(await session.close(), { accepted: true })
  t.equal(await stored(), 'saved during the flood')
})

t.test('rate limit example: requests for the page\'s module do not count', async t => {
  const { origin, flood } = await start(t)
  t.equal(count(await flood(`${origin}/editor/assets/editor.js`, '203.0.113.1'), 200), FLOOD)
})

t.test('rate limit example: a save arrives during a flood, even from an IP address of the document server that was not configured', async t => {
  const { origin, documentServer, control, stored, flood } = await start(t, { isNamed: false })
  const session = await documentServer.open(control.config!)
  const flooded = await flood(`${origin}/editor?action=proxy`, DOCUMENT_SERVER)
  t.ok(count(flooded, 429) >= FLOOD - PER_MINUTE)

  await session.edit('saved during the flood')
  const [downloads, callbacks, result] = await Promise.all([
    flood(control.documentUrl!, DOCUMENT_SERVER),
    flood(control.callbackUrl!, DOCUMENT_SERVER, { method: 'POST' }),
    session.close()
  ])
  t.equal(count(downloads, 429), FLOOD)
  t.strictSame(new Set(callbacks.map(({ body }) => body)), new Set(['{"error":1}']), 'a forged request is refused')
  t.match(result, { status: 2, httpStatus: 200, answer: { error: 0 }, accepted: true })
  t.equal(await stored(), 'saved during the flood')
  t.equal(documentServer.forgotten.size, 0)
})

t.test('rate limit example: its server starts with the settings its README lists', async t => {
  const child = spawn(process.execPath, [join(root, 'examples/rate-limit/server.js')], {
    cwd: await temporaryDirectory(t),
    env: {
      ...plainEnvironment,
      EDITOR_API_URL: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: 'http://127.0.0.1:9',
      DOCUMENT_SERVER_ADDRESS: '192.0.2.10',
      TRUST_PROXY: '127.0.0.1',
      PORT: '0'
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill()
    await exited
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const url = `${/http:[^"]+/.exec(line)?.[0]}/editor?action=download&fileId=guess`
  const refused = async (client: string) =>
    (await Promise.all(Array.from({ length: 121 }, () => fetch(url, { headers: { 'x-forwarded-for': client } }))))
      .filter(({ status }) => status === 429).length

  t.equal(await refused('203.0.113.1'), 1)
  t.equal(await refused('192.0.2.10'), 0)
})
