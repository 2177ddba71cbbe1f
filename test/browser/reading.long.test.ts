import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { close, startBrowser, startPages, statuses } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test(
  'presentations are shown slide by slide, texts as one page',
  { skip: browser.missing },
  async t => {
    const service = await startPages(t, browser)
    const open = async (name: string) => await service.open(await service.store(name))

    for (const name of ['deck.pptx', 'deck.odp']) {
      const { editor } = await open(name)
      t.strictSame(await editor.locator('.slide').allInnerTexts(), ['Title slide', 'Second slide'], name)
    }
    const report = await open('report.odt')
    t.ok(await report.editor.getByText('Currency is EUR.').isVisible())
    await close(report)
    t.notOk(statuses(service).includes(2), 'closing saves nothing')
  })

t.test('a PDF is displayed by the browser; a browser without a PDF viewer gets a download link', { skip: browser.missing }, async t => {
  const service = await startPages(t, browser)
  const fileId = await service.store('report.pdf')
  const { page, editor, problems } = await service.open(fileId)
  const link = editor.getByRole('link', { name: /^Download .*\.pdf$/ })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  t.match(download.suggestedFilename(), /\.pdf$/)
  t.same(await readFile(await download.path(), 'latin1'), readFileSync(new URL('../fixtures/documents/report.pdf', import.meta.url), 'latin1'))
  t.strictSame(problems, [])

  const able = await browser.newPage(t)
  await able.page.addInitScript('Object.defineProperty(navigator, "pdfViewerEnabled", { value: true })')
  // Headless Chromium has no viewer: what it would be given is looked at instead.
  const shown = able.page.waitForResponse(response => response.url().includes('/doc/shown/'))
  await able.page.goto(page.url())
  const response = await shown
  t.equal(response.status(), 200)
  t.match(response.headers(), { 'content-type': 'application/pdf', 'content-disposition': 'inline' })
  t.equal(response.headers()['content-security-policy'], undefined, 'a policy would keep the viewer from starting')
  t.equal(await able.page.frameLocator('iframe').locator('iframe.pdf').count(), 1)
  t.ok(await able.page.frameLocator('iframe').locator('[data-note]').isHidden())
  t.strictSame(able.problems, [], 'the page\'s policy allows the frame')
  const { pathname, search } = new URL(response.url())
  for (const path of [pathname.replace('shown.pdf', 'other.pdf') + search, pathname, '/doc/shown/', '/doc/shown/x']) {
    t.equal((await fetch(service.documentServer.url + path)).status, 404, path)
  }
})
