import chromium from '@sparticuz/chromium'
import http from 'node:http'
import {
  type Browser, type BrowserContext, chromium as playwright, type FrameLocator, type Page
} from 'playwright-core'
import t, { type Test } from 'tap'
import type { DocumentServer } from '../../lib/index.js'
import { textBlocks } from '../../lib/documents/extract/extract.js'
import { textBox } from '../../../test/kit/browser.js'
import { listen } from '../../../test/kit/http.js'
import { type ConfigChanges, type FakeHost, startDocumentServer, startFakeHost } from '../support.js'

// One context for all: this single-process Chromium ends with the first context that is closed.
let browser: Browser
let context: BrowserContext
t.before(async () => {
  browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: [...chromium.args, '--no-sandbox'], headless: true })
  context = await browser.newContext()
})
t.teardown(async () => await browser.close())

interface Opened {
  readonly page: Page
  readonly frame: FrameLocator
  /** Errors of the page and its frame, such as what a content security policy blocked. */
  readonly problems: readonly string[]
}

/** A host page as strict as the plugin's: no inline script, and events written to `events`. */
async function startPages (t: Test, server: DocumentServer): Promise<(config: object) => Promise<Opened>> {
  const pages: string[] = []
  const { origin } = await listen(t, http.createServer((request, response) => {
    const [, index, file] = request.url!.split('/')
    response.setHeader('content-security-policy', `default-src 'none'; img-src data:; script-src 'self' ${server.url}; frame-src ${server.url}`)
    response.setHeader('content-type', file === 'page.js' ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(file === 'page.js'
      ? `globalThis.events = []
         const record = name => ({ data }) => events.push([name, data])
         const events_ = Object.fromEntries(['onAppReady', 'onInfo', 'onDocumentReady', 'onDocumentStateChange', 'onError', 'onDownloadAs'].map(name => [name, record(name)]))
         globalThis.editor = new DocsAPI.DocEditor('editor', { ...${pages[Number(index)]}, events: events_ })`
      : `<!DOCTYPE html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><div id="editor"></div><script src="${server.editorApiUrl}"></script><script src="page.js"></script>`
    )
  })
  )
  return async config => {
    const page = await context.newPage()
    t.teardown(async () => await page.close())
    const problems: string[] = []
    page.on('pageerror', error => problems.push(error.message))
    page.on('console', message => { if (message.type() === 'error') problems.push(message.text()) })
    await page.goto(`${origin}/${pages.push(JSON.stringify(config)) - 1}/`)
    return { page, frame: page.frameLocator('iframe'), problems }
  }
}

async function eventsOf (page: Page): Promise<unknown[]> {
  return await page.evaluate('events')
}

/** Resolves with the text of the document that the next save brings. */
function nextSave (host: FakeHost, fileType: string): Promise<string> {
  return new Promise(resolve => {
    host.beforeAnswer = async ({ status, url }) => {
      if (status !== 2 && status !== 6) return
      const bytes = new Uint8Array(await (await fetch(String(url))).arrayBuffer())
      resolve(textBlocks(fileType, bytes)!.map(({ text }) => text).join('\n'))
    }
  })
}

async function start (t: Test) {
  const host = await startFakeHost(t)
  const server = await startDocumentServer(t)
  const open = await startPages(t, server)
  return { host, server, open: async (changes?: ConfigChanges) => await open(host.config('K', changes)), openConfig: open }
}

t.test('two people type into a .docx and see each other\'s text; closing the last tab saves everything', async t => {
  const { host, open } = await start(t)
  const ada = await open()
  await ada.frame.locator('[data-paragraph]').first().waitFor()
  const grace = await open({ user: { id: 'uid-2', name: 'Grace Hopper' } })
  await grace.frame.locator('[data-paragraph]').first().waitFor()
  await ada.frame.locator('[data-users] li').nth(1).waitFor()

  await ada.frame.locator('[data-paragraph]').nth(1).click()
  await ada.page.keyboard.press('End')
  await ada.page.keyboard.type(' Ada was here <b>.')
  await ada.page.keyboard.press('Enter')
  await ada.page.keyboard.type('A paragraph of its own')
  await grace.frame.getByText('Ada was here <b>.').waitFor()
  await grace.frame.getByText('A paragraph of its own').waitFor()

  const forced = nextSave(host, 'docx')
  await ada.frame.locator('[data-action="save"]').click()
  t.match(await forced, 'A paragraph of its own')
  await ada.frame.locator('[data-state="stored"]').waitFor()
  await ada.page.close()

  await grace.frame.locator('[data-paragraph]').last().click()
  await grace.page.keyboard.press('End')
  await grace.page.keyboard.type(' Last words')
  const saved = nextSave(host, 'docx')
  await grace.frame.locator('[data-state="received"]').waitFor()
  await grace.page.close()
  t.match(await saved, /Ada was here <b>\.\nA paragraph of its own\n[^]* Last words$/)
  t.strictSame(host.statuses(), [1, 1, 6, 1, 2])
  t.strictSame([...ada.problems, ...grace.problems], [])
})

t.test('a refused configuration is explained in the frame and reported to the page', async t => {
  const { host, openConfig } = await start(t)
  const { page, frame } = await openConfig({ ...host.config('K'), token: 'x.y.z' })
  t.match(await frame.locator('[data-screen]').innerText(), /cannot be opened[^]*token[^]*4006/)
  t.match(await eventsOf(page), [['onAppReady'], ['onError', { errorCode: -20, errorDescription: /token/ }]])
})

t.test('downloadAs returns a URL of the current content', async t => {
  const { open } = await start(t)
  const { page, frame } = await open({ name: 'notes.txt' })
  await textBox(frame).fill('current')
  await page.evaluate('editor.downloadAs()')
  await page.waitForFunction(() => (globalThis as unknown as { events: string[][] }).events.some(([name]) => name === 'onDownloadAs'))
  const [, data] = (await eventsOf(page)).at(-1) as [string, { fileType: string, url: string }]
  t.equal(data.fileType, 'txt')
  t.equal(await (await fetch(data.url)).text(), 'current')
})
