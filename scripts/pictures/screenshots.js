// Takes the screenshots of the README: docs/screenshots/{list,editor,history}-{light,dark,mobile}.png, of the demo with a little work in it.
// npm run screenshots
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDocumentServer } from 'onlyoffice-emulator'
import { createApp } from '../examples/demo/app.js'
import { choosePort } from '../examples/demo/port.js'
import { readSettings } from '../examples/demo/settings.js'
import { editorFrame, launchBrowser } from '../test/helpers/browser.js'

/** @import { BrowserContextOptions, Frame, Page } from 'playwright-core' */

const DIRECTORY = fileURLToPath(new URL('../docs/screenshots/', import.meta.url))
const REPORT = 'Project report.docx'
const THUMBNAILS_WITHIN_MS = 60_000

/** @type {Record<string, BrowserContextOptions>} */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  mobile: { colorScheme: 'light', viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true }
}

const dataDirectory = await mkdtemp(join(tmpdir(), 'screenshots-'))
const settings = readSettings({ DATA_DIR: dataDirectory })
const documentServer = await createDocumentServer({ jwtSecret: settings.jwtSecret })
const port = await choosePort(settings.host, 0)
const url = `http://${settings.host}:${port}`
const app = await createApp({ ...settings, editorApiUrl: documentServer.editorApiUrl, publicBaseUrl: url })
await app.listen({ port, host: settings.host })
const browser = await launchBrowser()

try {
  await mkdir(DIRECTORY, { recursive: true })
  await work()
  for (const [look, options] of Object.entries(looks)) await takeAll(look, options)
} finally {
  await browser.close()
  await documentServer.close()
  app.server.closeAllConnections()
  await app.close()
  await rm(dataDirectory, { recursive: true, force: true })
}

/** Three users edit the report, one after the other, so that it has a history. */
async function work () {
  await edit('mira', REPORT, async (editor, page) => {
    await editor.getByText('This document has').click()
    await page.keyboard.press('ControlOrMeta+A') // of the paragraph: not every machine has fonts for its writing systems
    await page.keyboard.type('Orders grew in all three regions. The East sold the most units, and the North caught up with it.')
  })
  await edit('jonas', REPORT, async (editor, page) => {
    await append(editor, page, 'Orders grew', ' We expect the same for the next quarter.')
    await append(editor, page, 'Currency is EUR.', '')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Next steps: agree on the budget, and hire two people for support.')
  })
  await edit('teodora', REPORT, async (editor, page) => {
    await append(editor, page, 'Currency is EUR.', ' All amounts are rounded to thousands.')
  })
}

/**
 * @param {Frame} editor
 * @param {Page} page
 * @param {string} paragraph
 * @param {string} text
 */
async function append (editor, page, paragraph, text) {
  await editor.locator('[data-paragraph]', { hasText: paragraph }).press('ControlOrMeta+End')
  await page.keyboard.type(text)
}

/**
 * Opens a document, changes it, and closes it, so that it is saved.
 * @param {string} user
 * @param {string} name
 * @param {(editor: Frame, page: Page) => Promise<void>} change
 */
async function edit (user, name, change) {
  const page = await browser.newPage(looks.light)
  const editor = await open(page, user, name)
  const before = await revisionOf(name)
  await change(editor, page)
  await editor.waitForSelector('[data-state="received"]')
  await page.close()
  while (await revisionOf(name) === before) await new Promise(resolve => setTimeout(resolve, 100))
}

/**
 * @param {Page} page
 * @param {string} user
 * @param {string} name
 */
async function open (page, user, name) {
  await page.goto(`${url}/edit/${await idOf(name)}?user=${user}`)
  return await editorFrame(page)
}

/** @param {string} name */
async function revisionOf (name) {
  return (await app.editorStorage.stat(await idOf(name)))?.revision
}

/** @param {string} name */
async function idOf (name) {
  const html = await (await fetch(url)).text()
  const [, id] = new RegExp(`data-id="([^"]+)" data-name="${name}"`).exec(html) ?? []
  if (id === undefined) throw new Error(`the demo has no ${name}`)
  return id
}

/**
 * @param {string} look
 * @param {BrowserContextOptions} options
 */
async function takeAll (look, options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const others = await browser.newContext(options)
  const [page, other] = [await context.newPage(), await others.newPage()]
  const written = await open(other, 'jonas', REPORT)
  await written.getByText('Next steps').click()

  await page.goto(`${url}/?user=mira`)
  await page.locator('.presence').waitFor()
  await allThumbnails(page)
  await take(page, `list-${look}`)

  const editor = await open(page, 'mira', REPORT)
  await editor.getByText('Next steps').click()
  await editor.locator('[data-users] > :nth-child(2)').waitFor()
  await take(page, `editor-${look}`)

  await editor.getByRole('button', { name: 'Version history' }).click()
  await editor.getByRole('button', { name: 'Version 3', exact: true }).click()
  await editor.locator('[data-content][aria-busy="false"]').waitFor()
  await take(page, `history-${look}`)
  await context.close()
  await others.close()
}

/**
 * Waits until every document that can have one shows its first page.
 * @param {Page} page
 */
async function allThumbnails (page) {
  await page.locator('[data-thumbnail]:not(.has-image)').first().waitFor({ state: 'detached', timeout: THUMBNAILS_WITHIN_MS })
    .catch(() => console.error('Not every document has a thumbnail: is LibreOffice installed?'))
}

/**
 * @param {Page} page
 * @param {string} name
 */
async function take (page, name) {
  await page.screenshot({ path: join(DIRECTORY, `${name}.png`), animations: 'disabled', caret: 'hide' })
  console.log(`docs/screenshots/${name}.png`)
}
