import t from 'tap'
import { startBrowser, startPages } from '../kit/browser.js'

const browser = await startBrowser(t)

t.test('secure-view: the document server downloads the document, the editor shows it under a watermark, and the page cannot', { skip: browser.missing }, async t => {
  const pages = await startPages(t, browser, { defaults: { preset: 'secure-view' }, actions: { saveAs: true }, versions: {} })
  const fileId = await pages.store('report.docx')
  const { page, editor, button, item, problems } = await pages.open(fileId)
  t.ok(await editor.getByText('Currency is EUR.').isVisible())
  t.match(await editor.locator('.watermark').innerText(), /^Ada Lovelace\n\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  for (const name of ['Version history', 'Save copy as…']) t.equal(await item(name).count(), 0, name)
  t.notOk(await button('Save').isVisible())
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/secure-view.png` })
  t.strictSame(problems, [])

  const status = await page.evaluate(async () => {
    const { document } = globalThis as unknown as { document: { querySelector (selector: string): { textContent: string } } }
    const config = JSON.parse(document.querySelector('[data-onlyoffice-editor] script').textContent) as { document: { url: string } }
    return (await fetch(config.document.url)).status
  })
  t.equal(status, 401)
  t.strictSame(await page.evaluate(async () => {
    const { document } = globalThis as unknown as { document: { querySelector (selector: string): { dataset: Record<string, string> } } }
    const { handler, pageToken } = document.querySelector('[data-onlyoffice-editor]').dataset
    const response = await fetch(`${handler!}/actions/saveAs`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken! }, body: JSON.stringify({ url: 'x', fileType: 'docx', title: 'x' }) })
    return response.status
  }), 403)
  t.equal(pages.documentServer.sentRequests.filter(({ body }) => body !== null).length, 0, 'a viewer causes no callback')
})
