import { editorPage } from '../pages/editor.js'
import { realEditorPage } from '../pages/real-editor.js'
import { idIn, visitorIn } from './request.js'

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

  app.get('/real-editor', async (request, reply) => {
    return sendPage(reply, realEditorPage({ documentServer, visitor: visitorIn(request) }))
  })
}
