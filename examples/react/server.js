/*
Settings besides those of ../environment.js:
PAGE_DIRECTORY    what `vite build` has made. Default: page/dist
*/
import { closeWithProcess } from '../environment.js'
import { resolve } from 'node:path'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'
import editor, { fileStorage, fragmentType } from 'fastify-onlyoffice'

const USER = { id: 'ada', name: 'Ada Lovelace' } // in your application: the user of the request's session

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const { PAGE_DIRECTORY = resolve(import.meta.dirname, 'page/dist') } = process.env
const { origin: documentServer } = new URL(EDITOR_API_URL)
const app = Fastify({ logger: { level: 'warn' } })
await app.register(editor, {
  editorApiUrl: EDITOR_API_URL,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: PUBLIC_BASE_URL,
  path: '/editor',
  storage: fileStorage({ directory: 'App_Data/react' })
})

/** In your application: a table. */
const documents = new Map()
for (const title of ['Minutes.docx', 'Ideas.docx']) {
  const { fileId } = await app.editorControl().createDocument('docx')
  documents.set(fileId, title)
}

app.get('/documents', async () => Array.from(documents, ([fileId, title]) => ({ fileId, title })))

// What <document-editor> fetches: it takes answers of this media type only. Who may open the document is decided here.
app.get('/documents/:fileId/editor', async (request, reply) => {
  const { fileId } = /** @type {{ fileId: string }} */ (request.params)
  const title = documents.get(fileId)
  if (title === undefined) return reply.callNotFound()
  const control = await app.editorControl({ user: USER }).openDocument(fileId, { title })
  return reply.type(fragmentType).header('cache-control', 'no-store').send(control.render())
})

await app.register(fastifyStatic, {
  root: resolve(PAGE_DIRECTORY),
  setHeaders: reply =>
    reply.header(
      'content-security-policy',
      `default-src 'none'; script-src 'self' ${documentServer}; style-src 'self'; frame-src ${documentServer}; connect-src 'self'; img-src data:`
    )
})

closeWithProcess(app)
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)
