/*
An application whose pages are made by React: the server gives it a configuration as JSON.

PORT                          port to listen on. Default: 3000
EDITOR_API_URL, JWT_SECRET    a document server. Default: an emulated one
PUBLIC_BASE_URL               URL at which the document server reaches this application. Default: http://127.0.0.1:<PORT>
*/
import Fastify from 'fastify'
import editor, { fileStorage } from 'fastify-onlyoffice'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'

const USER = { id: 'ada', name: 'Ada Lovelace' } // in your application: the user of the request's session

const { PORT = '3000', PUBLIC_BASE_URL = `http://127.0.0.1:${PORT}` } = process.env
const { editorApiUrl, jwtSecret } = await documentServer()
const { origin } = new URL(editorApiUrl)
const app = Fastify({ logger: { level: 'warn' } })

await app.register(editor, {
  editorApiUrl,
  jwtSecret,
  publicBaseUrl: PUBLIC_BASE_URL,
  storage: fileStorage({ directory: fileURLToPath(new URL('App_Data/', import.meta.url)) })
})

/** In your application: a table. */
const documents = new Map()
for (const [name, text] of [['Minutes.txt', 'Minutes of the meeting'], ['Ideas.txt', 'A list of ideas']]) {
  const { fileId } = await app.editorStorage.create('txt', Buffer.from(text))
  documents.set(fileId, name)
}

app.get('/documents', async () => Array.from(documents, ([fileId, name]) => ({ fileId, name })))

app.get('/documents/:fileId/config', async ({ params: { fileId } }, reply) => {
  const name = documents.get(fileId)
  if (name === undefined) return reply.callNotFound()
  const control = await app.editorControl({ user: USER, customization: { close: { visible: true } } }).openDocument(fileId, { name })
  return reply.header('cache-control', 'no-store').send({ documentServerUrl: origin, config: control.config })
})

const assets = { '/': ['index.html', 'text/html; charset=utf-8'], '/main.js': ['main.js', 'text/javascript'], '/main.css': ['main.css', 'text/css'] }
for (const [path, [name, type]] of Object.entries(assets)) {
  app.get(path, async (_request, reply) => reply
    .type(type)
    .header('content-security-policy', `default-src 'none'; script-src 'self' ${origin}; style-src 'self'; frame-src ${origin}; connect-src 'self'; img-src data:`)
    .send(createReadStream(new URL(`public/${name}`, import.meta.url))))
}

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log(`Open http://127.0.0.1:${PORT}`)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, async () => { await app.close(); process.exit() })

async function documentServer () {
  const { EDITOR_API_URL, JWT_SECRET } = process.env
  if (EDITOR_API_URL) return { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET ?? '' }
  const { createDocumentServer } = await import('onlyoffice-emulator')
  const jwtSecret = randomBytes(32).toString('hex')
  const { editorApiUrl } = await createDocumentServer({ jwtSecret })
  return { editorApiUrl, jwtSecret }
}
