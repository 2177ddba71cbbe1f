import packagedChromium from '@sparticuz/chromium'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from 'playwright-core'
import type { Test } from 'tap'

export interface TestBrowser {
  /**
   * For the `skip` option of a test: why there is no browser, else `false`. With CI=true a missing browser is an error.
   */
  readonly missing: string | false
  /** A page of its own profile, closed when the test ends. */
  newPage (t: Test, options?: BrowserContextOptions): Promise<TestPage>
}

export interface TestPage {
  readonly page: Page
  /** Errors in the console, uncaught errors and violations of a content security policy, of all frames. */
  readonly problems: string[]
}

/** The browser's own protections stay on: those that the package switches off are what the tests are about. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--no-zygote', '--disable-dev-shm-usage', '--font-render-hinting=none']

/** Generous: a browser on a busy machine is slow. */
const TIMEOUT_MS = 120_000

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', event => {
  console.error('content security policy: ' + event.violatedDirective + ' ' + event.blockedURI)
})`

/** Starts Chromium once for a test file. */
export async function startBrowser (t: Test): Promise<TestBrowser> {
  let browser: Browser
  try {
    browser = await launchBrowser()
  } catch (error) {
    if (process.env.CI === 'true') throw error
    const missing = `Chromium can't be started: ${(error as Error).message.split('\n', 1)[0]}`
    return { missing, newPage: () => Promise.reject(new Error(missing)) }
  }
  t.teardown(() => browser.close())
  t.setTimeout(TIMEOUT_MS)

  return {
    missing: false,
    async newPage (t, options = {}) {
      t.setTimeout(TIMEOUT_MS)
      const context = await browser.newContext(options)
      context.setDefaultTimeout(TIMEOUT_MS / 2)
      t.teardown(() => context.close())
      const problems: string[] = []
      await context.addInitScript(REPORT_VIOLATIONS)
      const page = await context.newPage()
      page.on('console', message => { if (message.type() === 'error') problems.push(message.text()) })
      page.on('pageerror', error => problems.push(error.message))
      return { page, problems }
    }
  }
}

export async function launchBrowser (): Promise<Browser> {
  return await chromium.launch({ executablePath: await chromiumPath(), args: ARGUMENTS })
}

/** The frame of the editor in a page, ready for edits. */
export async function editorFrame (page: Page): Promise<Frame> {
  const element = await page.waitForSelector('[data-onlyoffice-editor] iframe')
  const frame = await element.contentFrame()
  if (!frame) throw new Error('the editor has no frame')
  await frame.waitForSelector('[data-content][aria-busy="false"]')
  return frame
}

/**
 * The package unpacks into the temp directory and takes a file that is there for complete.
 * Test files run side by side, so it unpacks into a directory of its own that gets its name when it is complete.
 */
async function chromiumPath (): Promise<string> {
  const shared = join(tmpdir(), 'fastify-onlyoffice-chromium')
  if (!existsSync(shared)) {
    const own = await mkdtemp(`${shared}-`)
    const before = process.env.TMPDIR
    process.env.TMPDIR = own
    try {
      await packagedChromium.executablePath()
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
    await rename(own, shared).catch(() => rm(own, { recursive: true }))
  }
  return join(shared, 'chromium')
}
