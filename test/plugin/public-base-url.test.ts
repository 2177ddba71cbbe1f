import t from 'tap'
import Fastify from 'fastify'
import editor, { memoryStorage, type SavedEvent } from '../../lib/index.js'
import { SECRET, startDocumentServer } from '../kit/document-server.js'

t.test('publicBaseUrl may be a function, which is called once, when the application listens', async t => {
  const documentServer = await startDocumentServer(t)
  const app = Fastify()
  t.teardown(() => app.close())
  const saved: SavedEvent[] = []
  let calls = 0
  await app.register(editor, {
    editorApiUrl: documentServer.editorApiUrl,
    jwtSecret: SECRET,
    storage: memoryStorage(),
    publicBaseUrl () {
      calls++
      return `${app.listeningOrigin}/`
    },
    onSaved: event => { saved.push(event) }
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const control = await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).uploadDocument(Buffer.from('old'), 'a.txt')
  t.ok(control.documentUrl.startsWith(`${origin}/Controls/`))
  t.equal((await fetch(origin + /<script type="module" src="([^"]+)"/.exec(control.render())![1]!)).status, 200)
  const session = await documentServer.open(control.config!)
  await session.edit('new')
  t.match(await session.close(), { accepted: true })
  t.match(saved, [{ stored: { fileId: control.fileId, size: 3 } }])
  t.equal(calls, 1)
})

t.test('a function that returns no such URL: the first call that needs it says so', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  let url = 'app.example.com'
  await app.register(editor, {
    editorApiUrl: 'http://127.0.0.1:9/web-apps/apps/api/documents/api.js',
    jwtSecret: SECRET,
    storage: memoryStorage(),
    publicBaseUrl: () => url
  })
  const upload = async () => await app.editorControl().uploadDocument(Buffer.from('x'), 'a.txt')
  await t.rejects(upload(), { code: 'FST_EDITOR_INVALID_OPTION', message: /^Option publicBaseUrl must return the absolute/ })
  url = 'http://app.example.com/Controls/Editor/EditorHandler.ashx'
  await t.rejects(upload(), { message: /without the path of the handler/ })
})
