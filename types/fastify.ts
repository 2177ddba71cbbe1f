import type { EditorControl, EditorControlDefaults } from './control.js'
import type { EditorServer } from './document-server.js'
import type { HttpClient } from './http.js'
import type { Storage } from './storage.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The storage of the documents: the option `storage` or its default. */
    editorStorage: Storage
    /** The client for outbound requests: the option `httpClient` or its default. */
    editorHttpClient: HttpClient
    /**
     * Creates a control for one document in one page.
     *
     * @example
     * ```js
     * const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument('report')
     * ```
     */
    editorControl: (defaults?: EditorControlDefaults) => EditorControl
    /**
     * The document server's services: commands, conversions, forgotten files.
     *
     * @example
     * ```js
     * if (!await app.editorServer.healthcheck()) app.log.error('the document server is not healthy')
     * ```
     */
    editorServer: EditorServer
  }
}
