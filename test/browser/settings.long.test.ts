import { createServer } from 'node:net'
import t from 'tap'
import { createDocumentServer, type EditorConfig } from 'onlyoffice-emulator'
import { startDemo } from '../kit/programs.js'
import { listen } from '../kit/http.js'

t.setTimeout(300_000) // many processes start one after the other

const JWT_SECRET = 'the-secret-of-another-document-server-0123'

t.test('demo: EDITOR_API_URL and JWT_SECRET connect it to another document server', async t => {
  const documentServer = await createDocumentServer({ jwtSecret: JWT_SECRET, libreOffice: false })
  t.teardown(() => documentServer.close())
  const demo = await startDemo(t, { env: { EDITOR_API_URL: documentServer.editorApiUrl, JWT_SECRET } })

  const response = await fetch(`${demo.url}/edit/${await demo.idOf('Shopping list.md')}?user=jonas`)
  t.match(response.headers.get('content-security-policy'), `frame-src 'self' ${documentServer.url};`)
  const config: EditorConfig = JSON.parse(/<script type="application\/json">(.*)<\/script>/.exec(await response.text())![1]!)
  t.strictSame(config.editorConfig?.user, { id: 'jonas', name: 'Jonas Feldt' })
  const session = await documentServer.open(config)
  await session.edit('saved by another document server')
  t.match(await session.close(), { status: 2, answer: { error: 0 } })
  t.equal(Buffer.from(await demo.download('Shopping list.md')).toString(), 'saved by another document server')
})

t.test('demo: an invalid setting makes the process exit at once and print the reason', async t => {
  const taken = createServer()
  const { port } = await listen(t, taken)
  for (const [env, reason] of [
    [{ EDITOR_API_URL: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js' }, /EDITOR_API_URL needs JWT_SECRET/],
    [{ PROFILE: 'reckless' }, /PROFILE must be secure or classic/],
    [{ PORT: String(port) }, /Port \d+ on 127\.0\.0\.1 is in use/],
    [{ JWT_SECRET: 'another', PORT: 'eighty' }, /PORT/]
  ] as const) {
    await t.rejects(startDemo(t, { env }), { message: reason }, JSON.stringify(env))
  }
})
