import type { EditorControl, EditorControlDefaults, EditorPageOptions } from './control.js'
import type { DoctorOptions, DoctorReport } from './doctor.js'
import type { EditorServer } from './document-server.js'
import type { EditorHttpClient } from './http.js'
import type { EditorSessions } from './sessions.js'
import type { EditorStorage } from './storage.js'

/**
 * Who sends the requests of a route:
 *
 * - `document-server`: the handler route and the scripts of document builds. It has no session and no login; the plugin
 *   checks the signatures and tokens of its requests. Pages with an editor use the handler route, too, and prove that
 *   by a token of their own.
 * - `page`: the actions that a page with an editor asks for, and its module, from the browser of a user, with the
 *   cookies of this origin. The plugin checks the page's token; the module is public.
 * - `operator`: the doctor's page. `doctor.authorize` decides.
 */
export type EditorCaller = 'document-server' | 'page' | 'operator'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Set on every route of the plugin, for hooks of the application: `request.routeOptions.config.onlyoffice`.
     *
     * @example
     * ```js
     * app.addHook('onRequest', async (request, reply) => {
     *   if (request.routeOptions.config.onlyoffice?.caller === 'document-server') return // it has no session
     *   if (!request.session.user) return reply.redirect('/login')
     * })
     * ```
     */
    onlyoffice?: { readonly caller: EditorCaller } | undefined
  }
  interface FastifyReply {
    /**
     * Sends a whole HTML page that shows the control's document in an editor as high as the window, with
     * `Cache-Control: no-store` and the control's `links` as further headers. For a page of your own, use
     * `control.render()`.
     *
     * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or this is no control.
     * @example
     * ```js
     * app.get('/edit/:fileId', async (request, reply) => {
     *   const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
     *   return reply.editor(await control.openDocument(request.params.fileId))
     * })
     * ```
     */
    editor: (control: EditorControl, options?: EditorPageOptions) => this
  }
  interface FastifyInstance {
    /** The storage of the documents: the option `storage` or its default. */
    editorStorage: EditorStorage
    /** The client for outbound requests: the option `httpClient` or its default. */
    editorHttpClient: EditorHttpClient
    /**
     * Creates a control for one document in one page. The option `defaults` has what all of them have in common.
     *
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the defaults have an unknown name, or a value of
     * another type. What only newer editors know may be inside of `document`, `editorConfig`, `customization` and so
     * on.
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
    /**
     * The documents that users are editing, and what can be done about it.
     *
     * @example
     * ```js
     * const users = await app.editorSessions.users('report')
     * ```
     */
    editorSessions: EditorSessions
    /**
     * Examines the set-up: whether application and document server reach each other, the secrets, clocks, versions, and
     * the storage. It sends requests to both and writes nothing that users see. Never rejects because of what it finds.
     * Calls at the same time share one examination. Source: docs/doctor.md lists the codes.
     *
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has another type.
     * @throws the reason of `signal`, once it is aborted.
     * @example
     * ```js
     * const { healthy, findings } = await app.editorDoctor()
     * const errors = findings.filter(({ status }) => status === 'error')
     * if (!healthy) app.log.error({ errors }, 'the editor does not work')
     * ```
     */
    editorDoctor: (options?: DoctorOptions) => Promise<DoctorReport>
  }
}
