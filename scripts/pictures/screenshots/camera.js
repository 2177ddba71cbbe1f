// Takes pictures of pages, as small files.
import { mkdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */
/** @typedef {keyof typeof LOOKS} Look */
/** @typedef {{ width: number, height: number }} Size */

const sharp = createRequire(new URL('../../tools/', import.meta.url))('sharp')

const DIRECTORY = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url))

/** Runs in the page: the same times in every run, so that only real differences change a picture. */
const SAME_TIMES = String.raw`{
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode
    text.nodeValue = text.nodeValue
      .replace(/\b\d{1,2}:\d\d(:\d\d)?(?= [AP]M)/, '9:41')
      .replace(/\b[A-Z][a-z]{2} \d{1,2}, \d{4}(?=, 9:41)/, 'Nov 12, 2026')
      .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, '2026-11-12 09:41:00 UTC')
      .replace(/^\d\d:\d\d:\d\d$/, '09:41:00')
      .replace(/(?<=^ in )\d+(?= ms)/, '120')
  }
}`

/** Every reader's machine has another zone and language. @type {BrowserContextOptions} */
const COMMON = { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' }

const LOOKS = /** @satisfies {Record<string, BrowserContextOptions>} */ ({
  light: { ...COMMON, colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { ...COMMON, colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  mobile: {
    ...COMMON,
    colorScheme: 'light',
    viewport: { width: 360, height: 740 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true
  }
})

/**
 * Opens a page in a browser of its own, lets `show` prepare it, and closes it.
 * @param {Browser} browser
 * @param {Look} look
 * @param {(page: Page) => Promise<void>} show
 * @param {Partial<Size>} [size] Other than that of the look.
 */
export async function withPage (browser, look, show, size) {
  const options = LOOKS[look]
  const context = await browser.newContext({ ...options, viewport: { ...options.viewport, ...size } })
  try {
    await show(await context.newPage())
  } finally {
    await context.close()
  }
}

/**
 * Writes docs/screenshots/NAME.png. Its colors are reduced to a palette: the pages have few.
 * @param {Page} page
 * @param {string} name
 */
export async function take (page, name) {
  await mkdir(DIRECTORY, { recursive: true })
  for (const frame of page.frames()) await frame.evaluate(SAME_TIMES)
  const image = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  const path = `${DIRECTORY}${name}.png`
  const { width, height } = await sharp(image).png({
    palette: true,
    colours: 96,
    dither: 0,
    effort: 10,
    compressionLevel: 9
  }).toFile(path)
  console.log(`docs/screenshots/${name}.png ${width} x ${height}, ${Math.ceil((await stat(path)).size / 1000)} kB`)
}
