import fastifyMultipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import t from 'tap'
import { type DocumentContent, fileStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'

const LIMIT = 100_000
const STORED = 'what is stored'

const WAYS: Record<string, (app: FastifyInstance, file: DocumentContent & AsyncIterable<Uint8Array>) => Promise<unknown>> = {
  uploadDocument: async (app, file) => await app.editorControl().uploadDocument(file, 'a.txt'),
  'uploadDocument with check': async (app, file) => await app.editorControl().uploadDocument(file, 'a.txt', { check: true }),
  'createDocument from a file': async (app, file) => await app.editorControl().createDocument({ from: { content: file, title: 'a.txt' } }),
  'storage.create': async (app, file) => await app.editorStorage.create('txt', file),
  'storage.replace': async (app, file) => await app.editorStorage.replace('stored', file)
}

const REFUSED = { code: 'FST_EDITOR_TRUNCATED_CONTENT', statusCode: 413 }

t.test('an upload that the limit of its parser has cut is refused, and nothing is stored', async t => {
  const directory = t.testdir({ 'stored.txt': STORED })
  let store: (file: AsyncIterable<Uint8Array> & DocumentContent) => Promise<unknown>
  const { app, origin, storedText } = await startHost(t, {
    storage: fileStorage({ directory }),
    async prepare (app) {
      await app.register(fastifyMultipart, { throwFileSizeLimit: false, limits: { fileSize: LIMIT } })
      app.post('/upload', async request =>
        await store((await request.file())!.file).then(() => 'stored', ({ code, statusCode }) => ({ code, statusCode })))
    }
  })
  const documents = async () => (await readdir(directory)).filter(name => !name.startsWith('.'))

  for (const [name, way] of Object.entries(WAYS)) {
    store = async file => await way(app, file)
    for (const size of [LIMIT + 1, 10 * LIMIT]) t.same(await upload(size), REFUSED, `${name}: ${size} bytes`)
    t.same(await documents(), ['stored.txt'])
    t.equal(await storedText('stored'), STORED)
  }
  for (const way of Object.values(WAYS)) {
    store = async file => await way(app, file)
    t.equal(await upload(LIMIT), 'stored')
  }
  t.equal((await storedText('stored'))!.length, LIMIT)

  async function upload (size: number): Promise<unknown> {
    const form = new FormData()
    form.append('file', new Blob(['x'.repeat(size)]), 'a.txt')
    const response = await fetch(`${origin}/upload`, { method: 'POST', body: form })
    const text = await response.text()
    return text === 'stored' ? text : JSON.parse(text)
  }
})

t.test('changes that say that they are truncated are not kept with a version', async t => {
  const changes = Readable.from([Buffer.from('half')])
  Object.assign(changes, { truncated: true })
  const storage = fileStorage({ directory: t.testdir({ 'stored.txt': STORED }) })
  t.teardown(() => storage.close())
  const { revision } = (await storage.stat('stored'))!
  t.match(await storage.versions.keep('stored', revision, { changes }).catch(error => error), REFUSED)
  t.strictSame(await storage.versions.list('stored'), [])
})
