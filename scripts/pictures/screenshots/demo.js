// The demo with its emulated document server, and what users do in it.
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createDocumentServer } from 'onlyoffice-emulator'
import { createApp } from '../../../examples/demo/app.js'
import { choosePort } from '../../../examples/demo/port.js'
import { readSettings } from '../../../examples/demo/settings.js'
import { editorFrame } from '../../../test/kit/browser.js'

/** @import { Browser, Frame, Page } from 'playwright-core' */
/** @typedef {Awaited<ReturnType<typeof startDemo>>} Demo */

const DOCUMENTS = new URL('../../../examples/demo/documents/', import.meta.url)
/** Pictures show the same one in every run where it is free. */
const SERVER_PORT = 8080

export const REPORT = 'Opening week.docx'
export const NOTES = 'Meeting notes.txt'
export const SHEET = 'Budget.xlsx'
export const SLIDES = 'From bakery to library.pptx'

/** @param {Browser} browser */
export async function startDemo (browser) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'screenshots-'))
  const settings = readSettings({ DATA_DIR: dataDirectory })
  const serverPort = await choosePort(settings.host, SERVER_PORT).catch(() => 0)
  const documentServer = await createDocumentServer({ jwtSecret: settings.jwtSecret, port: serverPort })
  const port = await choosePort(settings.host)
  const url = `http://${settings.host}:${port}`
  const app = await createApp({
    ...settings,
    editorApiUrl: documentServer.editorApiUrl,
    isEmulated: true,
    publicBaseUrl: url
  })
  await app.listen({ port, host: settings.host })

  return {
    url,
    documentServer,
    pageOf,
    open,
    edit,
    putBack,

    async close () {
      await documentServer.close()
      app.server.closeAllConnections()
      await app.close()
      await rm(dataDirectory, { recursive: true, force: true })
    }
  }

  /**
   * URL of the page with the editor.
   * @param {string} user
   * @param {string} name
   */
  async function pageOf (user, name) {
    return `${url}/edit/${await idOf(name)}?user=${user}`
  }

  /**
   * @param {Page} page
   * @param {string} user
   * @param {string} name
   */
  async function open (page, user, name) {
    await page.goto(await pageOf(user, name))
    return await editorFrame(page)
  }

  /**
   * Opens a document, changes it, and closes it, so that it is saved.
   * @param {string} user
   * @param {string} name
   * @param {(editor: Frame, page: Page) => Promise<void>} change
   */
  async function edit (user, name, change) {
    const page = await browser.newPage()
    const editor = await open(page, user, name)
    await change(editor, page)
    await editor.waitForSelector('[data-state="received"]')
    await page.close()
    const { answer } = await documentServer.nextCallback(2)
    if (/** @type {{ error?: number } | undefined} */ (answer?.body)?.error !== 0) {
      throw new Error(`the save of ${name} was refused`)
    }
  }

  /**
   * Another program puts back the content that a document had in the beginning.
   * @param {string} name
   */
  async function putBack (name) {
    await copyFile(
      new URL(encodeURIComponent(name), DOCUMENTS),
      join(dataDirectory, 'uploads', `${await idOf(name)}${extname(name)}`)
    )
  }

  /** @param {string} name */
  async function idOf (name) {
    const html = await (await fetch(url)).text()
    const [, id] = new RegExp(`data-id="([^"]+)" data-name="${name}"`).exec(html) ?? []
    if (id === undefined) throw new Error(`the demo has no ${name}`)
    return id
  }
}
