import http from 'node:http'
import type { BrowserContextOptions, FrameLocator, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { caretTo, choose, menuItem, type TestBrowser } from '../../../../test/kit/browser.js'
import { listen } from '../../../../test/kit/http.js'
import { createDocumentServer, type DocumentServer, type EditorConfig } from '../../../lib/index.js'
import { type FakeHost, SECRET, sign, startFakeHost } from '../../support.js'

/** A page that embeds the editor, with an event handler for each name in `handled`. */
export interface EditorPage {
  readonly page: Page
  readonly frame: FrameLocator
  /** Errors of the page and its frame, such as what a content security policy blocked. */
  readonly problems: readonly string[]
  button (name: string): Locator
  item (name: string): Locator
  choose (name: string): Promise<void>
  dialog (): Locator
  /** All events so far. */
  events (): Promise<Array<[name: string, data?: unknown]>>
  /** Waits for the event that has not been given yet, and gives its data. */
  event (name: string): Promise<unknown>
  /** Calls a method of the editor. */
  call (method: string, data?: unknown): Promise<void>
  /** Types at the end of the first paragraph. */
  type (text: string): Promise<void>
  /** Stops the timers of the page: what is typed is not sent until they go on. */
  stopTimers (): Promise<void>
  /** Waits until everything typed has arrived at the document server. */
  sent (): Promise<void>
}

export interface OpenOptions {
  readonly handled?: readonly string[]
  readonly file?: string
  /** Changes the configuration before it is signed. */
  readonly change?: (config: EditorConfig) => object
  readonly device?: BrowserContextOptions
  /** Fields that the page adds to the signed configuration. */
  readonly afterSigning?: object
}

export interface Editing {
  readonly host: FakeHost
  readonly server: DocumentServer
  open (key: string, options?: OpenOptions): Promise<EditorPage>
  config (key: string, options?: OpenOptions): object
  /** A signed argument of a method. */
  signed (data: object): object
}

const TELLING = [
  'onAppReady', 'onInfo', 'onDocumentReady', 'onDocumentStateChange', 'onError', 'onWarning', 'onDownloadAs',
  'onCollaborativeChanges', 'onUserActionRequired'
]

interface Recording {
  readonly events: Array<[name: string, data?: unknown]>
  readonly editor: Record<string, (data: unknown) => void>
}

export async function startEditing (t: Test, browser: TestBrowser): Promise<Editing> {
  const host = await startFakeHost(t)
  host.files.set('/files/table.csv', Buffer.from('a,b\n'))
  const server = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false })
  t.teardown(() => server.close())
  const scripts: string[] = []
  const { origin } = await listen(
    t,
    http.createServer((request, response) => {
      const [, index, file] = request.url!.split('/')
      response.setHeader(
        'content-security-policy',
        `default-src 'none'; img-src data:; script-src 'self' ${server.url}; frame-src ${server.url}`
      )
      response.setHeader('content-type', file === 'page.js' ? 'text/javascript' : 'text/html; charset=utf-8')
      response.end(
        file === 'page.js'
          ? scripts[Number(index)]
          : `<!DOCTYPE html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><div id="editor"></div><script src="${server.editorApiUrl}"></script><script src="page.js"></script>`
      )
    })
  )

  function config (key: string, { file = 'report.docx', change = config => config }: OpenOptions = {}): object {
    const { token, ...unsigned } = host.config(key, { name: file })
    const changed = change(unsigned)
    return { ...changed, token: sign(changed) }
  }

  return {
    host,
    server,
    config,
    signed: data => ({ ...data, token: sign(data) }),
    async open (key, options = {}) {
      const { page, problems } = await browser.newPage(t, options.device)
      await page.clock.install()
      const names = JSON.stringify([...TELLING, ...options.handled ?? []])
      const index = scripts.push(`globalThis.events = []
        const handlers = Object.fromEntries(${names}.map(name => [name, ({ data }) => events.push(data === undefined ? [name] : [name, data])]))
        globalThis.editor = new DocsAPI.DocEditor('editor', { ...${JSON.stringify({ ...config(key, options), ...options.afterSigning })}, events: handlers, height: '600px' })`) - 1
      await page.goto(`${origin}/${index}/`)
      const frame = page.frameLocator('iframe')
      const given = new Map<string, number>()
      const events = async () => await page.evaluate('events') as Recording['events']
      await frame.locator('[data-content][aria-busy="false"]').waitFor({ state: 'attached' })
      return {
        page,
        frame,
        problems,
        events,
        button: name => frame.getByRole('button', { name, exact: true }),
        item: name => menuItem(frame, name),
        choose: async name => await choose(frame, name),
        dialog: () => frame.getByRole('dialog'),
        async event (name) {
          const count = given.get(name) ?? 0
          given.set(name, count + 1)
          const found = await page.waitForFunction(([name, count]) =>
            (globalThis as unknown as Recording).events.filter(([event]) => event === name)[count as number], [name, count] as const)
          return (await found.jsonValue())![1]
        },
        async call (method, data) {
          await page.evaluate(([method, data]) => (globalThis as unknown as Recording).editor[method as string]!(data), [method, data] as const)
        },
        async type (text) {
          await caretTo('End', frame.locator('[data-paragraph]').first())
          await page.keyboard.type(text)
        },
        async stopTimers () {
          // A minute: on a busy machine the second command comes later than the first, and may not go back in time.
          await page.clock.pauseAt(await page.evaluate('Date.now() + 60_000') as number)
        },
        async sent () {
          await frame.locator('[data-state="received"]').waitFor()
        }
      }
    }
  }
}
