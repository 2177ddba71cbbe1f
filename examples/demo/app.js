import Fastify from 'fastify'
import fastifyStatic from '@fastify/static'
import editor, { fileStorage } from 'fastify-onlyoffice'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openCatalogue } from './catalogue.js'
import { isFromThisMachine } from './doctor.js'
import { answerToOwnNames } from './own-names.js'
import { routes } from './routes.js'
import { seed } from './seed.js'

/**
 * The application: an ordinary Fastify server that registers the plugin.
 * @param {object} options
 * @param {string} options.editorApiUrl
 * @param {string | undefined} options.internalUrl
 * @param {string} options.jwtSecret
 * @param {string} options.publicBaseUrl
 * @param {string} options.host
 * @param {string[]} options.allowedHosts
 * @param {'secure' | 'classic'} options.profile
 * @param {string} options.dataDirectory
 * @param {NonNullable<import('fastify').FastifyServerOptions['logger']>} options.logger
 */
export async function createApp ({ editorApiUrl, internalUrl, jwtSecret, publicBaseUrl, host, allowedHosts, profile, dataDirectory, logger }) {
  const app = Fastify({ logger })
  answerToOwnNames(app, { host, publicBaseUrl, allowedHosts }) // first, so that it also protects the plugin's routes

  await app.register(editor, {
    editorApiUrl,
    jwtSecret,
    publicBaseUrl,
    profile,
    storage: fileStorage({ directory: join(dataDirectory, 'uploads') }),
    documentServer: internalUrl ? { internalUrl } : {},
    doctor: { authorize: isFromThisMachine }
  })

  const catalogue = await openCatalogue(join(dataDirectory, 'documents.json'))
  if (catalogue.isNew) await seed(app, catalogue)
  await app.register(fastifyStatic, { root: fileURLToPath(new URL('public', import.meta.url)), prefix: '/public/' })
  await app.register(routes, { catalogue, documentServerOrigin: new URL(editorApiUrl).origin })
  return app
}
