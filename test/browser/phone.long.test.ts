import t from 'tap'
import type { EditorControlDefaults } from '../../lib/index.js'
import { editorFrame, startBrowser, startPages } from '../kit/browser.js'
import { HANDLER } from '../kit/host.js'

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }

const browser = await startBrowser(t)

t.test('on a phone, an editor without a height of its own fills the window and can be used', { skip: browser.missing }, async t => {
  const { origin, documentServer, store, storage } = await startPages(t, browser, {
    prepare (app) {
      // The page of the README.
      app.get<{ Params: { fileId: string } }>('/plain/:fileId', async ({ params }, reply) => {
        const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
        await control.openDocument(params.fileId, { title: 'A report with a name that is too long for a phone.docx' })
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
  t.ok((await editor.locator('.bar').boundingBox())!.height < 92, 'its bar has two rows: title and tools')
  const { x, width } = (await save.boundingBox())!
  t.ok(x + width <= 360, 'the button is not cut off')
  await save.tap()
  t.equal((await documentServer.nextCallback(6)).answer?.status, 200)
  t.not((await storage.stat(fileId))!.revision, before, 'what was typed is stored')
  t.same(problems, [])
})

// Section 12 of the protocol page, the browser editor: "api.js detects no device … `type: 'mobile'` set in the page
// after signing opens".
t.test('phones and tablets get the mobile editor, desktops with any window the desktop one, unless the control says otherwise', { skip: browser.missing }, async t => {
  const TOUCH = { isMobile: true, hasTouch: true }
  const devices = {
    phone: { ...TOUCH, viewport: { width: 390, height: 844 }, screen: { width: 390, height: 844 } },
    'phone in landscape': { ...TOUCH, viewport: { width: 844, height: 390 }, screen: { width: 844, height: 390 } },
    tablet: { ...TOUCH, viewport: { width: 1376, height: 1032 }, screen: { width: 1376, height: 1032 } },
    'touched wall': { ...TOUCH, viewport: { width: 1920, height: 1080 }, screen: { width: 1920, height: 1080 } },
    desktop: { viewport: { width: 1280, height: 800 } },
    'narrow window': { viewport: { width: 360, height: 740 }, screen: { width: 1280, height: 800 } },
    'small laptop': { viewport: { width: 360, height: 740 }, screen: { width: 800, height: 600 } }
  }
  const cases: Array<[keyof typeof devices, string, EditorControlDefaults['type']?]> = [
    ['phone', 'mobile'],
    ['phone in landscape', 'mobile'],
    ['tablet', 'mobile'],
    ['touched wall', 'main'],
    ['desktop', 'main'],
    ['narrow window', 'main'],
    ['small laptop', 'main'],
    ['phone', 'main', 'desktop'],
    ['phone', 'main', 'embedded'],
    ['desktop', 'mobile', 'mobile']
  ]
  let type: EditorControlDefaults['type']
  const { origin, store } = await startPages(t, browser, {
    prepare (app) {
      app.get<{ Params: { fileId: string } }>('/plain/:fileId', async ({ params }, reply) => {
        const control = await app.editorControl({ user: { id: '7', name: 'Ada' }, ...(type && { type }) })
          .openDocument(params.fileId)
        return reply.type('text/html').send(
          `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Report</title><link rel="icon" href="data:,">${control.render()}`
        )
      })
    }
  })
  const fileId = await store('report.docx')
  for (const [device, layout, given] of cases) {
    type = given
    const { page, problems } = await browser.newPage(t, devices[device])
    await page.goto(`${origin}/plain/${fileId}`)
    t.match((await editorFrame(page)).url(), `/documenteditor/${layout}/`, `${device}, ${given ?? 'no type'}`)
    if (device === 'phone' && !given) {
      await page.setViewportSize({ width: 844, height: 390 })
      await page.evaluate(`import('${HANDLER}/assets/editor.js').then(async ({ mountEditor, unmountEditor }) => {
        const fragment = document.querySelector('[data-onlyoffice-editor]')
        await unmountEditor(fragment)
        await mountEditor(fragment)
      })`)
      t.match((await editorFrame(page)).url(), '/documenteditor/mobile/', 'turned, and opened again')
    }
    t.same(problems, [], device)
    await page.close()
  }
})
