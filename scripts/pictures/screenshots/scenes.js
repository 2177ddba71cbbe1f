// What the pictures show.
import { NOTES, REPORT, SHEET, SLIDES } from './demo.js'
import { take, withPage } from './camera.js'

/** @import { Browser, Page } from 'playwright-core' */
/** @import { Look } from './camera.js' */
/** @import { Demo } from './demo.js' */

const THUMBNAILS_WITHIN_MS = 60_000

/**
 * The documents, one of them being edited.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function lists (browser, demo) {
  await withPage(browser, 'light', async other => {
    await demo.open(other, 'jonas', REPORT)
    for (const look of /** @type {Look[]} */ (['light', 'dark'])) {
      await withPage(browser, look, async page => {
        await page.goto(`${demo.url}/?user=mira`)
        await page.locator('.presence').waitFor()
        await allThumbnails(page)
        await take(page, `list-${look}`)
      })
    }
  })
}

/**
 * A document that two users edit.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function editors (browser, demo) {
  await withPage(browser, 'light', async other => {
    const written = await demo.open(other, 'jonas', REPORT)
    await written.getByText('Plan for the first week').click()
    for (const look of /** @type {Look[]} */ (['light', 'dark', 'mobile'])) {
      await withPage(browser, look, async page => {
        const editor = await demo.open(page, 'mira', REPORT)
        await editor.getByText('the old bakery on Lime Street').click()
        await editor.locator('[data-users] > :nth-child(2)').waitFor()
        await take(page, `editor-${look}`)
      })
    }
  })
}

/**
 * A workbook and a presentation.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function formats (browser, demo) {
  for (const [name, document] of Object.entries({ sheet: SHEET, slides: SLIDES })) {
    for (const look of /** @type {Look[]} */ (['light', 'dark'])) {
      await withPage(browser, look, async page => {
        await demo.open(page, 'mira', document)
        await take(page, `${name}-${look}`)
      }, { width: 1080, height: 600 })
    }
  }
}

/**
 * A version with what was changed in it.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function histories (browser, demo) {
  for (const look of /** @type {Look[]} */ (['light', 'dark'])) {
    await withPage(browser, look, async page => {
      const editor = await demo.open(page, 'mira', NOTES)
      await editor.getByRole('button', { name: 'Version history' }).click()
      await editor.getByRole('button', { name: 'Version 4', exact: true }).click()
      await editor.locator('[data-content][aria-busy="false"] del').first().waitFor()
      await take(page, `history-${look}`)
    }, { width: 1080, height: 600 })
  }
}

/**
 * What the page itself shows beside or over the editor: who has access, and what happens to the last changes when it is
 * closed.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function dialogs (browser, demo) {
  const size = { width: 960, height: 500 }
  await withPage(browser, 'light', async page => {
    const editor = await demo.open(page, 'mira', NOTES)
    await editor.getByRole('button', { name: 'Sharing' }).click()
    await page.getByRole('dialog').waitFor()
    await take(page, 'sharing')
  }, size)
  await withPage(browser, 'light', async page => {
    await page.clock.install()
    let isCut = false
    await page.routeWebSocket(/\/doc\/socket$/, socket => {
      const server = socket.connectToServer()
      socket.onMessage(message => { if (!isCut) server.send(message) })
    })
    const editor = await demo.open(page, 'mira', REPORT)
    isCut = true
    await editor.getByText('the old bakery on Lime Street').click()
    await page.keyboard.press('End')
    await page.keyboard.type(' Checked.')
    await page.getByRole('link', { name: 'Documents' }).click()
    await page.getByText('Saving…').waitFor()
    await take(page, 'closing')
    await page.clock.fastForward(10_000)
    await page.getByRole('alert').waitFor()
    await take(page, 'closing-unsent')
  }, size)
}

/**
 * Another program replaces the file during a session: the list has both.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function conflict (browser, demo) {
  await demo.edit('jonas', REPORT, async (editor, page) => {
    await editor.getByText('Times may still change.').click()
    await page.keyboard.type(' ')
    await demo.putBack(REPORT)
  })
  await withPage(browser, 'light', async page => {
    await page.goto(`${demo.url}/?user=mira`)
    await page.getByRole('searchbox').fill('Opening week')
    await page.getByRole('searchbox').blur()
    await allThumbnails(page)
    await take(page, 'conflict')
  }, { width: 960, height: 445 })
}

/**
 * What users and operators see when the document server does not answer, and when it has another secret.
 * @param {Browser} browser
 * @param {Demo} demo
 */
export async function troubles (browser, { url, pageOf, documentServer }) {
  const page = await pageOf('mira', NOTES)
  await withPage(browser, 'light', async tab => {
    await tab.route('**/api.js*', route => route.abort())
    await tab.goto(page)
    await tab.getByRole('alert').waitFor()
    await take(tab, 'notice-unreachable')
  }, { width: 960, height: 500 })

  documentServer.changeSecret('another secret than that of the application')
  await withPage(browser, 'light', async tab => {
    await tab.goto(page)
    await tab.getByRole('alert').waitFor()
    await take(tab, 'notice-failed')
  }, { width: 960, height: 500 })
  await withPage(browser, 'light', async tab => {
    await tab.goto(`${url}/Controls/Editor/EditorHandler.ashx/doctor`)
    await take(tab, 'doctor')
  }, { width: 960, height: 832 })
}

/**
 * Waits until every listed document that can have one shows its first page.
 * @param {Page} page
 */
async function allThumbnails (page) {
  const missing = page.locator('li:not([hidden]) [data-thumbnail]:not(.has-image)').first()
  await missing.waitFor({ state: 'detached', timeout: THUMBNAILS_WITHIN_MS })
    .catch(() => console.error('Not every document has a thumbnail: is LibreOffice installed?'))
}
