import t, { type Test } from 'tap'
import { editorFrame, startBrowser } from '../kit/browser.js'
import { HANDLER, startHost } from '../kit/host.js'
import { startDocumentServer } from '../kit/document-server.js'
import { startUpstream } from '../kit/http.js'

const browser = await startBrowser(t)
const skip = browser.missing

/** An application with one document and a page, which has `before` in front of the editor. */
async function startApplication (t: Test, documentServerOrigin: string, before = '') {
  const host = await startHost(t, {
    documentServerOrigin,
    prepare (app) {
      app.get('/edit', async (_request, reply) => {
        const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)
        return reply.type('text/html').send(
          `<!DOCTYPE html><title>Report</title><link rel="icon" href="data:,">${before}${control.render()}`
        )
      })
    }
  })
  const { fileId } = await host.storage.create('txt', Buffer.from('the content'))
  return host
}

/** For a page: calls `use` with the exports of the page's module. */
const withModule = (use: string) => `import(${JSON.stringify(`${HANDLER}/assets/editor.js`)}).then(${use})`

t.test('HTML of a user that passed a sanitizer, beside an editor: it is no fragment, and covers nothing', { skip }, async t => {
  const attributes = 'data-onlyoffice-editor data-api="/x.js" data-handler="/x"'
  const comment = `<div id="comment"><div ${attributes} class="onlyoffice-editor"><p>{}</p><div id="y"></div></div>
<div class="onlyoffice-notice onlyoffice-notice-cover">Log in again</div><div ${attributes}><div class="onlyoffice-notice onlyoffice-notice-cover">Log in again</div></div></div>`
  const documentServer = await startDocumentServer(t)
  // For a document that does not open as well: then the page has the styles of the alert.
  for (const [origin, role] of [[documentServer.url, undefined], ['http://127.0.0.1:9', 'alert']] as const) {
    const host = await startApplication(t, origin, comment)
    const { page } = await browser.newPage(t)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.goto(`${host.origin}/edit`)
    if (role) await page.getByRole(role).waitFor()
    else await editorFrame(page)

    const surroundings = (await page.locator('#comment').boundingBox())!
    for (const cover of await page.locator('#comment .onlyoffice-notice').all()) {
      const box = (await cover.boundingBox())!
      t.ok(
        box.y >= surroundings.y && box.y + box.height <= surroundings.y + surroundings.height,
        'it stays in the comment'
      )
    }
    t.equal(await page.locator('#comment [aria-busy], #comment [data-error], #comment [role]').count(), 0)
    t.notOk(asked.some(path => path.startsWith('/x')), 'nothing is requested or reported for it')
    if (!role) {
      t.equal(
        await page.evaluate(withModule('async ({ captureDocument }) => await (await captureDocument()).text()')),
        'the content',
        'the first fragment is that of the editor'
      )
    }
  }
})

/** An editor that has raised everything before its constructor returns, and that cannot be closed. */
const HASTY_API = `DocsAPI = { DocEditor: function (id, { events }) {
  document.getElementById(id).replaceWith(document.createElement('iframe'))
  for (const [name, data] of window.raises) events[name]({ data })
  this.destroyEditor = () => { throw new Error('cannot be closed') }
} }`

async function openHasty (t: Test, raises: unknown) {
  const api = await startUpstream(
    t,
    (_request, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(HASTY_API)
  )
  const host = await startApplication(t, api.origin)
  const { page } = await browser.newPage(t)
  await page.clock.install()
  await page.addInitScript(`window.raises = ${JSON.stringify(raises)}`)
  await page.goto(`${host.origin}/edit`)
  await page.waitForSelector('iframe')
  return page
}

t.test('a document that is open before the editor was created is never covered, and never slow', { skip }, async t => {
  const page = await openHasty(t, [['onAppReady'], ['onDocumentReady'], ['onError', { errorCode: -4 }]])
  await page.clock.fastForward(60_000)
  t.equal(await page.locator('.onlyoffice-notice').count(), 0)
})

t.test('an alert that is there before the editor was created stays, and an editor that cannot be closed is forgotten', {
  skip
}, async t => {
  const page = await openHasty(t, [['onError', { errorCode: -4, errorDescription: null }]])
  await page.clock.fastForward(60_000)
  await page.getByRole('alert').getByText('Error -4: ').waitFor()
  t.equal(await page.getByText('longer than usual').count(), 0)
  const left = await page.evaluate(withModule(`async ({ captureDocument, unmountEditor }) => {
    try { await unmountEditor(document.querySelector('[data-onlyoffice-editor]')) } catch ({ message }) {
      return [message, document.querySelectorAll('.onlyoffice-notice').length, await captureDocument().catch(({ message }) => message)]
    }
  }`))
  t.strictSame(left, ['cannot be closed', 0, 'No editor is mounted: wait for mountEditor()'])
})
