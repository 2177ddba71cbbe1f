import type { FastifyContextConfig, LogLevel, RouteOptions } from 'fastify'
import type { ActionOptions, PageAccess, PageActionName, PageUser } from './actions.js'
import type { EditorControlDefaults } from './control.js'
import type { CallbackEvent, ForgottenFileEvent, FormSubmittedEvent, SavedEvent, SaveFailedEvent } from './events.js'
import type { VersionOptions } from './history.js'
import type { HookContext, RequestHookContext } from './hooks.js'
import type { EditorHttpClient } from './http.js'
import type { InspectEvent, InspectResult } from './inspection.js'
import type { SessionEndEvent, SessionStartEvent } from './sessions.js'
import type { EditorStorage } from './storage.js'

/**
 * A set of defaults. `secure` checks every request. `classic` behaves exactly as the original control that this library
 * re-implements, which checks nothing: for closed networks, and for migrating an existing installation step by step.
 */
export type EditorProfile = 'secure' | 'classic'

/** What a request to the handler wants to do. `fileId` is taken from the URL: a file with this ID need not exist. */
export type AuthorizeTarget =
  | { readonly action: 'callback', readonly fileId: string }
  /** `version`: of an earlier version, or of the data of its changes; absent for the document itself. */
  | { readonly action: 'download', readonly fileId: string, readonly version?: number }
  /** `url`: the URL to fetch. `fileId`: the document of the page that sent the request, if the request names one. */
  | { readonly action: 'proxy', readonly url: string, readonly fileId?: string }
  /** A page reports that its document did not open. `fileId`: that document, if it is stored here. */
  | { readonly action: 'report', readonly fileId?: string }
  /**
   * A page asks for one of the option `actions`, a configuration, the version history, or its token anew. `fileId`,
   * `user`, `mode`, `permissions` and `rights` are those of the page's token: what its control was made with, which the
   * application may not allow any more.
   */
  | PageAccess & { readonly action: PageActionName, readonly fileId: string, readonly user: PageUser | undefined }

/** Tells the time. */
export interface EditorClock {
  /** Milliseconds since the epoch. */
  now (): number
}

/**
 * Options of the plugin. They are validated at registration and never modified. An option that is set overrides the
 * default of the profile.
 *
 * Registration rejects with `InvalidOptionError` (`FST_EDITOR_INVALID_OPTION`) for an invalid or misspelt option, with
 * `AlreadyRegisteredError` (`FST_EDITOR_ALREADY_REGISTERED`) if the scope already has the plugin, or with the error of
 * `storage.ready()`.
 *
 * @example
 * ```js
 * await app.register(editor, {
 *   editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
 *   jwtSecret: process.env.JWT_SECRET,
 *   publicBaseUrl: 'https://app.example.com'
 * })
 * ```
 */
export interface FastifyOnlyofficeOptions {
  /**
   * URL of the document server's `api.js`, as the browser reaches it. Conversions and commands are sent to the origin
   * of this URL, or to `documentServer.internalUrl` if that is set. Required: `undefined`, as a variable of the
   * environment that is not set, rejects the registration.
   */
  readonly editorApiUrl: string | undefined
  /**
   * The secret shared with the document server. With a list, the first secret signs and all of them verify, so that the
   * secret can be changed without losing saves of open sessions.
   *
   * A weak secret is rejected unless `allowWeakSecret` is set. Create one with `openssl rand -hex 32`. Required, as
   * `editorApiUrl` is.
   */
  readonly jwtSecret: string | readonly string[] | undefined
  /**
   * Base URL of the application, as the document server reaches it, without query, fragment and whitespace. It must be
   * the same for all instances of the application: signatures and document keys depend on it. Required, as
   * `editorApiUrl` is. A function is called once, when the URL is needed: for a test, after `listen({ port: 0 })`.
   */
  readonly publicBaseUrl: string | (() => string) | undefined
  /**
   * Path of the handler route. It starts with a slash and does not end with one.
   *
   * @default '/Controls/Editor/EditorHandler.ashx'
   */
  readonly path?: string | undefined
  /**
   * Inserted before `path`, after the prefix of the surrounding scope. It starts with a slash and does not end with
   * one.
   *
   * @default ''
   */
  readonly prefix?: string
  /**
   * Path at which browsers reach the root of this application, if it is not the path of `publicBaseUrl`: `/office` if a
   * reverse proxy serves the application at `https://example.com/office/` and removes that path, and the document
   * server reaches the application itself. It starts with a slash and does not end with one, or is empty. Only the
   * pages' URLs of the handler begin with it. The proxy must pass `Host`: only over https do browsers say that a
   * request is of the same origin.
   *
   * @default the path of `publicBaseUrl`
   */
  readonly publicPath?: string | undefined
  /**
   * Selects the defaults of the options below.
   *
   * @default 'secure'
   */
  readonly profile?: EditorProfile | undefined
  /**
   * Stores the documents. The plugin does not close a storage that is passed here.
   *
   * @default fileStorage({ directory: 'App_Data/uploads' }), relative to the working directory
   */
  readonly storage?: EditorStorage | undefined
  /**
   * Makes the outbound requests. The plugin does not close a client that is passed here. `tls` and `timeouts.connect`,
   * `.headers` and `.idle` configure the default client only.
   *
   * @default undiciClient({ tls, timeouts })
   */
  readonly httpClient?: EditorHttpClient | undefined
  /** How the document server is reached, and how it identifies itself. */
  readonly documentServer?: {
    /**
     * Origin at which the application reaches the document server, such as `http://documentserver`, if that differs
     * from its public origin. Requests to the origin of `editorApiUrl` are sent there instead, without its virtual path
     * if it has one (`https://example.com/docs/web-apps/…`), except proxied URLs that are not result files; those of
     * result files without any path before it. Saved files are fetched there, whatever base their URLs have, unless
     * `origins` names it.
     *
     * @default none: the public origins are used
     */
    readonly internalUrl?: string | undefined
    /**
     * Origins, besides those of `editorApiUrl` and `internalUrl`, from which saved and converted files may be fetched,
     * such as that of an object store. One that is the document server's `storage.externalHost` has the same path, if
     * any: `https://files.example.com/docs`. `'any'` allows every origin, and saved files are then fetched from whatever
     * URL a callback names.
     *
     * @default []; 'any' in the classic profile
     */
    readonly origins?: readonly string[] | 'any' | undefined
    /**
     * Request header in which the document server sends its token.
     * Source: emulator/docs/document-server-protocol.md#tokens-the-document-server-sends
     *
     * @default 'Authorization'
     */
    readonly authorizationHeader?: string | undefined
    /**
     * Precedes the token in that header, including the space.
     *
     * @default 'Bearer '
     */
    readonly authorizationPrefix?: string | undefined
    /**
     * Whether the tokens of conversions, commands and document builds name their purpose in a claim `operation`.
     * Document servers from 10.0 on may demand it (`purposeCheck`), older ones ignore it. `false` is for a server that
     * refuses tokens with it. Source: emulator/docs/document-server-protocol.md#purposes-of-tokens
     *
     * @default true
     */
    readonly operationClaim?: boolean | undefined
  } | undefined
  /** The proxy action, which fetches files for the editor page. */
  readonly proxy?: {
    /**
     * What may be fetched besides the document server's result files (`/cache/files/…` and the like): an origin, or
     * `{ origin, path }` for one path and everything below it. `'any'` allows every http(s) URL.
     *
     * Everybody with an editor page can read whatever these URLs return to the application's IP address.
     *
     * @default []; 'any' in the classic profile
     */
    readonly allow?: ReadonlyArray<string | { readonly origin: string, readonly path: string }> | 'any' | undefined
    /**
     * Whether a proxy request or a report needs the page's proxy token: in the header `x-editor-proxy-token`, with the
     * page's `fileId` in the query. The fragment of `render()` contains both; see also `EditorControl.proxyToken`.
     *
     * @default true; false in the classic profile
     */
    readonly requireToken?: boolean | undefined
    /**
     * Whether to accept proxy requests and reports from pages of other origins, and proxy requests that load the
     * response as a script, style sheet, frame or the like.
     *
     * @default false; true in the classic profile
     */
    readonly crossOrigin?: boolean | undefined
  } | undefined
  /** TLS of outbound requests. Applies to the default `httpClient` only. */
  readonly tls?: {
    /**
     * Whether certificates are verified.
     *
     * @default true; false in the classic profile
     */
    readonly rejectUnauthorized?: boolean | undefined
    /**
     * Oldest accepted TLS version.
     *
     * @default 'TLSv1.2'; 'TLSv1' in the classic profile
     */
    readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined
    /**
     * Certificate authorities in PEM format. They replace the default ones.
     *
     * @default those of Node.js
     */
    readonly ca?: string | readonly string[] | undefined
  } | undefined
  /**
   * Whether a URL that is allowed only because of `documentServer.origins: 'any'` or `proxy.allow: 'any'` may lead to a
   * private, local or otherwise special IP address. URLs whose origin is named by an option always may.
   *
   * @default false; true in the classic profile
   */
  readonly allowPrivateAddresses?: boolean | undefined
  /**
   * Whether to accept a weak `jwtSecret`: shorter than 32 bytes, publicly known, repeating a shorter part, with fewer
   * than 8 different characters, or a keyboard sequence.
   *
   * @default false; true in the classic profile
   */
  readonly allowWeakSecret?: boolean | undefined
  /**
   * Whether callbacks need a valid token of the document server, for a document key of their file. With
   * `signedUrls: false` downloads need one too, for exactly their URL.
   *
   * @default true; false in the classic profile
   */
  readonly requireToken?: boolean | undefined
  /**
   * Whether the control signs download and callback URLs and the handler requires the signature. A callback needs the
   * signature and the token (`requireToken`), a download only the signature.
   *
   * @default true; false in the classic profile
   */
  readonly signedUrls?: boolean | undefined
  /**
   * Milliseconds for which a signed download URL and a page's proxy token are valid; at most 2,147,483,647 (24.8 days).
   * A signed callback URL does not expire.
   *
   * @default 86_400_000 (24 hours)
   */
  readonly downloadUrlLifetime?: number | undefined
  /**
   * Milliseconds for which a page's token (`EditorControl.pageToken`) is valid; at most 2,147,483,647 (24.8 days), and
   * never longer than `downloadUrlLifetime`. Every action answers a fresh one, and an open page renews it in time
   * (`renew`); `authorize` is asked each time. A page that was asleep for longer asks its user to reload it, unless
   * `authorize` grants the request.
   *
   * @default 3_600_000 (1 hour)
   */
  readonly pageTokenLifetime?: number | undefined
  /** What to do with a save that cannot simply replace its file. */
  readonly policies?: {
    /**
     * If someone else changed the file during the editing session. `keep-both` stores the save as a conflict copy,
     * which `onSaved` reports. `overwrite` replaces the file, unless another save in it is newer by the document
     * server's clock.
     *
     * @default 'keep-both'; 'overwrite' in the classic profile
     */
    readonly conflict?: 'keep-both' | 'overwrite' | undefined
    /**
     * If the file no longer exists. `reject` refuses the save: the document server keeps it as a forgotten file.
     * `acknowledge` accepts it: it is lost.
     *
     * @default 'reject'; 'acknowledge' in the classic profile
     */
    readonly missingFile?: 'reject' | 'acknowledge' | undefined
    /**
     * If the save's format differs from the stored file's. `follow` stores it under the extension of the new format,
     * with the same `fileId`. `ignore` stores it under the old extension.
     *
     * @default 'follow'; 'ignore' in the classic profile
     */
    readonly formatChange?: 'follow' | 'ignore' | undefined
    /**
     * If the document server could not assemble the edited document (status 3), or a final save has no `url`. `keep`
     * refuses the callback: the document server keeps the user's changes. `discard` accepts it: the document server
     * deletes them. Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
     *
     * @default 'keep'; 'discard' in the classic profile
     */
    readonly corrupted?: 'keep' | 'discard' | undefined
  } | undefined
  /**
   * How CSV files are opened and saved.
   *
   * @experimental
   */
  readonly csv?: {
    /**
     * Whether a CSV file keeps its separator, encoding, byte order mark and line ends. When it is opened, the editor is
     * told separator and encoding, so that it does not ask (`document.options`). A save is written with them: the
     * document server writes commas, UTF-8 and line feeds. The cells are as the editor wrote them: `7` in place of
     * `007`. What cannot be written so is stored as the document server sent it, with a warning in the log.
     *
     * @default true; false in the classic profile
     */
    readonly preserve?: boolean | undefined
    /**
     * The encoding of files that are not in Unicode.
     *
     * @default 'windows-1252'
     */
    readonly encoding?: `windows-125${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}` | undefined
  } | undefined
  /**
   * How often fetching a saved file is retried after a transient failure: no response, a truncated response, or status
   * 408, 429 or 5xx. From 0 to 10. All attempts together are limited by `timeouts.total`.
   *
   * @default 2
   */
  readonly saveRetries?: number | undefined
  /**
   * How many saves are fetched at the same time; at least 1. Others wait, so that a burst of them does not use up
   * memory and hold up other requests. One that has waited for ten seconds is fetched all the same.
   *
   * @default 16
   */
  readonly concurrentSaves?: number | undefined
  /**
   * Hook: authorizes requests to the handler, for example those of logged-in users.
   *
   * - `false` denies a request, even one with valid credentials.
   * - `true` and `undefined` leave the decision to the credentials.
   * - `'grant'` allows a request without credentials, or with an expired download URL, proxy token or page token, and a
   *   request of a page of another origin. It does not allow a wrong URL signature, a wrong proxy or page token, a
   *   missing page token, or what the page's control forbids. For callbacks it counts as `true`.
   *
   * The request is also denied if the hook throws, rejects, returns anything else, or does not finish within
   * `timeouts.hooks`.
   *
   * For `actions` the hook runs before the body is read, where `request.body` is undefined, and again if the body
   * arrives more than a second later: its user may have lost the rights meanwhile. For a callback it runs after the
   * body.
   *
   * @default every decision is left to the credentials
   * @example
   * ```js
   * // A page asks for something: its user must still be allowed to read the document.
   * authorize: async (target, { request }) => {
   *   if (!('rights' in target)) return undefined // the document server asks: it has no session
   *   return await mayRead(request.session?.user, target.fileId)
   * }
   *
   * // Logged-in users may also download what they may read by a link without a signature.
   * authorize: async (target, { request }) => {
   *   if (target.action !== 'download' || !request.session?.user) return undefined
   *   return await mayRead(request.session.user, target.fileId) ? 'grant' : undefined
   * }
   * ```
   */
  readonly authorize?: ((
    target: AuthorizeTarget,
    context: RequestHookContext
  ) => boolean | 'grant' | undefined | Promise<boolean | 'grant' | undefined>) | undefined
  /**
   * Hook: decides whether content may be stored, when all its bytes are there and before anything else is: for a virus
   * scanner, or to label documents. The content is refused with `InspectionFailedError`
   * (`FST_EDITOR_INSPECTION_FAILED`), and what is stored stays, if the hook throws, rejects, returns anything else, or
   * has not finished within `timeouts.inspect`, replacement included. The document server keeps every save that is
   * refused. What it repeats is inspected again, unless it was stored.
   *
   * Not inspected: what the application stores itself without `check`, and what `onForgotten` and `actions.saveAs` get.
   *
   * @default everything is stored
   * @example
   * ```js
   * inspect: async ({ content }, { signal }) =>
   *   await isInfected(content, signal) ? { reject: true, message: 'The document contains a virus' } : true
   * ```
   */
  readonly inspect?: ((event: InspectEvent, context: HookContext) => InspectResult | Promise<InspectResult>) | undefined
  /**
   * Hook: called with every authorized callback before it is processed. The callback waits for it, at most
   * `timeouts.hooks`. If it fails or times out, that is logged and the callback is processed anyway.
   *
   * @example
   * ```js
   * onCallback: event => {
   *   if (event.status === 1) showEditors(event.fileId, event.users ?? [])
   * }
   * ```
   */
  readonly onCallback?: ((event: CallbackEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called with every save after it is durably stored. The document server is answered after the hook, or after
   * `timeouts.hooks`. If the process ends first, the document server repeats a final save, and the hook is called then,
   * with the same `id`, unless something newer is stored. So another instance may call it again for a save that is
   * repeated. Of a force save that was stored although its callback was not answered, nothing tells but the saves that
   * follow. If the hook fails or times out, that is logged, and the save stays stored. Source:
   * emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
   *
   * @example
   * ```js
   * onSaved: async ({ id, stored, users }) => {
   *   await versions.insertOnce({ id, fileId: stored.fileId, revision: stored.revision, users })
   * }
   * ```
   */
  readonly onSaved?: ((event: SavedEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called once with every save that could not be stored and was refused. If it fails or times out
   * (`timeouts.hooks`), that is logged.
   *
   * @example
   * ```js
   * onSaveFailed: async ({ fileId, code, error }) => {
   *   await alertOperator(`${fileId} was not saved (${code}): ${error.message}`)
   * }
   * ```
   */
  readonly onSaveFailed?: ((event: SaveFailedEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called with the answers of a user who submits a form, at least once: several times if the document server
   * repeats them, with the same `id`. The form that is stored stays as it is. If the hook throws, rejects or does not
   * finish within `timeouts.hooks`, or the answers cannot be fetched, the editor tells the user that the form was not
   * submitted, and the hook is called when it is submitted again.
   *
   * Everybody who sees a document can submit a form, a viewer too, with any answers: check them, and check whether this
   * user may send any. Only forms count (`pdf`, and the older `oform` and `docxf`): for other documents, for more than
   * 10,000 fields and for more than 16 MiB (16,777,216 bytes) of data the document server is answered `{"error":1}`,
   * and the log says why.
   *
   * What the user has entered is also in the final save of the session, like any change: let each person fill in a copy
   * (`createDocument({ from })`).
   *
   * @default a submitted form is refused; with `requireToken: false`, as in the profile `classic`, it is stored as a
   *   force save
   * @example
   * ```js
   * onFormSubmitted: async ({ id, fileId, user, data }) => {
   *   await answers.insertOnce({ id, fileId, userId: user?.id, answers: JSON.stringify(data) })
   * }
   * ```
   */
  readonly onFormSubmitted?: ((event: FormSubmittedEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called when somebody begins to edit a document that nobody was editing, usually once for each session, also
   * on several instances: the instance that notes the session in the storage calls it. Nothing waits for the hook. If
   * it fails or times out, that is logged.
   *
   * The event is not delivered if the process ends before; it may be delivered again after a power failure. A report
   * that arrives under a document key that already had its final save starts a session only once the document server
   * confirms it.
   *
   * @example
   * ```js
   * onSessionStart: async ({ fileId, key, users }) => {
   *   await presence.insert({ fileId, key, users })
   * }
   * ```
   */
  readonly onSessionStart?: ((event: SessionStartEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called when nobody edits a document any more, usually once for each `onSessionStart`, and not before that
   * call has ended if both are on one instance. Of a save it is called when the save is stored, independently of
   * `onSaved`. A force save does not end a session. Nothing waits for the hook. If it fails or times out, that is
   * logged.
   *
   * The event is not delivered if the process ends before. `editorSessions.list()` tells what is being edited now.
   *
   * @example
   * ```js
   * onSessionEnd: async ({ fileId, key, reason }) => {
   *   await presence.delete({ fileId, key })
   *   if (reason === 'refused') await alertOperator(`a save of ${fileId} is still at the document server`)
   * }
   * ```
   */
  readonly onSessionEnd?: ((event: SessionEndEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called by `recoverForgotten` with the content of a forgotten file whose document no longer exists. When it
   * has finished, the document server's copy is deleted. If it throws, rejects or does not finish within
   * `timeouts.hooks`, the document server keeps the file, and the next run calls the hook again. Several instances may
   * call it with the same file.
   *
   * @default such files are left at the document server
   * @example
   * ```js
   * onForgotten: async ({ fileType, content }, { log }) => {
   *   const { fileId: copy } = await app.editorStorage.create(fileType, content)
   *   log.warn({ copy }, 'the document was deleted while it was edited: the edit is in the copy')
   * }
   * ```
   */
  readonly onForgotten?: ((event: ForgottenFileEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * A route that shows the doctor's report: `GET <path>/doctor`, as a page in a browser, or as JSON with `?format=json`
   * or `Accept: application/json`. `?fileId=…` also explains why this document does not open or is not saved.
   *
   * The route examines at most once every few seconds, regardless of the caller. It refuses requests that pages of
   * other sites cause.
   *
   * @default there is no such route
   * @example
   * ```js
   * doctor: { authorize: (_target, { request }) => request.session?.user?.isAdmin ? 'grant' : false }
   * ```
   */
  readonly doctor?: {
    /**
     * Hook: whether a request may see the report. The report names the origins, settings and versions of the set-up,
     * but no secret. As in the option `authorize`, only `'grant'` allows a request without credentials, and here is no
     * request with any: every other result, `true` among them, a rejection, or a timeout (`timeouts.hooks`) refuses it
     * with status 403.
     */
    readonly authorize: (
      target: { readonly fileId?: string | undefined },
      context: RequestHookContext
    ) => boolean | 'grant' | undefined | Promise<boolean | 'grant' | undefined>
  } | undefined
  /**
   * Defaults of every control: what all pages of the application have in common. What `app.editorControl()` is given
   * takes precedence, wherever it is given. Objects such as `customization`, `permissions` and `document` are merged,
   * field by field; lists are replaced.
   *
   * @default { customization: { macros: false, plugins: false } }; {} in the profile `classic`
   * @example
   * ```js
   * defaults: { lang: 'de', customization: { forcesave: true } }
   * ```
   */
  readonly defaults?: EditorControlDefaults | undefined
  /**
   * Hook: whether the user may edit a document now. `false` or a reason opens it for viewing, and the page shows the
   * reason, which is text; `''` is `false`. Called by `openDocument` of a control that may edit, and when its page
   * asks for a configuration or to change the document; `request` is only there for a page. If the hook fails, returns
   * anything else, or has not settled within `timeouts.hooks`, the document opens for viewing. Editors that are open
   * are not interrupted: `app.editorSessions.freeze` does that.
   *
   * @default everybody may whose control says so
   * @example
   * ```js
   * canEdit: async ({ fileId }) => {
   *   const lock = await webdavLocks.find(fileId)
   *   return lock ? `${lock.owner} has locked the document.` : true
   * }
   * ```
   */
  readonly canEdit?: ((
    target: { readonly fileId: string, readonly user: PageUser | undefined },
    context: HookContext
  ) => boolean | string | Promise<boolean | string>) | undefined
  /**
   * What the editor can ask of the application: to rename the document, save a copy, insert an image and so on.
   *
   * @default only fresh configurations
   */
  readonly actions?: ActionOptions | undefined
  /**
   * Milliseconds between force saves of documents that are being edited; from 1000 to 2,147,483,647. The document
   * server leaves those alone in which nothing was typed since their last save. `onSaved` is called for each save, and
   * each may add a version. Every instance asks for the documents that it has seen edited, and one save is made.
   *
   * @default a document is saved when everybody has left, or on a force save
   */
  readonly saveEvery?: number | undefined
  /** How `editorServer.recoverForgotten` works. */
  readonly recovery?: {
    /**
     * Milliseconds between two runs; at most 2,147,483,647. The first run is at a random time within the interval. For
     * several instances the same value is fine.
     *
     * @default it runs only when it is called
     */
    readonly interval?: number | undefined
    /**
     * The document of a key that does not tell it: one that the application assigned as `documentKey`, or that of a
     * document whose `fileId` is longer than 46 characters (33 bytes, with other characters than `[0-9A-Za-z_-]`).
     * Called if no record contains the key. Returns or resolves to the `fileId`, or to `undefined` for a key of another
     * application.
     *
     * @default such forgotten files are left at the document server
     */
    readonly fileIdOf?: ((
      target: { readonly key: string },
      context: HookContext
    ) => string | undefined | Promise<string | undefined>) | undefined
  } | undefined
  /**
   * Keeps earlier versions of every document in the storage: what a save or `EditorControl.restore` replaces is kept in
   * the same write, with the document server's data of the changes.
   * Content that the application replaces through the storage is not kept. `{}` keeps them with all defaults.
   *
   * @default no versions are kept
   * @example
   * ```js
   * versions: { keep: 50, maxAge: 365 * 24 * 60 * 60 * 1000 }
   * ```
   */
  readonly versions?: VersionOptions | undefined
  /**
   * Bytes that a saved, converted or proxied file may have, counted after decompression.
   *
   * @default 1_073_741_824 (1 GiB)
   */
  readonly maxFileSize?: number | undefined
  /**
   * Bytes that the body of a callback may have. A larger callback is refused.
   *
   * @default 4_194_304 (4 MiB)
   */
  readonly bodyLimit?: number | undefined
  /** Time limits in milliseconds; each from 100 to 2,147,483,647. */
  readonly timeouts?: {
    /**
     * To establish a connection. Default `httpClient` only.
     *
     * @default 10_000
     */
    readonly connect?: number | undefined
    /**
     * From sending an outbound request to receiving the response headers. Default `httpClient` only.
     *
     * @default 30_000
     */
    readonly headers?: number | undefined
    /**
     * Between two chunks of a response (default `httpClient` only). A download whose client reads nothing for this long
     * is ended, after at most twice this time.
     *
     * @default 30_000
     */
    readonly idle?: number | undefined
    /**
     * For one outbound request, from start to the end of the body, redirects included. Also for all attempts to fetch
     * one saved file.
     *
     * @default 300_000 (5 minutes)
     */
    readonly total?: number | undefined
    /**
     * For the body of a callback, or of a page's request, to arrive.
     *
     * @default 30_000
     */
    readonly body?: number | undefined
    /**
     * For one call of a hook: `authorize`, `onCallback`, `onSaved`, `onSaveFailed`, `onFormSubmitted`,
     * `onSessionStart`, `onSessionEnd`, `onForgotten`, `doctor.authorize`, `recovery.fileIdOf`, and those of `actions`.
     *
     * @default 30_000
     */
    readonly hooks?: number | undefined
    /**
     * For one call of `inspect`. With the other limits it must stay below the 10 minutes for which the document server
     * waits. Source: emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
     *
     * @default 60_000 (1 minute)
     */
    readonly inspect?: number | undefined
    /**
     * For one call of a storage method. A call that receives a saved file may take `timeouts.total` in addition.
     *
     * @default 30_000
     */
    readonly storage?: number | undefined
    /**
     * If the document server last reported a session longer ago than this, the plugin asks it whether the session still
     * exists before another user joins it.
     *
     * @default 3_600_000 (1 hour)
     */
    readonly session?: number | undefined
    /**
     * How long `app.close()` waits for saves in progress and for the hooks of sessions. Saves that are not stored by
     * then are refused.
     *
     * @default 30_000
     */
    readonly close?: number | undefined
  } | undefined
  /**
   * Source of the current time, for tests: signed URLs, proxy tokens, the document server's tokens and sessions are
   * dated and expire by it.
   *
   * @default { now: () => Date.now() }
   */
  readonly clock?: EditorClock | undefined
  /** Log level of the plugin's routes, as in Fastify. */
  readonly logLevel?: LogLevel
  /** Constraints of the plugin's routes, as in Fastify. */
  readonly constraints?: RouteOptions['constraints'] | undefined
  /**
   * Config of all of the plugin's routes, as in Fastify: for hooks and plugins of the application that read
   * `request.routeOptions.config`. Each route also has `config.onlyoffice`, which tells who asks.
   * `swaggerTransform`: what `@fastify/swagger` shows of the routes, by default their own schemas.
   *
   * @default {}
   * @example
   * ```js
   * config: { public: true, rateLimit: false }
   * ```
   */
  readonly config?: FastifyContextConfig & Readonly<Record<string, unknown>> | undefined
}
