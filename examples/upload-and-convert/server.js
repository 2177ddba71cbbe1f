import { closeWithProcess } from '../environment.js'
import multipart from '@fastify/multipart'
import contentDisposition from 'content-disposition'
import Fastify from 'fastify'
import editor, { FileNotFoundError, fileStorage } from 'fastify-onlyoffice'
import { html, trusted } from '../demo/html.js'
import { wordsFor } from './words.js'

/** @import { MultipartFile } from '@fastify/multipart' */
/** @import { FastifyError, FastifyRequest } from 'fastify' */

const MAX_BYTES = 10 * 1024 * 1024
const USER = { id: '7', name: 'Ada' } // in your application: the user of the request's session

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const app = Fastify({ logger: { level: 'warn' } })
const { RequestFileTooLargeError } = await app.register(multipart, {
  limits: { fileSize: MAX_BYTES, files: 1, fields: 0 }
}).then(() => app.multipartErrors)
await app.register(editor, {
  editorApiUrl: EDITOR_API_URL,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: PUBLIC_BASE_URL,
  storage: fileStorage({ directory: 'App_Data/upload-and-convert' })
})

/**
 * Titles by fileId. In your application: a table.
 * @type {Map<string, string>}
 */
const documents = new Map()

app.setErrorHandler((error, request, reply) => {
  const { statusCode = 500, ...details } = /** @type {FastifyError} */ (error)
  if (statusCode >= 500) request.log.error({ err: error })
  return reply.code(statusCode).type('text/html; charset=utf-8').send(
    page('Not possible', html`<p>${wordsFor({ statusCode, ...details })} <a href="/">Back</a></p>`)
  )
})

app.get('/', async (request, reply) => {
  const list = Array.from(documents, ([fileId, name]) => html`<li>
    <img src="/documents/${fileId}/thumbnail" alt="" width="120" height="160">
    <a href="/documents/${fileId}">${name}</a> <a href="/documents/${fileId}/pdf">As PDF</a>`)
  return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page('Documents', html`
    <form method="post" action="/documents" enctype="multipart/form-data"><input type="file" name="file" required aria-label="Document"> <button>Upload</button></form>
    <ul>${list}</ul>`))
})

app.post('/documents', async (request, reply) => {
  // Another site's form can send files with the user's cookies. Every browser says where a form comes from.
  if (!['same-origin', undefined].includes(/** @type {string | undefined} */ (request.headers['sec-fetch-site']))) {
    return reply.code(403).send()
  }
  const upload = await request.file()
  if (!upload?.filename) return reply.redirect('/', 303)
  const fileId = await app.editorControl().setDocumentFromBytes(bytesOf(upload), upload.filename, { check: true })
  documents.set(fileId, upload.filename)
  return reply.redirect(`/documents/${fileId}`, 303)
})

app.get('/documents/:fileId', async (request, reply) => {
  const { control, name } = await open(request)
  return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(
    page(name, trusted(control.render({ closeUrl: '/' })))
  )
})

app.get('/documents/:fileId/pdf', async (request, reply) => {
  const { control, name } = await open(request)
  const { body, mediaType } = await control.convert({ outputType: 'pdf', signal: AbortSignal.timeout(60_000) })
  return reply.type(mediaType).header('content-disposition', contentDisposition(name.replace(/\.[^.]+$/, '.pdf'))).send(
    body
  )
})

app.get('/documents/:fileId/thumbnail', async (request, reply) => {
  const { control } = await open(request)
  const { body, mediaType } = await control.thumbnail({ width: 240, height: 320, signal: AbortSignal.timeout(60_000) })
  return reply.type(mediaType).header('cache-control', 'private, no-cache').send(body)
})

closeWithProcess(app)
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)

/**
 * The bytes of an upload. Beyond the limit the stream just ends, so that half of a document would be stored.
 * @param {MultipartFile} upload
 */
async function * bytesOf ({ file }) {
  yield * file
  if (file.truncated) throw new RequestFileTooLargeError()
}

/** @param {FastifyRequest} request */
async function open (request) {
  const { fileId } = /** @type {{ fileId: string }} */ (request.params)
  const name = documents.get(fileId) // in your application: only if this user may open it
  if (name === undefined) throw new FileNotFoundError()
  return { name, control: await app.editorControl({ user: USER }).openDocument(fileId, { name }) }
}

/**
 * @param {string} title
 * @param {import('../demo/html.js').Html} content
 */
function page (title, content) {
  return html`<!doctype html>
    <html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,">
    <style>body { margin: 0; font-family: system-ui } form, ul, p { padding: 1rem } [data-onlyoffice-editor] { height: 100dvh }</style>
    ${content}`.html
}
