import { editorPage } from '../pages/editor.js'
import { preferencesIn } from '../preferences.js'
import { idIn, userIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Parts } from './index.js' */

/**
 * The page with an editor.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function editorRoutes (app, { documents, sendPage }) {
  app.get('/edit/:id', async (request, reply) => {
    const { id, name, isFavorite } = await documents.existing(idIn(request))
    const user = userIn(request)
    const preferences = preferencesIn(request.headers)
    const { mode } = /** @type {{ mode?: unknown }} */ (request.query)
    const control = app.editorControl({
      user: { id: user.id, name: user.name },
      mode: mode === 'view' ? 'view' : 'edit',
      info: { favorite: isFavorite },
      customization: { uiTheme: preferences.theme === null ? 'theme-system' : `theme-${preferences.theme}` }
    })
    await control.openDocument(id, { name })
    return sendPage(
      reply,
      editorPage({ name, user, fragment: control.render({ closeUrl: `/?user=${user.id}` }), preferences })
    )
  })
}
