import { editorPage } from '../pages/editor.js'
import { realEditorPage } from '../pages/real-editor.js'
import { twoPage } from '../pages/two.js'
import { users } from '../users.js'
import { documentIn, idIn, visitorIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * The page with an editor, and the one about which editor it is.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function editorRoutes (app, { documents, documentServer, sendPage }) {
  app.get('/edit/:id', async (request, reply) => {
    const { id, name, isFavorite } = await documents.existing(idIn(request))
    const visitor = visitorIn(request)
    const { user, preferences: { lang, theme } } = visitor
    const { mode } = /** @type {{ mode?: unknown }} */ (request.query)
    const control = app.editorControl({
      user: { id: user.id, name: user.name },
      lang,
      mode: mode === 'view' ? 'view' : 'edit',
      info: { favorite: isFavorite },
      customization: { uiTheme: `theme-${theme ?? 'system'}` }
    })
    await control.openDocument(id, { title: name })
    return sendPage(reply, editorPage({ name, fragment: control.render({ closeUrl: `/?user=${user.id}` }), visitor }))
  })

  app.get('/two', async (request, reply) => {
    const document = await documents.toTry(documentIn(request))
    if (document === null) return reply.redirect('/')
    const visitor = visitorIn(request)
    const other = users.filter(({ id }) => id !== visitor.user.id).slice(0, 1)
    return sendPage(reply, twoPage({ document, both: [visitor.user, ...other], visitor }))
  })

  app.get('/real-editor', async (request, reply) => {
    return sendPage(reply, realEditorPage({ documentServer, visitor: visitorIn(request) }))
  })
}
