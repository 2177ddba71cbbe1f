import type { EditorControl, EditorControlDefaults } from './control.js'
import type { HttpClient } from './http.js'
import type { Storage } from './storage.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the documents live. */
    editorStorage: Storage
    /** Makes the outbound requests. */
    editorHttpClient: HttpClient
    /** A new control, for one document in one page. */
    editorControl: (defaults?: EditorControlDefaults) => EditorControl
  }
}
