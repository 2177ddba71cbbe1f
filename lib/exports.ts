import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import type { FastifyOnlyofficeOptions } from '../types/options.js'

/**
 * Loads the rest during registration, so that everything that serves requests and saves is there before the application
 * listens.
 */
async function loadAndRegister (app: FastifyInstance, options: FastifyOnlyofficeOptions): Promise<void> {
  const { registerEditor } = await import('./plugin.js')
  await registerEditor(app, options)
}

/**
 * The Fastify plugin: one handler route, and the decorators `editorStorage`, `editorHttpClient`, `editorControl()`,
 * `editorServer`, `editorSessions`, `editorDoctor()` and `reply.editor()`. Also the default export.
 */
export const fastifyOnlyoffice: FastifyPluginAsync<FastifyOnlyofficeOptions> = fp(loadAndRegister, {
  fastify: '5.x',
  name: 'fastify-onlyoffice'
})

// What `import` gives. index.ts adds what `require()` returns, under a name that TypeScript reads since 5.6 only: older
// ones get the types of this file (the condition `types@<5.6` in package.json).
export { fastifyOnlyoffice as default }
export { fileStorage } from './store/files/file-storage.js'
export type {
  FileStorage, FileStorageOptions, FileSweepOptions, FileSweepResult
} from './store/files/file-storage.js'
export { memoryStorage } from './store/memory.js'
export { guardedDispatcher } from './http-client/undici-client.js'
export type { GuardedDispatcherOptions } from './http-client/undici-client.js'
export { undiciClient } from './http-client/undici-client.js'
export type { UndiciClientOptions } from './http-client/undici-client.js'
export { blankDocument, blankFileTypes } from './blank/blank-document.js'
export { checkDocument } from './document-server/content-check.js'
export { fragmentType } from './control/page.js'
export { typedName } from './security/names.js'
export {
  AddressBlockedError, EditorError, FileNotFoundError, InvalidNameError, InvalidOptionError, NameTakenError
} from './errors.js'
export type * from '../types/actions.js'
export type * from '../types/blank.js'
export type * from '../types/control.js'
export type * from '../types/conversions.js'
export type * from '../types/diagnostics.js'
export type * from '../types/doctor.js'
export type * from '../types/document-server.js'
export type * from '../types/errors.js'
export type * from '../types/events.js'
export type * from '../types/history.js'
export type * from '../types/hooks.js'
export type * from '../types/http.js'
export type * from '../types/inspection.js'
export type { EditorMessages } from '../types/messages.js'
export type * from '../types/names.js'
export type * from '../types/options.js'
export type * from '../types/signed-data.js'
export type * from '../types/sessions.js'
export type * from '../types/storage.js'
export type {} from '../types/fastify.js'
