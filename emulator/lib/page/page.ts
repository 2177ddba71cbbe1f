import type { FastifyInstance } from 'fastify'
import type { Editing } from '../editing.js'
import { pageRoutes } from './routes.js'
import { socketRoute } from './socket.js'

/** The page in which a person edits: its files, its connection, and the versions that it shows. */
export async function page (app: FastifyInstance, editing: Editing): Promise<void> {
  await pageRoutes(app, editing.published)
  await socketRoute(app, editing)
}
