import { isFromThisMachine } from '../doctor.js'
import { NotHere, UnusableRequest } from '../errors.js'
import { failuresPage } from '../pages/failures.js'
import { documentIn, fieldsIn, visitorIn } from './request.js'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Kind } from '../failures.js' */
/** @import { Parts } from './index.js' */

const PATH = '/failures'

/**
 * The page on which failures are caused. Only for users of this machine, as the doctor.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function failureRoutes (app, { documents, failures, sendPage }) {
  app.addHook('onRequest', async request => {
    if (!isFromThisMachine(request)) throw new NotHere()
  })

  app.get(PATH, async (request, reply) => {
    const [all, shown] = await Promise.all([documents.list(), documents.toTry(documentIn(request))])
    const report = failures.report()
    const affected = report.documents.map(({ id, storedAt }) => ({
      name: all.find(document => document.id === id)?.name ?? 'A document that was deleted',
      storedAt
    }))
    return sendPage(reply, failuresPage({
      report: { ...report, documents: affected },
      offered: failures.offered,
      shown,
      visitor: visitorIn(request)
    }))
  })

  app.post(PATH, async (request, reply) => {
    const { kind } = fieldsIn(request)
    if (!failures.offered.some(offered => offered === kind)) throw new UnusableRequest()
    await failures.cause(/** @type {Kind} */ (kind))
    return reply.code(204).send()
  })

  app.delete(PATH, async (_request, reply) => {
    await failures.end()
    return reply.code(204).send()
  })
}
