import t from 'tap'
import { editorFrame, startBrowser } from '../helpers/browser.js'
import { startService } from './service.js'

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

const browser = await startBrowser(t)

t.test('on a phone, an editor without a height of its own fills the window and can be used', { skip: browser.missing }, async t => {
  const { origin, documentServer, store, storage } = await startService(t, browser, {
    prepare (app) {
      // The page of the README.
      app.get<{ Params: { fileId: string } }>('/plain/:fileId', async ({ params }, reply) => {
        const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
        await control.openDocument(params.fileId, { name: 'A report with a name that is too long for a phone.docx' })
        return reply.type('text/html').send(`<!doctype html>
          <html lang="en">
          <meta name="viewport" content="width=device-width">
          <title>Report</title>
          <link rel="icon" href="data:,">
          <style>body { margin: 0 }</style>
          ${control.render()}`)
      })
    }
  })
  const fileId = await store('report.docx')
  const before = (await storage.stat(fileId))!.revision
  const { page, problems } = await browser.newPage(t, PHONE)
  await page.goto(`${origin}/plain/${fileId}`)
  const editor = await editorFrame(page)

  const fragment = page.locator('[data-onlyoffice-editor]')
  t.match(await fragment.getAttribute('style'), '100dvh', 'the bars of the browser hide nothing of it')
  t.same(await fragment.boundingBox(), { x: 0, y: 0, width: 360, height: 740 })
  t.same(await page.locator('iframe').boundingBox(), { x: 0, y: 0, width: 360, height: 740 })
  const size = await page.evaluate('[document.documentElement.scrollWidth, document.documentElement.scrollHeight]')
  t.same(size, [360, 740], 'the page does not scroll')
  t.equal(await editor.evaluate('document.documentElement.scrollWidth'), 360, 'nor does the editor, sideways')

  await editor.locator('[data-paragraph]').first().tap()
  await page.keyboard.type('Written on a phone. ')
  const save = editor.getByRole('button', { name: 'Save' })
  const { x, width } = (await save.boundingBox())!
  t.ok(x + width <= 360, 'the button is not cut off')
  await save.tap()
  t.equal((await documentServer.nextCallback(6)).answer?.status, 200)
  t.not((await storage.stat(fileId))!.revision, before, 'what was typed is stored')
  t.same(problems, [])
})
