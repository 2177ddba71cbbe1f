import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import t, { type Test } from 'tap'
import { type ActionOptions, fragmentType } from '../../lib/index.js'
import { choose, editorFrame, startBrowser } from '../kit/browser.js'
import { createCertificate } from '../kit/network.js'
import { HANDLER, type Host, type HostOptions, startHost } from '../kit/host.js'
import { startDocumentServer } from '../kit/document-server.js'
import { nginxProgram, startNginx } from '../kit/programs.js'

const browser = await startBrowser(t)
const skip = browser.missing
const MODULE = /\/assets\/editor-[0-9a-f]{12}\.js$/

interface ServiceOptions extends HostOptions {
  /** A server that passes requests on to the host. */
  readonly front?: (pass: (request: IncomingMessage, response: ServerResponse) => void) => Server
  /** The path of `publicBaseUrl`, which leads to the front. */
  readonly basePath?: string
  /** Whether `control.links` are sent, too. */
  readonly hasLinks?: boolean
  /** Makes a page of the fragments of two documents. */
  readonly page?: (first: string, second: string) => string
}

/** Pages with an editor, which have a strict policy. */
async function start (t: Test, { front, basePath, hasLinks = false, page = first => first, ...options }: ServiceOptions = {}) {
  const documentServer = await startDocumentServer(t)
  const fileIds: string[] = []
  const server = front?.((request, response) => host.app.routing(request, response))
  if (server) await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = (server?.address() as AddressInfo | undefined)?.port
  const host: Host = await startHost(t, {
    documentServerOrigin: documentServer.url,
    ...options,
    ...(basePath && { publicBaseUrl: `http://127.0.0.1:${port}${basePath}` }),
    prepare (app) {
      const rendered = async () =>
        await Promise.all(
          fileIds.map(async fileId =>
            (await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)).render()
          )
        )
      app.get('/fragment', async (_request, reply) => reply.type(fragmentType).send((await rendered())[1]))
      app.get('/page', async (request, reply) => {
        const { links } = app.editorControl()
        if (hasLinks && request.raw.httpVersionMajor > 1) reply.writeEarlyHints({ link: links })
        if (hasLinks) reply.header('link', links)
        const [first, second] = await rendered()
        return await reply.type('text/html')
          .header('content-security-policy', `default-src 'none'; script-src 'self' ${documentServer.url}; frame-src ${documentServer.url}; connect-src 'self'; img-src data:; base-uri 'none'`)
          .send(`<!DOCTYPE html><html lang="en"><title>Editor</title><link rel="icon" href="data:,">${page(first!, second!)}`)
      })
    }
  })
  for (const text of ['first', 'second']) fileIds.push((await host.storage.create('txt', Buffer.from(text))).fileId)
  // When no page keeps a connection to it.
  if (server) t.teardown(() => { server.close() })

  const { page: tab, problems } = await browser.newPage(t, { ignoreHTTPSErrors: true })
  tab.on('console', message => { if (message.type() === 'warning') problems.push(message.text()) })
  return {
    host,
    tab,
    problems,
    port,
    origin: host.origin,
    /**
     * What the page asks the network for until its editor is ready, in the order of the requests: from the application,
     * and of the document server's scripts.
     */
    async open (url: string) {
      const session = await tab.context().newCDPSession(tab)
      await session.send('Network.enable')
      const asked = new Map<string, string>()
      session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type }) => {
        if (!url.startsWith('data:')) {
          asked.set(requestId, type === 'Document' && url.startsWith(documentServer.url) ? '' : url)
        }
      })
      session.on('Network.requestServedFromCache', ({ requestId }) => {
        asked.delete(requestId)
      })
      await tab.goto(url)
      await editorFrame(tab)
      await session.detach()
      const urls = [...asked.values()]
      return {
        own: urls.filter(asked => asked.startsWith(new URL(url).origin)).map(asked => asked.slice(new URL(url).origin.length)),
        api: urls.filter(asked => asked.endsWith('/api.js')).length
      }
    }
  }
}

const ways: Readonly<Record<string, { readonly options?: ServiceOptions, readonly path?: string, readonly scheme?: string }>> = {
  'over HTTP/1.1': {},
  'behind a proxy that takes a prefix away': {
    options: {
      basePath: '/office',
      front: pass => createServer((request, response) => {
        request.url = request.url!.replace(/^\/office/, '')
        pass(request, response)
      })
    },
    path: '/office'
  },
  'over HTTP/2, with its links in Early Hints': {
    options: { hasLinks: true, front: pass => createSecureServer(createCertificate(), pass as never) },
    scheme: 'https'
  }
}

for (const [way, { options = {}, path = '', scheme = 'http' }] of Object.entries(ways)) {
  t.test(`${way}: a page asks for itself and one module, a second time for itself only, and once for api.js, with no warning of the browser`, { skip }, async t => {
    const { open, port, origin, problems, tab } = await start(t, options)
    const url = `${port === undefined ? origin : `${scheme}://127.0.0.1:${port}`}${path}/page`
    const cold = await open(url)
    t.match(cold.own, [`${path}/page`, MODULE])
    t.strictSame([cold.own.length, cold.api], [2, 1])
    t.equal(
      await tab.evaluate('performance.getEntriesByType("navigation")[0].nextHopProtocol'),
      scheme === 'https' ? 'h2' : 'http/1.1'
    )
    await tab.goto('about:blank')
    t.strictSame((await open(url)).own, [`${path}/page`])
    t.strictSame(problems, [])
  })
}

t.test('behind an nginx that takes a path away, of which publicBaseUrl knows nothing: publicPath is for the pages alone', {
  skip: skip || (nginxProgram() === undefined && 'This machine has no nginx')
}, async t => {
  const renamed: string[] = []
  const actions: ActionOptions = { rename ({ title }) { renamed.push(title) } }
  const { host, open, problems, tab } = await start(t, { publicPath: '/office', actions })
  const { origin } = await startNginx(t, `location /office/ { proxy_set_header Host internal.invalid; proxy_pass ${host.origin}/; }`)
  const { own, api } = await open(`${origin}/office/page`)
  t.match(own, ['/office/page', /^\/office\/Controls\/.*\/assets\/editor-[0-9a-f]{12}\.js$/])
  t.strictSame([own.length, api], [2, 1])
  const editor = tab.frameLocator('[data-onlyoffice-editor] iframe')
  await choose(editor, 'Rename…')
  await editor.getByRole('dialog').getByLabel('Name').fill('Annual report')
  const answer = tab.waitForResponse(/\/actions\/rename$/)
  await editor.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
  t.equal(new URL((await answer).url()).pathname, `/office${HANDLER}/actions/rename`)
  t.strictSame(renamed, ['Annual report.txt'])
  t.strictSame(problems, [])
})

const ELEMENT = `<script type="module" src="${HANDLER}/assets/document-editor.js"></script>`
const pages: Readonly<Record<string, (first: string, second: string) => string>> = {
  'two fragments': (first, second) => first + second,
  'a fragment and an element that fetches one': first => `${ELEMENT}${first}<document-editor src="/fragment"></document-editor>`,
  'a fragment and an element around one': (first, second) => `${first}<document-editor>${second}</document-editor>${ELEMENT}`
}

for (const [what, page] of Object.entries(pages)) {
  t.test(`a page with ${what} mounts each editor once, with one module and one api.js`, { skip }, async t => {
    const { open, origin, problems, tab } = await start(t, { page })
    const { own, api } = await open(`${origin}/page`)
    await tab.locator('[data-onlyoffice-editor] > iframe').nth(1).waitFor()
    for (const index of [0, 1]) await tab.frameLocator('iframe').nth(index).locator('[data-content][aria-busy="false"]').waitFor()
    t.equal(await tab.locator('iframe').count(), 2)
    t.equal(own.filter(url => MODULE.test(url)).length, 1)
    t.equal(api, 1)
    const isSameModule =
      `import('${HANDLER}/assets/editor.js').then(({ CaptureError }) => document.createElement('document-editor').capture().catch(error => error instanceof CaptureError))`
    t.equal(!what.includes('element') || await tab.evaluate(isSameModule), true)
    t.strictSame(problems, [])
  })
}

t.test('a page of another release works with this one\'s module', { skip }, async t => {
  const { open, origin, problems, tab } = await start(t, { page: first => first.replace(/editor-[0-9a-f]{12}\.js/, 'editor-000000000000.js') })
  const { own } = await open(`${origin}/page`)
  t.match(own, ['/page', /\/assets\/editor-(?!0{12})[0-9a-f]{12}\.js$/], 'the browser follows a redirect to it')
  t.equal(
    await tab.evaluate(
      `import('${HANDLER}/assets/editor-000000000000.js').then(({ captureDocument }) => captureDocument()).then(file => file.text())`
    ),
    'first'
  )
  t.strictSame(problems, [])
})
