import { Readable } from 'node:stream'
import t from 'tap'
import { memoryStorage } from '../../lib/index.js'
import { startEditing } from '../kit/editing.js'
import { startHost } from '../kit/host.js'
import { deferred } from '../kit/time.js'

t.test('the application\'s handlerTimeout does not cut a download', async t => {
  const rest = deferred()
  const storage = memoryStorage()
  const { app, downloadAsDocumentServer, origin } = await startHost(t, {
    server: { handlerTimeout: 50 },
    prepare: app => app.get('/hanging', async () => await new Promise(() => {})),
    storage: {
      ...storage,
      async read (fileId) {
        const { info } = (await storage.read(fileId))!
        return { info, body: Readable.from((async function * () { yield 'first '; await rest.promise; yield 'rest' })(), { objectMode: false }) }
      }
    }
  })
  const { fileId } = await app.editorStorage.create('txt', Buffer.from('first rest'))
  const response = await downloadAsDocumentServer(fileId)
  t.equal((await fetch(`${origin}/hanging`)).status, 503, 'as long has passed since the download began')
  rest.resolve()
  t.equal(await response.text(), 'first rest')
})

t.test('a parser of queries that makes numbers of digits changes no fileId', async t => {
  const numbers = (text: string) => Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]))
  const { storage, app, downloadAsDocumentServer, post, url } = await startEditing(t, { server: { querystringParser: numbers } })
  for (const fileId of ['007', '12345678901234567890']) {
    await storage.create('txt', Buffer.from(fileId), { fileId })
    t.equal(await (await downloadAsDocumentServer(fileId)).text(), fileId)
    const { documentKey: key } = await app.editorControl().openDocument(fileId)
    t.equal(await post({ key, status: 2, url, filetype: 'txt' }, fileId), 0)
  }
})
