import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { startBrowser } from '../../test/kit/browser.js'
import { startDocumentServer } from '../../test/kit/document-server.js'
import { connectDocumentServer } from '../lib/index.js'
import { SECRET, startFakeHost } from './support.js'

const browser = await startBrowser(t)
const skip = browser.missing

/** A document server with real time, connected to by its URL alone. */
async function start (t: Test) {
  const emulated = await startDocumentServer(t, { jwtSecret: SECRET })
  const host = await startFakeHost(t)
  const saved: string[] = []
  host.beforeAnswer = async ({ status, url }) => {
    if (status === 2 || status === 6) saved.push(await text((await fetch(String(url))).body!))
  }
  const documentServer = await connectDocumentServer({
    url: `${emulated.url}/`,
    jwtSecret: SECRET,
    timeout: 120_000, // as other steps in a browser have
    browser: {
      async newContext () {
        const { page } = await browser.newPage(t)
        return { newPage: async () => page, close: async () => await page.context().close() }
      }
    }
  })
  t.teardown(() => documentServer.close())
  return { emulated, host, documentServer, saved }
}

t.test('a person opens, edits, saves and leaves', { skip }, async t => {
  const { host, documentServer, emulated, saved } = await start(t)
  const session = await documentServer.open(host.config('one', { name: 'notes.txt' }))
  t.equal(session.key, 'one')
  t.match(await session.events(), [['onAppReady']])
  await session.edit('first\nline')
  await session.forceSave()
  await emulated.nextCallback(6)
  await session.edit('second')
  const final = emulated.nextCallback(2)
  await session.close()
  await final
  t.strictSame(saved, ['first\nline', 'second'])
})

t.test('who leaves is gone, and others stay', { skip }, async t => {
  const { host, documentServer, emulated } = await start(t)
  const session = await documentServer.open(host.config('three', { name: 'notes.txt' }))
  const other = await emulated.open(host.config('three', { name: 'notes.txt', user: { id: 'uid-2', name: 'Other' } }))
  await session.edit('together')
  await session.close()
  t.notOk(host.statuses().includes(2))
  t.equal(String(await other.content()), 'together')
  await other.close()
})

t.test('what is refused rejects with its code', { skip }, async t => {
  const { host, documentServer, emulated } = await start(t)
  const config = host.config('four', { name: 'notes.txt' })
  await t.rejects(documentServer.open({ ...config, token: `${config.token}x` }), { name: 'DocumentServerError' })
  await t.rejects(documentServer.open({ ...config, editorConfig: {} }), { name: 'TypeError', message: /user\.id/ })
  const session = await documentServer.open(config)
  await t.rejects(session.forceSave(), { name: 'DocumentServerError', code: 4 })
  await session.close()
  await t.rejects(connectDocumentServer({ url: emulated.url, jwtSecret: 'another', browser: { newContext: () => Promise.reject(new Error()) } }), { code: 6 })
})
