import type { EditorControl, EditorControlDefaults, EditorPageOptions } from './control.js'
import type { DoctorOptions, DoctorReport } from './doctor.js'
import type { EditorServer } from './document-server.js'
import type { EditorHttpClient } from './http.js'
import type { EditorSessions } from './sessions.js'
import type { EditorStorage } from './storage.js'

/**
 * Who sends requests to a route:
 *
 * - `document-server`: the handler route, the scripts of document builds, and `<path>/probe`, which shows the doctor
 *   whether requests arrive. The document server has no session and no login; the plugin checks the signatures and
 *   tokens of its requests. Pages with an editor also use the handler route, with a token of their own.
 * - `page`: the actions of a page with an editor, and its module, requested by a user's browser with the cookies of
 *   this origin. The plugin checks the page's token; the module is public.
 * - `operator`: the doctor's page. `doctor.authorize` decides.
 */
export type EditorCaller = 'document-server' | 'page' | 'operator'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Set on every route of the plugin, so that the application's hooks can recognize them:
     * `request.routeOptions.config.onlyoffice`.
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
     * Sends a complete HTML page that shows the control's document in an editor as high as the window. It sets
     * `Cache-Control: no-store` and sends the control's `links` as `Link` headers. For a page of your own, use
     * `control.render()`.
     *
     * @throws NoDocumentError (`FST_EDITOR_NO_DOCUMENT`): no document is open.
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option is invalid, or `control` is not a control.
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
     * Creates a control for one document in one page. Settings that all controls share go in the option `defaults`.
     *
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): a name in `defaults` is unknown, or a value has the
     * wrong type. Inside of `document`, `editorConfig`, `customization` and so on, unknown names are allowed, for newer
     * editors.
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
     * The documents that users are editing: list them, freeze, rename or delete them, and close editors.
     *
     * @example
     * ```js
     * const users = await app.editorSessions.users('report')
     * ```
     */
    editorSessions: EditorSessions
    /**
     * Examines the set-up: the connections between application and document server, the secrets, clocks, versions, and
     * the storage. It sends requests to both, and writes nothing that users see. Problems are reported as findings,
     * never by rejecting; docs/doctor.md lists their codes. Simultaneous calls share one examination.
     *
     * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): an option has the wrong type.
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
