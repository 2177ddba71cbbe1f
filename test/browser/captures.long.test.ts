import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { startBrowser, startPages, stopTime, SCRIPTED_API } from '../kit/browser.js'
import { HANDLER, startHost } from '../kit/host.js'
import { startUpstream } from '../kit/http.js'

const browser = await startBrowser(t)
const skip = browser.missing

/** How a capture ended, for a page. */
const ENDED =
  '.then(async file => [file.name, await file.text()], ({ name, code, message, fileType, errorCode, cause }) => ({ name, code, message, fileType, errorCode, cause }))'

t.test(
  'captures with unsaved changes: two at once get a file each, a format that the editor cannot make and a missing right are typed errors',
  { skip },
  async t => {
    const service = await startPages(t, browser, { defaults: {} })
    const ada = await service.open(await service.store('notes.txt'))
    await ada.editor.locator('[data-content]').click()
    await ada.page.keyboard.press('Control+End')
    await ada.page.keyboard.type('just now')
    const [asIs, typed, odt] = await ada.withModule(
      `({ captureDocument }) => Promise.all([captureDocument(), captureDocument({ fileType: 'txt' }), captureDocument({ fileType: 'odt' })].map(capture => capture${ENDED}))`
    )
    const name = String(await ada.editor.locator('[data-title]').textContent())
    t.match(asIs, [name, /just now/])
    t.match(typed, [name, /just now/])
    t.match(odt, { name: 'CaptureError', code: 'format', message: /cannot make odt/, fileType: 'docx' })
    t.strictSame(ada.problems, [])

    const forbidding = await startPages(t, browser, { defaults: { permissions: { download: false } } })
    const grace = await forbidding.open(await forbidding.store('notes.txt'))
    t.match(await grace.withModule(`({ captureDocument }) => Promise.all([captureDocument(), captureDocument()].map(capture => capture${ENDED}))`), [
      { name: 'CaptureError', code: 'denied', errorCode: -23 },
      { name: 'CaptureError', code: 'denied', errorCode: -23 }
    ])
  })

/** The file that the editor made is the answer of the same upstream. */
async function openScripted (t: Test) {
  const upstream = await startUpstream(t, (request, response) => request.url!.endsWith('api.js')
    ? response.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPTED_API)
    : response.writeHead(200, { 'content-type': 'text/plain' }).end(request.url!.split('/').at(-1)))
  const host = await startHost(t, {
    documentServerOrigin: upstream.origin,
    proxy: { allow: [upstream.origin] },
    prepare (app) {
      app.get('/edit', async (_request, reply) => {
        const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId, { title: 'My report.v2.txt' })
        return reply.type('text/html').send(`<!DOCTYPE html><title>Report</title><link rel="icon" href="data:,">${control.render()}`)
      })
    }
  })
  const { fileId } = await host.storage.create('txt', Buffer.from('the content'))
  const { page } = await browser.newPage(t)
  await stopTime(page)
  await page.goto(`${host.origin}/edit`)
  await page.waitForSelector('iframe')
  await page.evaluate(`import(${JSON.stringify(`${HANDLER}/assets/editor.js`)}).then(module => {
    Object.assign(window, module)
    ended = {}
    start = (name, options) => { captureDocument(options)${ENDED}.then(end => { ended[name] = end }) }
  })`)
  return {
    page,
    asked: async () => await page.evaluate('asked'),
    raise: async (name: string, data?: unknown) => {
      await page.evaluate(`raise(${JSON.stringify(name)}, ${JSON.stringify(data)})`)
    },
    answer: async (name: string, fileType: string) => {
      await page.evaluate(`raise('onDownloadAs', ${JSON.stringify({ fileType, url: `${upstream.origin}/${name}` })})`)
    },
    ended: async (name: string) => await endOf(page, name)
  }
}

async function endOf (page: Page, name: string): Promise<unknown> {
  const end = await page.waitForFunction(name => (globalThis as unknown as { ended: Record<string, unknown> }).ended[name], name)
  return await end.jsonValue()
}

t.test('one capture at a time: each waits for the answer to the one before, also if that was aborted, and gets its own', { skip }, async t => {
  const { page, asked, raise, answer, ended } = await openScripted(t)
  await page.evaluate('abort = new AbortController(); other = new AbortController(); start("first", { signal: abort.signal, fileType: "pdf" })')
  t.strictSame(await asked(), [], 'the document is not open yet')
  await raise('onDocumentReady')
  await page.waitForFunction('asked.length === 1') // the first capture loads what captures need
  await page.evaluate('start("second"); start("never", { signal: other.signal, fileType: "odt" }); start("third", { fileType: "pdf" })')
  t.strictSame(await asked(), ['pdf'])
  await page.evaluate('abort.abort(); other.abort()')
  for (const name of ['first', 'never']) t.match(await ended(name), { name: 'AbortError' })
  t.strictSame(await asked(), ['pdf'], 'it keeps its place')

  await answer('late', 'pdf')
  t.strictSame(await asked(), ['pdf', ''], 'the editor chooses the format unless one is asked for')
  await answer('second', 'docx')
  t.strictSame(await ended('second'), ['My report.v2.docx', 'second'], 'named by what was made')
  await answer('third', 'pdf')
  t.strictSame(await ended('third'), ['My report.v2.pdf', 'third'])
  t.strictSame(await asked(), ['pdf', '', 'pdf'])

  await page.evaluate('start("archive", { fileType: "pdfa" })')
  await answer('archive', 'pdf')
  t.strictSame(await ended('archive'), ['My report.v2.pdf', 'archive'], 'PDF/A is PDF')
  await page.evaluate('seen = []; document.addEventListener("downloadas", ({ detail }) => seen.push(detail.fileType))')
  await answer('own', 'rtf')
  t.strictSame(await page.evaluate('seen'), ['rtf'], 'what the page itself has asked for is its own')
})

t.test('captures that get no answer: a time limit, an error of the editor, and the end of the editor', { skip }, async t => {
  const { page, asked, raise, answer, ended } = await openScripted(t)
  await raise('onDocumentReady')
  await page.evaluate('start("slow"); start("next")')
  await page.waitForFunction('asked.length === 1')
  await page.clock.fastForward(60_000)
  for (const name of ['slow', 'next']) t.match(await ended(name), { name: 'CaptureError', code: 'timeout' })
  t.equal((await asked() as string[]).length, 1)
  await answer('late', 'txt')
  await page.evaluate('start("patient", { signal: new AbortController().signal })')
  await page.waitForFunction('asked.length === 2')
  await raise('onWarning', { warningCode: -1 })
  t.equal(await page.evaluate('ended.patient'), undefined, 'it is about something else')
  await raise('onWarning', { warningCode: -83 })
  t.match(await ended('patient'), { code: 'failed', errorCode: -83 })
  await page.evaluate('start("denied")')
  await page.waitForFunction('asked.length === 3')
  await raise('onError', { errorCode: -23 })
  t.match(await ended('denied'), { code: 'denied', errorCode: -23 })

  await page.evaluate('start("silent", { signal: new AbortController().signal })')
  await page.waitForFunction('asked.length === 4')
  await page.clock.fastForward(299_000)
  t.equal(await page.evaluate('ended.silent'), undefined, 'a large document takes long')
  await page.clock.fastForward(1_000)
  t.match(await ended('silent'), { code: 'timeout', message: /did not answer/ })

  await page.evaluate('start("closed"); start("too"); unmountEditor(document.querySelector("[data-onlyoffice-editor]"), { force: true })')
  for (const name of ['closed', 'too']) t.match(await ended(name), { code: 'closed' })
  await answer('nobody', 'txt')
  await page.evaluate('start("none")')
  t.match(await ended('none'), { code: 'not-mounted' })
})
