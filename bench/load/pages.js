// Opens pages in Chromium with a delayed network, and says when the editor's frame was asked for.
import '../../scripts/typescript/register.js'
import { answerCalls } from '../framework/child.js'

/** @typedef {{ seconds: number, requests: number }} Opening From the navigation to the request for the frame; requests to the application. */

const { launchBrowser } = await import('../../test/kit/browser.js')

const LATENCY_MS = 50

/** @type {import('playwright-core').Browser | undefined} */
let browser

answerCalls({
  async start () {
    browser = await launchBrowser()
  },

  /**
   * Opens a page twice: with an empty cache, and with what the first time has left there.
   * @param {string} url
   */
  async open (url) {
    const context = await browser?.newContext({ ignoreHTTPSErrors: true })
    if (!context) throw new Error('there is no browser')
    try {
      const page = await context.newPage()
      const cold = await opened(page, url)
      await page.goto('about:blank')
      return { cold, warm: await opened(page, url) }
    } finally {
      await context.close()
    }
  },

  async end () {
    await browser?.close()
  }
})

/**
 * @param {import('playwright-core').Page} page
 * @param {string} url
 * @returns {Promise<Opening>}
 */
async function opened (page, url) {
  const network = await page.context().newCDPSession(page)
  /** @type {Map<string, { url: string, timestamp: number, isDocument: boolean }>} */
  const asked = new Map()
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1
  })
  network.on('Network.requestWillBeSent', ({ requestId, request: { url }, timestamp, type }) => {
    asked.set(requestId, { url, timestamp, isDocument: type === 'Document' })
  })
  network.on('Network.requestServedFromCache', ({ requestId }) => {
    asked.delete(requestId)
  })
  await page.goto(url)
  await page.frameLocator('iframe').locator('[data-content][aria-busy="false"]').waitFor()
  await network.detach()
  const [navigation, frame] = [...asked.values()].filter(({ isDocument }) => isDocument)
  if (!navigation || !frame) throw new Error(`${url} has no frame`)
  return {
    seconds: frame.timestamp - navigation.timestamp,
    requests: [...asked.values()].filter(request => new URL(request.url).origin === new URL(url).origin).length
  }
}
