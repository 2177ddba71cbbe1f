import createError from '@fastify/error'
import contentDisposition from 'content-disposition'
import { Readable } from 'node:stream'
import { DOCTOR_PATH, isFromThisMachine } from './doctor.js'
import { extensionOf, kindOf, nameWith } from './formats.js'
import { editorPage, listPage, messagePage } from './pages.js'
import { uploadedBytes } from './upload.js'
import { userOf } from './users.js'

/** @import { FastifyInstance, FastifyReply } from 'fastify' */
/** @import { Catalogue } from './catalogue.js' */
/** @import { Html } from './html.js' */

const NoSuchDocument = createError('DEMO_NO_SUCH_DOCUMENT', 'There is no such document. It may have been deleted, or the URL is incomplete.', 404)
const UnknownFormat = createError('DEMO_UNKNOWN_FORMAT', 'Files of this kind can\'t be opened in the editor', 415)
const NoContent = createError('DEMO_NO_CONTENT', 'Send the file as the body, as application/octet-stream', 415)
const MAX_NAME_LENGTH = 200

/**
 * @param {FastifyInstance} app
 * @param {{ catalogue: Catalogue, documentServerOrigin: string }} options
 */
export async function routes (app, { catalogue, documentServerOrigin }) {
  const sendPage = pageSender(documentServerOrigin)

  app.get('/', async (request, reply) => {
    const documents = await Promise.all(catalogue.entries().map(entry => describe(entry.id)))
    return sendPage(reply, listPage({
      documents: documents.filter(document => document !== null),
      user: userIn(request.query),
      doctorPath: isFromThisMachine(request) ? DOCTOR_PATH : null
    }))
  })

  app.get('/edit/:id', async (request, reply) => {
    const { id, name } = await existing(request.params)
    const user = userIn(request.query)
    const control = app.editorControl({ user, customization: { close: { visible: true } } })
    await control.openDocument(id, { name })
    return sendPage(reply, editorPage({ name, user, fragment: control.render() }))
  })

  app.get('/documents/:id/download', async (request, reply) => {
    const { id, name } = await existing(request.params)
    const file = await app.editorStorage.read(id)
    if (!file) throw new NoSuchDocument()
    return reply
      .type('application/octet-stream')
      .header('content-length', file.info.size)
      .header('content-disposition', contentDisposition(name))
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-cache')
      .send(file.body)
  })

  app.get('/documents/:id/pdf', async (request, reply) => {
    const { id, name } = await existing(request.params)
    const control = await app.editorControl().openDocument(id, { name })
    const pdf = await control.convertToPdf()
    return reply
      .type('application/pdf')
      .header('content-disposition', contentDisposition(nameWith(name, 'pdf'), { type: 'inline' }))
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-cache')
      .send(pdf)
  })

  // Only this content type: other sites cannot send it without a CORS preflight, so they cannot upload.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  app.post('/documents', async (request, reply) => {
    const name = uploadName(request.query)
    if (!(request.body instanceof Readable)) throw new NoContent()
    const id = await app.editorControl().setDocumentFromBytes(uploadedBytes(request, request.body), name)
    await catalogue.add({ id, name })
    return reply.code(201).send({ id, name })
  })

  app.setNotFoundHandler((_request, reply) => {
    return sendPage(reply.code(404), messagePage({ title: 'Nothing here', text: 'There is no page at this URL.' }))
  })

  app.setErrorHandler((/** @type {import('fastify').FastifyError} */ error, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const text = status === 500 ? 'Something went wrong in this application.' : error.message
    reply.code(status)
    if (request.method !== 'GET') return reply.send({ message: text })
    return sendPage(reply, messagePage({ title: status === 404 ? 'Document not found' : 'That did not work', text }))
  })

  /** @param {string} id */
  async function describe (id) {
    const info = await app.editorStorage.stat(id)
    const known = catalogue.nameOf(id)
    if (!info || known === undefined) return null
    const { extension, size, modifiedAt } = info
    return { id, name: nameWith(known, extension), extension, kind: kindOf(extension) ?? 'other', size, modifiedAt }
  }

  /** @param {unknown} params */
  async function existing (params) {
    const document = await describe(/** @type {{ id: string }} */ (params).id)
    if (!document) throw new NoSuchDocument()
    return document
  }
}

/** @param {string} documentServerOrigin */
function pageSender (documentServerOrigin) {
  const contentSecurityPolicy = [
    "default-src 'none'",
    `script-src 'self' ${documentServerOrigin}`,
    `frame-src ${documentServerOrigin}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

  /**
   * @param {FastifyReply} reply
   * @param {Html} page
   */
  return function sendPage (reply, page) {
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('cache-control', 'no-store') // each time a document is opened, it needs the key of that moment
      .send(page.html)
  }
}

/** @param {unknown} query */
function userIn (query) {
  return userOf(/** @type {{ user?: unknown }} */ (query).user)
}

/** @param {unknown} query */
function uploadName (query) {
  const { name } = /** @type {{ name?: unknown }} */ (query)
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !kindOf(extensionOf(name))) throw new UnknownFormat()
  return name
}
