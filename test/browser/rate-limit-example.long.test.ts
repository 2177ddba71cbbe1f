import http from 'node:http'
import t from 'tap'
import { createApp } from '../../examples/rate-limit/app.js'
import { memoryStorage } from '../../lib/index.js'
import { editorFrame, shownText, startBrowser } from '../kit/browser.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'
import { listen } from '../kit/http.js'
import { searchedLog } from '../kit/log.js'

const browser = await startBrowser(t)

t.test(
  'rate limit example: its page opens the editor under its content security policy until the client exceeds the limit',
  { skip: browser.missing },
  async t => {
    const now = Date.now()
    t.capture(Date, 'now', () => now) // the minute is not over, however long the page takes
    const documentServer = await startDocumentServer(t)
    const httpServer = http.createServer()
    const { origin } = await listen(t, httpServer)
    const storage = memoryStorage()
    const app = await createApp({
      perMinute: 2,
      server: { logger: searchedLog(t, [SECRET]), serverFactory: handler => httpServer.on('request', handler) },
      editor: { editorApiUrl: documentServer.editorApiUrl, jwtSecret: SECRET, publicBaseUrl: origin, storage }
    })
    t.teardown(() => app.close())
    await app.ready()
    const { fileId } = await storage.create('txt', Buffer.from('first draft'))
    const { page, problems } = await browser.newPage(t)

    const opened = await page.goto(`${origin}/edit/${fileId}`)
    t.match(opened?.headers()['content-security-policy'], /default-src 'none'/)
    const editor = await editorFrame(page)
    t.equal(await shownText(editor), 'first draft')
    t.strictSame(problems, [])

    // The page, and the download of a document server at the same address: that was all.
    t.equal((await page.reload())?.status(), 429)
  })
