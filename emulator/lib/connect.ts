import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  BrowserContext, BrowserPage, ConnectedDocumentServer, ConnectedSession, ConnectOptions
} from '../types/connect.js'
import type { EditorConfig } from '../types/document-server.js'
import { createTime, systemClock } from './protocol/clock/time.js'
import { purposes } from './protocol/tokens/purpose.js'
import { createTokens } from './protocol/tokens/tokens.js'
import { documentServerError } from './errors.js'
import { familyOf } from './formats.js'
import { API_PATH } from './url.js'

interface EditorFailure {
  readonly errorCode?: number
  readonly errorDescription?: string
}

interface CommandAnswer {
  readonly error: number
  readonly users?: readonly string[]
}

const INVALID_TOKEN = 6
const POLL_INTERVAL_MS = 250

const [WIDTH, HEIGHT] = [1280, 720]

const EVENTS = [
  'onAppReady', 'onDocumentReady', 'onDocumentStateChange', 'onError', 'onInfo', 'onOutdatedVersion', 'onRequestClose',
  'onRequestRefreshFile', 'onWarning'
]

/** The editor sends in pieces what is typed: only when it is quiet, the last one was sent. */
const IS_SENT = 'changed?.isUnsent === false && performance.now() - changed.at > 500'

/**
 * Drives a document server that is already running, such as ONLYOFFICE Docs in a container, with a browser: its own
 * editor opens the document, and keys are pressed in it. So one suite runs on the emulator for each commit, and on a
 * real server at night.
 *
 * It uses what is public: `api.js`, its events and the command service. It was tested with the emulator, not with
 * ONLYOFFICE Docs.
 *
 * @example
 * const documentServer = process.env.DOCUMENT_SERVER_URL
 *   ? await connectDocumentServer({ url: process.env.DOCUMENT_SERVER_URL, jwtSecret, browser })
 *   : await createDocumentServer({ jwtSecret })
 * const session = await documentServer.open(config)
 * await session.edit('second draft')
 * await session.close() // on a real server, the callback follows
 */
export async function connectDocumentServer (
  { url: given, jwtSecret, browser, timeout = 60_000 }: ConnectOptions
): Promise<ConnectedDocumentServer> {
  const url = given.replace(/\/+$/, '')
  const editorApiUrl = `${url}${API_PATH}`
  const tokens = createTokens({ jwtSecret }, purposes('off'), createTime(systemClock))
  const contexts = new Set<BrowserContext>()
  await command('version')

  return {
    url,
    editorApiUrl,
    open,
    async close () {
      await Promise.all([...contexts].map(async context => await context.close()))
    }
  }

  async function open (config: EditorConfig): Promise<ConnectedSession> {
    const userId = config.editorConfig?.user?.id
    if (userId === undefined || userId === null || userId === '') {
      throw new TypeError('editorConfig.user.id is missing: without it one cannot tell when this user has left')
    }
    const context = await browser.newContext()
    contexts.add(context)
    const leave = async () => {
      contexts.delete(context)
      await context.close()
    }
    try {
      const page = await context.newPage()
      await page.goto(editorApiUrl, { timeout }) // for its origin: the editor in its frame answers no page without one
      await page.setContent(htmlWith(editorApiUrl, config), { timeout })
      const opened = "events.find(([name]) => name === 'onDocumentReady' || name === 'onError')"
      await page.waitForFunction(opened, undefined, { timeout })
      const [name, failure] = await page.evaluate(opened) as readonly [string, EditorFailure?]
      if (name === 'onError') throw documentServerError(failure?.errorCode ?? null, failure?.errorDescription ?? '')
      const isSheet = familyOf(String(config.document?.fileType).toLowerCase()) === 'cell'
      return sessionIn(page, { key: String(config.document?.key), userId: String(userId), isSheet }, leave)
    } catch (error) {
      await leave()
      throw error
    }
  }

  function sessionIn (
    page: BrowserPage,
    { key, userId, isSheet }: { readonly key: string, readonly userId: string, readonly isSheet: boolean },
    leave: () => Promise<void>
  ): ConnectedSession {
    return {
      key,
      events: async () => await page.evaluate('events') as ReadonlyArray<[string, unknown?]>,
      async edit (text) {
        await page.evaluate('changed = undefined')
        await page.mouse.click(WIDTH / 2, HEIGHT / 2)
        await page.keyboard.press('ControlOrMeta+a')
        await page.keyboard.type(text)
        if (isSheet) await page.keyboard.press('Enter') // an open cell is not sent
        await page.waitForFunction(IS_SENT, undefined, { timeout })
      },
      async forceSave () {
        const { error } = await command('forcesave', { key, userdata: randomUUID() })
        if (error !== 0) throw documentServerError(error, `The command forcesave was answered with error ${error}`)
      },
      async close () {
        await page.evaluate('editor.destroyEditor()')
        await leave()
        const deadline = performance.now() + timeout
        while ((await command('info', { key })).users?.includes(userId)) {
          if (performance.now() > deadline) {
            throw new Error(`The document server still lists ${userId} after ${timeout} ms`)
          }
          await delay(POLL_INTERVAL_MS)
        }
      }
    }
  }

  /** Source: docs/document-server-protocol.md#commands */
  async function command (c: string, fields: object = {}): Promise<CommandAnswer> {
    const request = { c, ...fields }
    const response = await fetch(`${url}/coauthoring/CommandService.ashx`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, token: tokens.sign({ ...request, operation: 'command' }) }),
      signal: AbortSignal.timeout(timeout)
    })
    const answer = await response.json() as CommandAnswer
    if (answer.error === INVALID_TOKEN) {
      throw documentServerError(INVALID_TOKEN, 'The document server refuses the token: is jwtSecret its secret?')
    }
    return answer
  }
}

function htmlWith (editorApiUrl: string, config: EditorConfig): string {
  const json = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
  return `<!DOCTYPE html><title>Editor</title><style>body { margin: 0 }</style><div id="editor"></div>
<script src="${editorApiUrl}"></script>
<script>
var events = []
var changed
var editor = new DocsAPI.DocEditor('editor', {
  ...${json(config)},
  width: '${WIDTH}px',
  height: '${HEIGHT}px',
  events: Object.fromEntries(${json(EVENTS)}.map(name => [name, event => {
    events.push(event?.data === undefined ? [name] : [name, event.data])
    if (name === 'onDocumentStateChange') changed = { isUnsent: event.data, at: performance.now() }
  }]))
})
</script>`
}
