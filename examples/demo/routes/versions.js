import { NoSuchDocument } from '../errors.js'
import { baseOf } from '../formats.js'
import { versionsPage } from '../pages/versions.js'
import { listText } from '../pages/texts.js'
import { idIn, userIn, visitorIn } from './request.js'
import { sendFile } from './send.js'

/** @import { FastifyInstance, FastifyRequest } from 'fastify' */
/** @import { HistoryVersion } from 'fastify-onlyoffice' */
/** @import { Parts } from './index.js' */

/**
 * Earlier versions as a list. What was changed in them is shown by the editor.
 * @param {FastifyInstance} app
 * @param {Parts} parts
 */
export async function versionRoutes (app, { documents, sendPage }) {
  app.get('/documents/:id/versions', async (request, reply) => {
    const document = await documents.existing(idIn(request))
    const control = await app.editorControl().openDocument(document.id, { title: document.name })
    const { history } = await control.history()
    const [present, ...earlier] = history.toReversed()
    return sendPage(reply, versionsPage({
      document,
      present: present ? described(present) : null,
      earlier: earlier.map(described),
      visitor: visitorIn(request)
    }))
  })

  app.get('/documents/:id/versions/:version', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const number = numberIn(request)
    const found = await app.editorStorage.versions?.read(id, number)
    if (!found) throw new NoSuchDocument()
    return sendFile(reply, {
      name: `${baseOf(name)} (version ${number}).${found.version.fileType}`,
      body: found.body,
      size: found.version.size
    })
  })

  app.post('/documents/:id/versions/:version/restore', async (request, reply) => {
    const { id, name } = await documents.existing(idIn(request))
    const { id: userId, name: userName } = userIn(request)
    const control = await app.editorControl({ user: { id: userId, name: userName } }).openDocument(id, { title: name })
    await control.restore(numberIn(request), { timeout: 0 })
    return reply.code(204).send()
  })
}

/** @param {HistoryVersion} version */
function described ({ version, created, user, changes, restored }) {
  const names = new Set([...changes ?? []].map(change => change.user?.name).filter(name => name !== undefined))
  if (user) names.add(user.name)
  return { number: version, at: new Date(`${created.replace(' ', 'T')}Z`), authors: listText([...names]), restored }
}

/** @param {FastifyRequest} request */
function numberIn ({ params }) {
  const { version } = /** @type {{ version: string }} */ (params)
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new NoSuchDocument()
  return Number(version)
}
