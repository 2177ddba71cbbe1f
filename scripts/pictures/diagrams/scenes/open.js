import { editorFrame, launchBrowser } from '../../../../test/kit/browser.js'
import { startService } from './service.js'

/** A browser opens the page of the README. */
export async function open () {
  const service = await startService()
  const { record } = service
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    // The browser asks for both at once: the diagram has them in this order.
    const module = page.waitForRequest(/\/assets\/editor-/)
    await page.route(/\/api\.js$/, async route => {
      await (await module).response()
      await route.continue()
    })
    await page.goto(service.page)
    await editorFrame(page)
    await service.joined()
    record.say({ from: 'documentServer', to: 'browser', says: 'the document, ready to be edited', isReply: true })
    return { title: 'A browser opens a page with a document.', steps: record.steps() }
  } finally {
    await browser.close()
    await service.close()
  }
}
