import { editorFrame } from '../../../test/kit/browser.js'
import { startService } from '../diagrams/scenes/service.js'
import { take, withPage } from './camera.js'

/** @import { Browser } from 'playwright-core' */

/**
 * The page of the README, and what the emulator shows meanwhile.
 * @param {Browser} browser
 */
export async function snippet (browser) {
  const service = await startService({ port: 3000, serverPort: 8080 })
  try {
    await withPage(browser, 'light', async page => {
      await page.goto(service.page)
      await editorFrame(page)
      await take(page, 'page')

      await service.open('Ben')
      await withPage(browser, 'light', async status => {
        await status.goto(service.documentServerUrl)
        await take(status, 'emulator')
      }, { width: 1080, height: 826 })
    }, { width: 960, height: 544 })
  } finally {
    await service.close()
  }
}
