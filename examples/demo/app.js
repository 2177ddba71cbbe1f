import Fastify from 'fastify'
import fastifyStatic from '@fastify/static'
import editor, { fileStorage } from 'fastify-onlyoffice'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createActions } from './actions.js'
import { openCatalogue } from './catalogue.js'
import { isFromThisMachine } from './doctor.js'
import { createDocuments } from './documents.js'
import { createFormInbox } from './forms.js'
import { createMessages } from './messages.js'
import { answerToOwnNames } from './own-names.js'
import { createPresence } from './presence.js'
import { routes } from './routes/index.js'
import { seed } from './seed.js'
import { createThumbnails } from './thumbnails.js'

/**
 * The application: an ordinary Fastify server that registers the plugin.
 * @param {object} options
 * @param {string} options.editorApiUrl
 * @param {boolean} options.isEmulated Whether it is the embedded document server.
 * @param {string | undefined} options.internalUrl
 * @param {string} options.jwtSecret
 * @param {string} options.publicBaseUrl
 * @param {string} options.host
 * @param {string[]} options.allowedHosts
 * @param {'secure' | 'classic'} options.profile
 * @param {string} options.dataDirectory
 * @param {boolean} options.hasThumbnails
 * @param {import('./failures.js').Failures} options.failures
 * @param {NonNullable<import('fastify').FastifyServerOptions['logger']>} options.logger
 */
export async function createApp (
  {
    editorApiUrl,
    isEmulated,
    internalUrl,
    jwtSecret,
    publicBaseUrl,
    host,
    allowedHosts,
    profile,
    dataDirectory,
    hasThumbnails,
    failures,
    logger
  }
) {
  const app = Fastify({ logger })
  answerToOwnNames(app, { host, publicBaseUrl, allowedHosts }) // first, so that it also protects the plugin's routes
  const catalogue = await openCatalogue(join(dataDirectory, 'documents.json'))
  const documents = createDocuments(app, catalogue)
  const messages = createMessages()

  await app.register(editor, {
    editorApiUrl,
    jwtSecret,
    publicBaseUrl,
    profile,
    storage: failures.onDisk(fileStorage({ directory: join(dataDirectory, 'uploads') })),
    documentServer: internalUrl ? { internalUrl } : {},
    doctor: { authorize: (_target, { request }) => isFromThisMachine(request) ? 'grant' : false },
    versions: { keep: 100 },
    actions: createActions(app, { documents, messages, publicBaseUrl }),
    inspect: failures.inspect,
    // A save of a document that somebody else has changed meanwhile: both are kept, and listed.
    onSaved: async ({ fileId, stored, conflict }) => {
      failures.noteSaved(fileId)
      if (conflict) await documents.addConflictCopy(stored.fileId, fileId)
    },
    onSaveFailed: ({ fileId }) => failures.noteFailed(fileId),
    // A form that somebody has filled in and submitted: the others get the answers as a message.
    onFormSubmitted: createFormInbox(documents, messages),
    onForgotten: async ({ fileType, content }) => {
      const { fileId } = await app.editorStorage.create(fileType, content)
      await documents.add(fileId, `Recovered document.${fileType}`)
    }
  })

  failures.connect(app)
  if (catalogue.isNew) await seed(app, catalogue)
  await documents.purgeOld()
  await app.register(fastifyStatic, { root: fileURLToPath(new URL('public', import.meta.url)), prefix: '/public/' })
  await app.register(routes, {
    documents,
    failures,
    messages,
    presence: createPresence(app),
    thumbnails: createThumbnails(app, { directory: join(dataDirectory, 'thumbnails'), isEnabled: hasThumbnails }),
    documentServer: { url: editorApiUrl, isEmulated }
  })
  return app
}
