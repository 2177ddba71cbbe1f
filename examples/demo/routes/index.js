import { messageOf } from '../errors.js'
import { onlyOwnPagesChange } from '../guard.js'
import { messagePage } from '../pages/message.js'
import { pageSender } from './send.js'
import { conversionRoutes } from './conversions.js'
import { documentRoutes } from './documents.js'
import { editorRoutes } from './editor.js'
import { failureRoutes } from './failures.js'
import { forgottenRoutes } from './forgotten.js'
import { listRoutes } from './list.js'
import { visitorIn } from './request.js'
import { thumbnailRoutes } from './thumbnails.js'
import { uploadRoutes } from './uploads.js'
import { versionRoutes } from './versions.js'

/** @import { FastifyInstance, FastifyError } from 'fastify' */
/** @import { Documents } from '../documents.js' */
/** @import { Failures } from '../failures.js' */
/** @import { Messages } from '../messages.js' */
/** @import { Presence } from '../presence.js' */
/** @import { Thumbnails } from '../thumbnails.js' */
/** @import { SendPage } from './send.js' */
/** @typedef {{ documents: Documents, failures: Failures, messages: Messages, presence: Presence, thumbnails: Thumbnails, documentServer: DocumentServer, sendPage: SendPage }} Parts */
/** @typedef {{ url: string, isEmulated: boolean }} DocumentServer `url`: that of its api.js. */

/**
 * @param {FastifyInstance} app
 * @param {Omit<Parts, 'sendPage'>} options
 */
export async function routes (app, options) {
  /** @type {Parts} */
  const parts = { ...options, sendPage: pageSender(new URL(options.documentServer.url).origin) }
  onlyOwnPagesChange(app)

  app.setNotFoundHandler((request, reply) => {
    return parts.sendPage(
      reply.code(404),
      messagePage({
        title: 'Nothing here',
        text: 'There is no page at this URL.',
        visitor: visitorIn(request)
      })
    )
  })

  app.setErrorHandler((/** @type {FastifyError} */ error, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500 && !reply.raw.closed) request.log.error({ err: error }, 'request failed')
    const text = messageOf(error)
    reply.code(status)
    if (request.method !== 'GET' || request.headers.accept === 'application/json') return reply.send({ message: text })
    return parts.sendPage(
      reply,
      messagePage({
        title: status === 404 ? 'Document not found' : 'That did not work',
        text,
        visitor: visitorIn(request)
      })
    )
  })

  for (
    const part of [
      listRoutes,
      editorRoutes,
      documentRoutes,
      conversionRoutes,
      thumbnailRoutes,
      versionRoutes,
      failureRoutes,
      forgottenRoutes,
      uploadRoutes
    ]
  ) {
    await app.register(part, parts)
  }
}
