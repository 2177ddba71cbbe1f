// Chromium: `startBrowser` once for a test file, `startPages` for a service whose pages have an editor in them. The
// rest finds its way in such a page.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { DocumentServer, SentRequest } from 'onlyoffice-emulator'
import { type Browser, type BrowserContextOptions, chromium, type Frame, type FrameLocator, type Locator, type Page, type WebSocketRoute } from 'playwright-core'
import type { Test } from 'tap'
import type { EditorControlDefaults, FastifyOnlyofficeOptions, RenderOptions } from '../../lib/index.js'
import { startDocumentServer } from './document-server.js'
import { HANDLER, type Host, startHost } from './host.js'

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

/** For what hangs, not for what is slow: on a busy machine a page takes ten times as long. */
const FILE_TIMEOUT_MS = 900_000
const STEP_TIMEOUT_MS = 120_000

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
    const reason = (error as Error).message.split('\n', 1)[0]
    const missing = `This machine has no Chromium that starts (npm run install:tools): ${reason}`
    return { missing, newPage: () => Promise.reject(new Error(missing)) }
  }
  t.teardown(() => browser.close())
  t.setTimeout(FILE_TIMEOUT_MS)

  return {
    missing: false,
    async newPage (t, options = {}) {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(STEP_TIMEOUT_MS)
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
      const path = createRequire(new URL('../../scripts/tools/package.json', import.meta.url)).resolve('@sparticuz/chromium')
      const { default: packagedChromium } = await import(pathToFileURL(path).href)
      await packagedChromium.executablePath()
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
    await rename(own, shared).catch(() => rm(own, { recursive: true }))
  }
  return join(shared, 'chromium')
}

/** A service with the plugin, a document server that keeps real time, and pages with an editor in them. */
export interface Pages extends Host {
  readonly documentServer: DocumentServer
  /** Stores a document of the fixtures. Resolves to its fileId. */
  store (name: string): Promise<string>
  open (fileId: string, options?: OpenOptions): Promise<Opened>
}

export interface PagesOptions extends Omit<Partial<FastifyOnlyofficeOptions>, 'documentServer'> {
  /** Adds routes to the application. */
  readonly prepare?: (app: FastifyInstance) => unknown
  readonly defaults?: EditorControlDefaults
  readonly render?: RenderOptions
  /** HTML of the page before the editor. */
  readonly before?: string
}

export interface OpenOptions {
  readonly user?: string
  readonly mode?: 'edit' | 'view'
  /** Names of events the page asks for and answers itself. */
  readonly events?: string
  /** Stands between the page's connection and the document server. */
  readonly onSocket?: (socket: WebSocketRoute) => void
  /** Breaks the configuration's token: the editor is not ready then. */
  readonly badToken?: string
  /** The page's time can be advanced, from before it loads. */
  readonly movableTime?: boolean
  /** More of the page's query. */
  readonly query?: Readonly<Record<string, string>>
}

export interface Opened {
  readonly page: Page
  readonly documentServer: DocumentServer
  readonly editor: Frame
  /** Errors of the page and its frames so far. */
  readonly problems: string[]
  /** All events of the editor so far, by their DOM names, with their data. */
  events (): Promise<Array<[name: string, data?: unknown]>>
  /** Waits for the first event of a name and gives its data. */
  event (name: string): Promise<unknown>
  /** A button of the editor. */
  button (name: string): Locator
  /** An item of the editor's menus, whether or not its menu is open. */
  item (name: string): Locator
  /** Opens the menu of an item, and chooses it. */
  choose (name: string): Promise<void>
  /** Calls `use` with the exports of the page's module and the fragment, and gives what it resolves to. */
  withModule (use: string): Promise<any>
}

const EVENTS = [
  'appready', 'documentready', 'documentstatechange', 'editorerror', 'warning', 'info', 'metachange',
  'outdatedversion', 'downloadas', 'requestclose', 'requestrefreshfile', 'useractionrequired'
]

interface Recording { readonly events: Array<[name: string, data?: unknown]> }

const RECORD = `globalThis.events = []
for (const name of ${JSON.stringify(EVENTS)}) document.addEventListener(name, ({ detail }) => events.push(detail === undefined || detail === null ? [name] : [name, detail]))
const asked = new URLSearchParams(location.search).get('events')
if (asked !== null) document.querySelector('[data-onlyoffice-editor]').dataset.events = asked
for (const name of (asked ?? '').split(' ')) document.addEventListener(name.slice(2).toLowerCase(), event => event.preventDefault())`

/** Editor pages have a strict policy. */
export async function startPages (
  t: Test,
  browser: TestBrowser,
  { defaults = {}, render = {}, before = '', prepare, ...options }: PagesOptions = {}
): Promise<Pages> {
  const documentServer = await startDocumentServer(t)
  const host = await startHost(t, {
    documentServerOrigin: documentServer.url,
    ...options,
    prepare (app) {
      prepare?.(app)
      app.get('/record.js', async (request, reply) => reply.type('text/javascript').send(RECORD))
      // The page's own query may be logged; the log is searched for one of the plugin's.
      app.get<{ Params: { fileId: string }, Querystring: Record<string, string> }>('/edit/:fileId', { logLevel: 'warn' }, async ({ params, query }, reply) => {
        const { user = 'Ada Lovelace', mode, badToken } = query
        const control = app.editorControl({ user: { id: user.split(' ')[0]!.toLowerCase(), name: user }, ...(mode === 'view' ? { mode } : {}), ...defaults })
        await control.openDocument(params.fileId)
        const html = `<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark"><title>Editor</title><link rel="icon" href="data:,"><script type="module" src="/record.js"></script>${before}${control.render(render)}`
        return reply.type('text/html').header('content-security-policy', `default-src 'none'; script-src 'self' ${documentServer.url}; frame-src ${documentServer.url}; connect-src 'self'; img-src 'self' data:; base-uri 'none'`).send(badToken === undefined ? html : html.replace(/(?<="token":")[^"]*/, badToken))
      })
    }
  })

  return {
    ...host,
    documentServer,
    async store (name) {
      const content = readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url))
      return (await host.storage.create(name.split('.').at(-1)!, content)).fileId
    },
    async open (fileId, { onSocket, movableTime = false, query = {}, ...options } = {}) {
      const { page, problems } = await browser.newPage(t)
      if (movableTime) await page.clock.install()
      if (onSocket !== undefined) await page.routeWebSocket(/\/doc\/socket$/, onSocket)
      await page.goto(`${host.origin}/edit/${fileId}?${new URLSearchParams({ ...options, ...query })}`)
      const editor = options.badToken === undefined ? await editorFrame(page) : (await (await page.waitForSelector('iframe')).contentFrame())!
      return {
        page,
        editor,
        documentServer,
        problems,
        button: name => page.frameLocator('[data-onlyoffice-editor] iframe').getByRole('button', { name, exact: true }),
        item: name => menuItem(page.frameLocator('[data-onlyoffice-editor] iframe'), name),
        choose: async name => await choose(page.frameLocator('[data-onlyoffice-editor] iframe'), name),
        withModule: async use => await page.evaluate(`import(${JSON.stringify(`${HANDLER}/assets/editor.js`)}).then(module => (${use})(module, document.querySelector('[data-onlyoffice-editor]')))`),
        events: async () => await page.evaluate('events'),
        async event (name) {
          // A function: a text would be evaluated again and again in the page, whose policy may forbid that.
          const first = await page.waitForFunction(name => (globalThis as unknown as Recording).events.find(([event]) => event === name), name)
          return (await first.jsonValue() as unknown[])[1]
        }
      }
    }
  }
}

/**
 * An api.js whose editor raises what a test says, and notes what it is asked for and given: the emulator's has no dialogs,
 * answers at once, and numbers versions.
 */
export const SCRIPTED_API = `DocsAPI = { DocEditor: function (id, { events }) {
  document.getElementById(id).replaceWith(document.createElement('iframe'))
  asked = []
  answers = []
  raise = (name, data) => events[name]({ data })
  this.downloadAs = format => { asked.push(format ?? '') }
  this.setHistoryData = data => { answers.push(data) }
  this.destroyEditor = () => {}
} }`

/** The editor that takes the place of the present one when `action` was done, ready for edits. */
export async function nextEditor ({ page, event }: Opened, action: () => Promise<unknown>): Promise<Frame> {
  await event('documentready') // the page may hear of it later than the frame shows the document
  const ready = "globalThis.events.filter(([name]) => name === 'documentready').length"
  const before = await page.evaluate(ready)
  await action()
  await page.waitForFunction(
    before =>
      (globalThis as unknown as Recording).events.filter(([name]) => name === 'documentready').length > before,
    before as number
  )
  return await editorFrame(page)
}

/** An item of the editor's menus, whether or not its menu is open. */
export function menuItem (editor: Frame | FrameLocator, name: string): Locator {
  return editor.locator('[role^="menuitem"]:not([hidden])').and(editor.getByText(name, { exact: true }))
}

/** Opens the menu of an item, and chooses it. */
export async function choose (editor: Frame | FrameLocator, name: string): Promise<void> {
  const item = menuItem(editor, name)
  await item.locator('xpath=ancestor::*[@data-menu]').locator('[aria-haspopup]').click()
  await item.click()
}

/** The paragraph that has this text. */
export function paragraph ({ editor }: Opened, text: string) {
  return editor.locator('[data-paragraph]', { hasText: text })
}

/** Where the text of a document is edited. */
export function textBox (editor: Frame | FrameLocator): Locator {
  return editor.locator('[role="textbox"][aria-multiline="true"]')
}

/** The text that is shown, a line for each paragraph. */
export async function shownText (editor: Frame | FrameLocator): Promise<string> {
  return (await editor.locator('[data-paragraph]').allTextContents()).join('\n')
}

/** Sets the caret to the start or the end of a paragraph of one line. */
export async function caretTo (key: 'Home' | 'End', paragraph: Locator): Promise<void> {
  await paragraph.click()
  await paragraph.page().keyboard.press(key)
}

/** Writes at the end of a paragraph. */
export async function append (opened: Opened, text: string, added: string, options?: { readonly delay: number }): Promise<void> {
  await caretTo('End', paragraph(opened, text))
  await opened.page.keyboard.type(added, options)
}

/**
 * Closes the page, or leaves it as it is told, when everything typed has arrived, and waits until the application has
 * answered what that causes.
 */
export async function close ({ editor, page, documentServer }: Opened, leave: () => Promise<unknown> = () => page.close()): Promise<void> {
  const endings = () => documentServer.sentRequests.filter(({ body }) => isEnding(body))
  await editor.waitForSelector('[data-state]:not([data-state="editing"], [data-state="saving"])')
  const before = endings().length // also those that are not answered yet
  await leave()
  while (endings().filter(({ answer }) => answer !== null).length <= before) await documentServer.nextCallback()
}

/** From now on the page's time stands still until a test moves it, and so does that of what has a time limit. */
export async function stopTime (page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
}

/** A callback of which somebody's leaving is the cause. */
function isEnding (body: SentRequest['body']): boolean {
  const { status, actions } = body ?? {}
  return status === 2 || status === 4 || (status === 1 && (actions as Array<{ type: number }> | undefined)?.[0]?.type === 0)
}

/** Statuses of the callbacks so far. */
export function statuses ({ documentServer }: Pages): unknown[] {
  return documentServer.sentRequests.flatMap(({ body }) => body === null ? [] : [body.status])
}

interface PageImage {
  readonly naturalWidth: number
  decode (): Promise<void>
}

/** Pixels of an image that the page shows; it rejects if it can't be shown. Runs in the page. */
export async function widthOf (element: unknown): Promise<number> {
  const image = element as PageImage
  await image.decode()
  return image.naturalWidth
}
