import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { EditorOptions } from '../types/options.js'

/**
 * Loads the rest during registration, so that everything that serves requests and saves is there before the application
 * listens.
 */
async function loadAndRegister (app: FastifyInstance, options: EditorOptions): Promise<void> {
  const { registerEditor } = await import('./plugin.js')
  await registerEditor(app, options)
}

/**
 * The Fastify plugin: one handler route, and the decorators `editorStorage`, `editorHttpClient`, `editorControl()`,
 * `editorServer`, `editorSessions` and `editorDoctor()`.
 */
export const editor: FastifyPluginAsync<EditorOptions> = fp(loadAndRegister, {
  fastify: '5.x',
  name: 'fastify-onlyoffice'
})
