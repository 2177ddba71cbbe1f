import t from 'tap'
import type { Page } from 'playwright-core'
import { editorFrame, shownText, startBrowser, textBox } from '../kit/browser.js'
import { fragmentType } from '../../lib/index.js'
import { HANDLER, startHost } from '../kit/host.js'
import { startDocumentServer } from '../kit/document-server.js'
import { startUpstream } from '../kit/http.js'

const browser = await startBrowser(t)
const skip = browser.missing

t.test('<document-editor> with a fragment or a URL: one editor, its events, captures and closing; another src, moving and removing it; what cannot be fetched is told', { skip }, async t => {
  const documentServer = await startDocumentServer(t)
  const fileIds: Record<string, string> = {}
  const elsewhere = await startUpstream(t, (_request, response) =>
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': fragmentType }).end('<div>'))
  let ended = (_status: number) => {}
  const host = await startHost(t, {
    documentServerOrigin: documentServer.url,
    onCallback: ({ status }) => {
      if (status !== 1) {
        ended(status)
      }
    },
    prepare (app) {
      const rendered = async (name: string) =>
        (await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileIds[name]!)).render()
      const policy =
        `default-src 'none'; script-src 'self' ${documentServer.url}; frame-src ${documentServer.url}; connect-src 'self' ${elsewhere.origin}; img-src data:`
      const head =
        `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${HANDLER}/assets/document-editor.js"></script>`
      app.get('/inside', async (_request, reply) =>
        reply.type('text/html').header('content-security-policy', policy)
          .send(`${head}<document-editor events="onRequestClose">${await rendered('first')}</document-editor>`))
      app.get('/outside', async (_request, reply) =>
        reply.type('text/html').header('content-security-policy', policy).send(`${head}<main></main>`))
      app.get('/first', async (_request, reply) =>
        reply.type(fragmentType).send(
          `<!DOCTYPE html><p id="around">Around</p>${await rendered(
            'first'
          )}<script>document.title = 'script'</script>`
        ))
      app.get('/second', async (_request, reply) =>
        reply.type(fragmentType.toUpperCase()).send(await rendered('second')))
      app.get('/nothing-rendered', async (_request, reply) =>
        reply.type(fragmentType).send('<!DOCTYPE html><p>Nothing'))
      app.get('/away', async (_request, reply) => reply.redirect(elsewhere.origin))
    }
  })
  for (const name of ['first', 'second']) {
    fileIds[name] = (await host.storage.create('txt', Buffer.from(`the ${name} content`))).fileId
  }
  const text = async (page: Page) =>
    await shownText(await editorFrame(page))

  const { page, problems } = await browser.newPage(t)
  let isCut = false
  await page.routeWebSocket(/\/doc\/socket$/, socket => {
    const server = socket.connectToServer()
    socket.onMessage(message => {
      if (!isCut) server.send(message)
    })
  })
  await page.goto(`${host.origin}/inside`)
  t.equal(await text(page), 'the first content')
  t.equal(await page.locator('iframe').count(), 1, 'although the fragment has its own script, too')
  await page.evaluate(`const element = document.querySelector('document-editor')
    isClosed = false
    element.addEventListener('requestclose', async event => { event.preventDefault(); await element.close(); isClosed = true })`)
  await textBox(page.frameLocator('iframe')).press('Control+End')
  const ending = new Promise<number>(resolve => {
    ended = resolve
  })
  await page.keyboard.type('!')
  t.equal(
    await page.evaluate(
      'document.querySelector("document-editor").capture({ fileType: "txt" }).then(file => file.text())'
    ),
    'the first content!'
  )
  t.equal(
    await page.evaluate(
      'document.querySelector("document-editor").editor().then(({ downloadAs }) => typeof downloadAs)'
    ),
    'function'
  )
  await page.frameLocator('iframe').getByRole('button', { name: 'Close' }).click()
  await page.waitForFunction(() => (globalThis as unknown as { isClosed: boolean }).isClosed)
  t.equal(await page.locator('iframe').count(), 0)
  t.equal(await ending, 2)

  await page.goto(`${host.origin}/outside`)
  await page.evaluate(`errors = []
    element = document.createElement('document-editor')
    element.src = '/first'
    element.addEventListener('editorerror', ({ detail }) => errors.push(detail.errorDescription))
    document.querySelector('main').append(element)`)
  t.equal(await text(page), 'the first content!')
  t.equal(await page.title(), 'Page')
  t.equal(await page.locator('#around').count(), 0, 'only the data of the fragment get into the page')
  await Promise.all([page.waitForResponse(/\/second$/), page.evaluate('element.src = "/second"')])
  await page.frameLocator('iframe').locator('[data-content][aria-busy="false"]').waitFor()
  t.equal(await text(page), 'the second content')
  await Promise.all([page.waitForResponse(/\/second$/), page.evaluate('document.body.append(element)')])
  t.equal(await text(page), 'the second content', 'moved')
  await textBox(page.frameLocator('iframe')).press('Control+End')
  isCut = true
  await page.keyboard.type('?')
  await page.waitForFunction(() => (globalThis as unknown as { element: { isUnsent: boolean } }).element.isUnsent)
  t.strictSame(
    await page.evaluate('element.close({ force: true }).then(() => element.isUnsent)'),
    false,
    'what was given up is not unsent'
  )
  isCut = false
  await Promise.all([page.waitForResponse(/\/first$/), page.evaluate('element.src = "/first"')])
  t.equal(await text(page), 'the first content!')
  await page.evaluate('element.close().then(() => element.remove())')
  await page.waitForFunction(() =>
    !(globalThis as unknown as { element: { isConnected: boolean } }).element.isConnected
  )
  t.equal(await page.locator('iframe').count(), 0)
  t.equal(await page.evaluate('element.isUnsent'), false)
  t.strictSame(problems, [])

  for (const [src, message] of [
    ['/nothing', 'answered 404'],
    ['/nothing-rendered', 'is not the output of control.render()'],
    [elsewhere.origin, 'of the page\'s origin'],
    ['/away', 'another origin']
  ] as const) {
    await page.evaluate(`errors.length = 0; element.src = ${JSON.stringify(src)}; document.body.append(element)`)
    await page.locator('document-editor[data-error]').waitFor()
    t.match(
      await page.evaluate('[...errors, element.dataset.error]'),
      [message, message].map(text => new RegExp(text.replace(/[()]/g, '.')))
    )
    t.equal(await page.locator('iframe').count(), 0)
    await page.evaluate('element.remove(); delete element.dataset.error')
  }
})

t.test('<document-editor src> takes no answer that does not say by its media type that it is a fragment', { skip }, async t => {
  const documentServer = await startDocumentServer(t)
  let markup = ''
  const types: Record<string, string> = {
    html: 'text/html; charset=utf-8',
    text: 'text/plain',
    json: 'application/json',
    longer: `${fragmentType}x`,
    parameter: `text/plain; type=${fragmentType}`,
    second: `text/plain, ${fragmentType}`,
    bytes: 'application/octet-stream'
  }
  const host = await startHost(t, {
    documentServerOrigin: documentServer.url,
    prepare (app) {
      app.get('/page', async (_request, reply) =>
        reply.type('text/html').send(
          `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><script type="module" src="${HANDLER}/assets/document-editor.js"></script><main></main>`
        ))
      for (const [name, type] of Object.entries(types)) {
        app.get(`/${name}`, async (_request, reply) =>
          reply.header('content-type', type).send(
            Buffer.from(name === 'json' ? JSON.stringify({ html: markup }) : markup)
          ))
      }
      app.get('/no-type', async (_request, reply) => {
        reply.hijack().raw.writeHead(200).end(markup)
      })
      app.get('/log-in', async (_request, reply) => reply.redirect('/html'))
      app.get('/missing', async (_request, reply) => reply.code(404).type(fragmentType).send(markup))
    }
  })
  const { fileId } = await host.storage.create('txt', Buffer.from('stored'))
  // What somebody uploads as a text: it would load a script of their server into the page.
  markup = (await host.app.editorControl().openDocument(fileId)).render().replaceAll(
    documentServer.url,
    `${host.origin}/attacker`
  )
  const uploads = ['txt', 'html', 'md', 'csv'].map(async extension =>
    (await host.storage.create(extension, Buffer.from(markup))).fileId
  )
  const downloads = (await Promise.all(uploads)).map(id => host.urls.download(id))

  const { page } = await browser.newPage(t)
  await page.goto(`${host.origin}/page`)
  let requests = 0
  page.on('request', request => {
    if (request.url().includes('/attacker')) requests++
  })
  for (const src of [
    ...downloads,
    ...Object.keys(types).map(name => `/${name}`),
    '/no-type',
    '/log-in',
    '/missing'
  ]) {
    await page.evaluate(`errors = []
      element = document.createElement('document-editor')
      element.addEventListener('editorerror', ({ detail }) => errors.push(detail.errorDescription))
      element.src = ${JSON.stringify(src)}
      document.querySelector('main').replaceChildren(element)`)
    await page.locator('document-editor[data-error]').waitFor({ state: 'attached' })
    const [error = '', ...more] = await page.evaluate<string[]>('errors')
    t.match(
      error,
      src === '/missing'
        ? /^document-editor: \/missing answered 404$/
        : /^document-editor: .* not of the media type text\/vnd\.fastify-onlyoffice\.fragment\+html/,
      src
    )
    t.notOk(error.includes('signature'), 'no query')
    t.strictSame(more, [])
    t.equal(await page.evaluate('element.innerHTML'), '', src)
  }
  t.equal(requests, 0)
})
