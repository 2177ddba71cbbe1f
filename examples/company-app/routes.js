import { html, trusted } from '../demo/html.js'
import { userOf } from './login.js'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */

const STYLE =
  'body { margin: 0; font-family: system-ui } h1, form, ul { padding: 0 1rem } [data-onlyoffice-editor] { height: 100dvh }'

/**
 * The pages, all of them behind the login.
 * @param {FastifyInstance} app
 * @param {{ documents: ReturnType<typeof import('./documents.js').createDocuments> }} options
 */
export async function routes (app, { documents }) {
  for (const [name, isShared] of /** @type {const} */ ([['Plan.docx', true], ['Diary.docx', false]])) {
    documents.add(await app.editorControl().createDocument('docx'), { name, owner: 'ada', isShared })
  }

  app.get('/style.css', { config: { public: true } }, async (request, reply) => reply.type('text/css').send(STYLE))

  app.get('/api/documents', async request => documents.of(user(request).id))

  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())

  app.get('/', async (request, reply) => {
    const { id, name } = user(request)
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page(`Documents of ${name}`, html`<h1>${name}</h1>
      <ul>${documents.of(id).map(({ fileId, name }) => html`<li><a href="/documents/${fileId}">${name}</a>`)}</ul>
      <form method="post" action="/documents" enctype="multipart/form-data"><input type="file" name="file" required aria-label="Document"> <button>Upload</button></form>
      <form method="post" action="/logout"><button>Log out</button></form>`))
  })

  app.get('/documents/:fileId', async (request, reply) => {
    const { fileId } = /** @type {{ fileId: string }} */ (request.params)
    const mode = documents.modeFor(fileId, user(request).id)
    if (mode === null) return reply.callNotFound() // not 403: it would say that there is such a document
    const { name = '' } = documents.get(fileId) ?? {}
    const control = await app.editorControl({ user: user(request), mode }).openDocument(fileId, { name })
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(
      page(name, trusted(control.render({ closeUrl: '/' })))
    )
  })

  app.post('/documents', async (request, reply) => {
    const upload = await request.file()
    if (!upload?.filename) return reply.redirect('/', 303)
    const fileId = await app.editorControl().setDocumentFromBytes(await upload.toBuffer(), upload.filename, {
      check: true
    })
    documents.add(fileId, { name: upload.filename, owner: user(request).id, isShared: false })
    return reply.redirect(`/documents/${fileId}`, 303)
  })
}

/**
 * The login hook has made sure that there is one.
 * @param {FastifyRequest} request
 */
function user (request) {
  return /** @type {NonNullable<ReturnType<typeof userOf>>} */ (userOf(request))
}

/**
 * @param {string} title
 * @param {import('../demo/html.js').Html} content
 */
function page (title, content) {
  return html`<!doctype html>
    <html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css">${content}`.html
}
