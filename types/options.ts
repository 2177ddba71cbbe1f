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
 * A set of defaults. `secure` checks every request. `classic` checks nothing and behaves exactly like the original
 * ASP.NET control that this library re-implements. It is for closed networks, and for migrating an existing
 * installation step by step.
 */
export type EditorProfile = 'secure' | 'classic'

/** What a request to the handler wants to do. `fileId` comes from the URL: there may be no file with this ID. */
export type AuthorizeTarget =
  | { readonly action: 'callback', readonly fileId: string }
  /**
   * `version`: the number of an earlier version whose content or changes are wanted. Absent for the current content.
   */
  | { readonly action: 'download', readonly fileId: string, readonly version?: number }
  /** `url`: the URL to fetch. `fileId`: the document of the page that sent the request, if the request names it. */
  | { readonly action: 'proxy', readonly url: string, readonly fileId?: string }
  /** A page reports that its document did not open. `fileId`: that document, if it is stored here. */
  | { readonly action: 'report', readonly fileId?: string }
  /**
   * A page uses one of `actions`, asks for a configuration or the version history, or renews its token. `fileId`,
   * `user`, `mode`, `permissions` and `rights` come from the page's token. They are what its control was created with:
   * check whether the user still has these rights.
   */
  | PageAccess & { readonly action: PageActionName, readonly fileId: string, readonly user: PageUser | undefined }

/** A source of the current time. */
export interface EditorClock {
  /** Milliseconds since the epoch. */
  now (): number
}

/**
 * Options of the plugin. They are validated at registration and never modified. An option that you set overrides the
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
   * URL of the document server's `api.js`, as the browser reaches it. Conversions and commands are sent to its origin,
   * unless `documentServer.internalUrl` is set. Required: registration fails if it is `undefined`, for example because
   * an environment variable is not set.
   */
  readonly editorApiUrl: string | undefined
  /**
   * The secret shared with the document server. Pass a list to change the secret without losing the saves of open
   * sessions: the first secret signs, and all of them verify.
   *
   * A weak secret is rejected unless `allowWeakSecret` is set. Create one with `openssl rand -hex 32`. Required, like
   * `editorApiUrl`.
   */
  readonly jwtSecret: string | readonly string[] | undefined
  /**
   * Base URL of the application, as the document server reaches it, without query, fragment and whitespace. All
   * instances of the application must use the same URL, because signatures and document keys depend on it. Required,
   * like `editorApiUrl`. A function is called once, when the URL is first needed: use one in tests, where the port is
   * known only after `listen({ port: 0 })`.
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
   * Path at which browsers reach the root of this application, if it differs from the path of `publicBaseUrl`. Example:
   * the document server reaches the application directly, but browsers go through a reverse proxy that serves it at
   * `https://example.com/office/` and removes `/office`; then set `/office`. It starts with a slash and does not end
   * with one, or is empty. Only the handler's URLs in pages use it. The proxy must pass on the `Host` header: without
   * https, browsers do not mark same-origin requests, and the plugin compares `Host` with the page's origin.
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
   * Makes the outbound requests. The plugin does not close a client that is passed here. `tls`, `timeouts.connect`,
   * `timeouts.headers` and `timeouts.idle` apply only to the default client.
   *
   * @default undiciClient({ tls, timeouts })
   */
  readonly httpClient?: EditorHttpClient | undefined
  /** How to reach the document server, and how it identifies itself. */
  readonly documentServer?: {
    /**
     * Origin at which the application reaches the document server, such as `http://documentserver`, if that differs
     * from its public origin. Requests to the origin of `editorApiUrl` are sent there instead. If the public URL has a
     * virtual path (`https://example.com/docs/web-apps/…`), that path is removed; for result files, any path in front
     * is removed. Proxied URLs that are not result files still use the public origin. Saved files are fetched from here
     * whatever base their URLs have, unless `origins` lists that base.
     *
     * @default none: the public origins are used
     */
    readonly internalUrl?: string | undefined
    /**
     * More origins from which saved and converted files may be fetched, besides `editorApiUrl` and `internalUrl`: for
     * example the document server's object store. For the document server's `storage.externalHost`, include its path,
     * if any: `https://files.example.com/docs`. `'any'` allows every origin; saved files are then fetched from whatever
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
     * Text before the token in that header, including the space.
     *
     * @default 'Bearer '
     */
    readonly authorizationPrefix?: string | undefined
    /**
     * Whether the tokens for conversions, commands and document builds name their purpose in a claim `operation`.
     * Document servers from 10.0 on may require it (`purposeCheck`); older ones ignore it. Set `false` only if your
     * server refuses such tokens. Source: emulator/docs/document-server-protocol.md#purposes-of-tokens
     *
     * @default true
     */
    readonly operationClaim?: boolean | undefined
  } | undefined
  /** The proxy action, which fetches files for the editor page. */
  readonly proxy?: {
    /**
     * What the proxy may fetch, besides the document server's result files (`/cache/files/…` and the like): an origin,
     * or `{ origin, path }` for one path and everything below it. `'any'` allows every http(s) URL.
     *
     * Everybody with an editor page can read whatever these URLs return to the application's own IP address.
     *
     * @default []; 'any' in the classic profile
     */
    readonly allow?: ReadonlyArray<string | { readonly origin: string, readonly path: string }> | 'any' | undefined
    /**
     * Whether proxy requests and reports need the page's proxy token, in the header `x-editor-proxy-token`, with the
     * page's `fileId` in the query. The fragment of `render()` contains both; see also `EditorControl.proxyToken`.
     *
     * @default true; false in the classic profile
     */
    readonly requireToken?: boolean | undefined
    /**
     * Whether to accept proxy requests and reports from pages of other origins, and proxy requests that load the
     * response as a script, a style sheet, a frame or similar.
     *
     * @default false; true in the classic profile
     */
    readonly crossOrigin?: boolean | undefined
  } | undefined
  /** TLS for outbound requests. Applies only to the default `httpClient`. */
  readonly tls?: {
    /**
     * Whether to verify certificates.
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
     * @default the authorities of Node.js
     */
    readonly ca?: string | readonly string[] | undefined
  } | undefined
  /**
   * Whether a URL that only `documentServer.origins: 'any'` or `proxy.allow: 'any'` allows may lead to a private, local
   * or otherwise special IP address. Keep it `false` to protect internal services. URLs whose origin an option names
   * may always lead there.
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
   * Whether callbacks need a valid token from the document server, for a document key of their file. Without
   * `signedUrls`, downloads need one too, for exactly their URL.
   *
   * @default true; false in the classic profile
   */
  readonly requireToken?: boolean | undefined
  /**
   * Whether the control signs download and callback URLs, and the handler checks the signature. A download then needs
   * only the signature; a callback needs the signature and the token (`requireToken`).
   *
   * @default true; false in the classic profile
   */
  readonly signedUrls?: boolean | undefined
  /**
   * Milliseconds for which signed download URLs and proxy tokens are valid; at most 2,147,483,647 (24.8 days). Signed
   * callback URLs do not expire.
   *
   * @default 86_400_000 (24 hours)
   */
  readonly downloadUrlLifetime?: number | undefined
  /**
   * Milliseconds for which a page's token (`EditorControl.pageToken`) is valid; at most 2,147,483,647 (24.8 days). It
   * is never valid for longer than `downloadUrlLifetime`. An open page renews its token in time (`renew`), and every
   * action returns a fresh one; `authorize` is called each time. A page that was asleep for longer asks its user to
   * reload it, unless `authorize` returns `'grant'`.
   *
   * @default 3_600_000 (1 hour)
   */
  readonly pageTokenLifetime?: number | undefined
  /** How to handle a save that cannot simply replace its file. */
  readonly policies?: {
    /**
     * What to do if someone else changed the file during the editing session. `keep-both` stores the save as a conflict
     * copy, which `onSaved` reports. `overwrite` replaces the file, unless the file contains a save that is newer by
     * the document server's clock.
     *
     * @default 'keep-both'; 'overwrite' in the classic profile
     */
    readonly conflict?: 'keep-both' | 'overwrite' | undefined
    /**
     * What to do if the file no longer exists. `reject` refuses the save, and the document server keeps it as a
     * forgotten file. `acknowledge` accepts the callback, and the save is lost.
     *
     * @default 'reject'; 'acknowledge' in the classic profile
     */
    readonly missingFile?: 'reject' | 'acknowledge' | undefined
    /**
     * What to do if the save's format differs from the stored file's. `follow` stores it with the extension of the new
     * format, under the same `fileId`. `ignore` stores it with the old extension.
     *
     * @default 'follow'; 'ignore' in the classic profile
     */
    readonly formatChange?: 'follow' | 'ignore' | undefined
    /**
     * What to do if the document server could not assemble the edited document (status 3), or a final save has no
     * `url`. `keep` refuses the callback, and the document server keeps the user's changes. `discard` accepts it, and
     * the document server deletes them. Source:
     * emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
     *
     * @default 'keep'; 'discard' in the classic profile
     */
    readonly corrupted?: 'keep' | 'discard' | undefined
  } | undefined
  /**
   * How to open and save CSV files.
   *
   * @experimental
   */
  readonly csv?: {
    /**
     * Whether a CSV file keeps its separator, encoding, byte order mark and line ends. The editor does not ask the user
     * for separator and encoding, because the configuration contains them (`document.options`). Saves are converted
     * back, because the document server writes commas, UTF-8 and line feeds. Cells stay as the editor wrote them: `7`
     * instead of `007`. A save that cannot be converted is stored as the document server sent it, with a warning in the
     * log.
     *
     * @default true; false in the classic profile
     */
    readonly preserve?: boolean | undefined
    /**
     * The encoding to assume for files that are not Unicode.
     *
     * @default 'windows-1252'
     */
    readonly encoding?: `windows-125${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}` | undefined
  } | undefined
  /**
   * How often to retry fetching a saved file after a transient failure: no response, a truncated response, or status
   * 408, 429 or 5xx. From 0 to 10. `timeouts.total` limits all attempts together.
   *
   * @default 2
   */
  readonly saveRetries?: number | undefined
  /**
   * How many saves to fetch at the same time; at least 1. Others wait, so that a burst of saves does not use up memory
   * or delay other requests. A save that has waited for ten seconds is fetched anyway.
   *
   * @default 16
   */
  readonly concurrentSaves?: number | undefined
  /**
   * Hook: decides whether a request to the handler is allowed, for example by the login of its user.
   *
   * - `false` denies a request, even one with valid credentials.
   * - `true` and `undefined` leave the decision to the credentials.
   * - `'grant'` also allows a request without credentials, with an expired download URL, proxy token or page token, or
   *   from a page of another origin. It does not allow a wrong URL signature, a wrong proxy or page token, a missing
   *   page token, or anything that the page's control forbids. For callbacks it counts as `true`.
   *
   * The request is also denied if the hook throws, rejects, returns anything else, or does not finish within
   * `timeouts.hooks`.
   *
   * For `actions`, the hook runs before the body is read, so `request.body` is undefined. If the body arrives more than
   * a second later, it runs again, because the user may have lost the rights meanwhile. For a callback it runs after
   * the body.
   *
   * @default the credentials decide
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
   * Hook: decides whether content may be stored, for example after a virus scan; it can also replace the content, for
   * example to label documents. It runs when all bytes have arrived, before any of them is visible.
   *
   * If the hook throws, rejects, returns anything else, or does not finish within `timeouts.inspect` (replacement
   * included), the content is refused with `InspectionFailedError` (`FST_EDITOR_INSPECTION_FAILED`), and the stored
   * document stays as it is. The document server keeps every refused save. A save that it repeats is inspected again,
   * unless it was stored.
   *
   * Not inspected: content that the application stores itself without `check`, and content for `onForgotten` and
   * `actions.saveAs`.
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
   * Hook: called with every authorized callback before it is processed. The callback waits for the hook, at most
   * `timeouts.hooks`. If the hook fails or times out, the failure is logged and the callback is processed anyway.
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
   * Hook: called with every save after it is durably stored. The document server gets its answer after the hook, or
   * after `timeouts.hooks`. If the hook fails or times out, the failure is logged and the save stays stored.
   *
   * The hook may be called again for the same save, by another instance too: if the process ends before the answer, the
   * document server repeats a final save, and the hook is called then, unless something newer is stored. Use `id`,
   * which stays the same, to recognize repeats. The document server does not repeat a force save: if the process ends
   * between storing it and answering, the hook is not called for that save, but for the next one. Source:
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
   * Hook: called once for every save that could not be stored and was refused. If the hook fails or times out
   * (`timeouts.hooks`), the failure is logged.
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
   * Hook: called with the answers when a user submits a form. The stored form does not change. If the hook throws,
   * rejects or does not finish within `timeouts.hooks`, or the answers cannot be fetched, the editor shows the user
   * that the form was not submitted; the hook is called again when they submit it again. It may also be called several
   * times with the same `id`, if the document server repeats a submission.
   *
   * Everybody who sees a document can submit a form, viewers too, with any answers: check the answers, and whether this
   * user may submit any. Only forms are accepted (`pdf`, and the older `oform` and `docxf`). Submissions of other
   * documents, of more than 10,000 fields, or of more than 16 MiB (16,777,216 bytes) of data are refused with
   * `{"error":1}`, and the log says why.
   *
   * The session's final save also contains what users entered, like any change. So give each person a copy to fill in
   * (`createDocument({ from })`).
   *
   * @default submitted forms are refused; with `requireToken: false`, as in the profile `classic`, they are stored as
   *   force saves
   * @example
   * ```js
   * onFormSubmitted: async ({ id, fileId, user, data }) => {
   *   await answers.insertOnce({ id, fileId, userId: user?.id, answers: JSON.stringify(data) })
   * }
   * ```
   */
  readonly onFormSubmitted?: ((event: FormSubmittedEvent, context: HookContext) => void | Promise<void>) | undefined
  /**
   * Hook: called when somebody begins to edit a document that nobody was editing. Usually called once per session, even
   * with several instances: the instance that records the session in the storage calls it. Nothing waits for the hook.
   * If it fails or times out, the failure is logged.
   *
   * The event is lost if the process ends before the call, and may be repeated after a power failure. If the document
   * server reports a session under a document key that already had its final save, the session starts only once the
   * document server confirms it.
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
   * Hook: called when nobody edits a document any more. Usually called once for each `onSessionStart`, and on the same
   * instance only after that call has ended. After a save it is called as soon as the save is stored, independently of
   * `onSaved`. A force save does not end a session. Nothing waits for the hook. If it fails or times out, the failure
   * is logged.
   *
   * The event is lost if the process ends before the call. `editorSessions.list()` returns the documents that are being
   * edited now.
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
   * Hook: called by `recoverForgotten` with the content of a forgotten file whose document no longer exists. When the
   * hook has finished, the file is deleted at the document server. If the hook throws, rejects or does not finish
   * within `timeouts.hooks`, the document server keeps the file, and the next run calls the hook again. With several
   * instances, the hook may be called more than once for the same file.
   *
   * @default such files stay at the document server
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
   * Adds a route that shows the doctor's report: `GET <path>/doctor`, as a page in a browser, or as JSON with
   * `?format=json` or `Accept: application/json`. With `?fileId=…` the report also explains why this document does not
   * open or is not saved.
   *
   * The route runs the doctor at most once every few seconds, whoever calls. It refuses requests that other sites
   * cause.
   *
   * @default no such route
   * @example
   * ```js
   * doctor: { authorize: (_target, { request }) => request.session?.user?.isAdmin ? 'grant' : false }
   * ```
   */
  readonly doctor?: {
    /**
     * Hook: decides whether a request may see the report, which names the origins, settings and versions of the set-up,
     * but no secret. Return `'grant'` to allow it. Everything else (`true` too, a rejection, or a timeout, see
     * `timeouts.hooks`) refuses the request with status 403: as in the option `authorize`, `true` only confirms
     * credentials, and these requests have none.
     */
    readonly authorize: (
      target: { readonly fileId?: string | undefined },
      context: RequestHookContext
    ) => boolean | 'grant' | undefined | Promise<boolean | 'grant' | undefined>
  } | undefined
  /**
   * Defaults of every control: settings that all pages of the application share. The arguments of `app.editorControl()`
   * take precedence. Objects such as `customization`, `permissions` and `document` are merged field by field; lists are
   * replaced.
   *
   * @default { customization: { macros: false, plugins: false } }; {} in the profile `classic`
   * @example
   * ```js
   * defaults: { lang: 'de', customization: { forcesave: true } }
   * ```
   */
  readonly defaults?: EditorControlDefaults | undefined
  /**
   * Hook: decides whether the user may edit a document now. If it returns `false` or a reason, the document opens for
   * viewing, and the page shows the reason as plain text; `''` is the same as `false`. The hook is called by
   * `openDocument` of a control that may edit, and whenever its page asks for a configuration or wants to change the
   * document; `request` is set only for requests from a page. If the hook fails, returns anything else, or does not
   * finish within `timeouts.hooks`, the document opens for viewing. Editors that are already open stay open: use
   * `app.editorSessions.freeze` to close them.
   *
   * @default every control that allows editing may edit
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
   * What the application does for the editor: rename the document, save a copy, insert an image and so on.
   *
   * @default the application only provides fresh configurations
   */
  readonly actions?: ActionOptions | undefined
  /**
   * Milliseconds between force saves of documents that are being edited; from 1000 to 2,147,483,647. The document
   * server skips documents in which nothing was typed since their last save. `onSaved` is called for each save, and
   * each may add a version. Every instance asks for the documents that it has seen edited, but only one save is made.
   *
   * @default documents are saved when everybody has left, and on a force save
   */
  readonly saveEvery?: number | undefined
  /** Settings of `editorServer.recoverForgotten`. */
  readonly recovery?: {
    /**
     * Milliseconds between two runs; at most 2,147,483,647. The first run starts at a random time within the interval,
     * so several instances can use the same value.
     *
     * @default it runs only when you call it
     */
    readonly interval?: number | undefined
    /**
     * Finds the document of a forgotten file whose key does not contain the `fileId`, because the application assigned
     * `documentKey`, or because the `fileId` is longer than 46 characters (33 bytes, with other characters than
     * `[0-9A-Za-z_-]`). Called if no record contains the key. Return the `fileId`, or `undefined` for a key of another
     * application.
     *
     * @default such files stay at the document server
     */
    readonly fileIdOf?: ((
      target: { readonly key: string },
      context: HookContext
    ) => string | undefined | Promise<string | undefined>) | undefined
  } | undefined
  /**
   * Keeps earlier versions of every document in the storage. When a save or `EditorControl.restore` replaces the
   * content, the same write keeps the old content as a version, with the document server's data about the changes.
   * Content that the application replaces through the storage is not kept. `{}` uses all defaults.
   *
   * @default no earlier versions are kept
   * @example
   * ```js
   * versions: { keep: 50, maxAge: 365 * 24 * 60 * 60 * 1000 }
   * ```
   */
  readonly versions?: VersionOptions | undefined
  /**
   * Maximum size of a saved, converted or proxied file, in bytes after decompression.
   *
   * @default 1_073_741_824 (1 GiB)
   */
  readonly maxFileSize?: number | undefined
  /**
   * Maximum size of a callback's body, in bytes. Larger callbacks are refused.
   *
   * @default 4_194_304 (4 MiB)
   */
  readonly bodyLimit?: number | undefined
  /** Time limits in milliseconds; each from 100 to 2,147,483,647. */
  readonly timeouts?: {
    /**
     * Time to establish a connection. Default `httpClient` only.
     *
     * @default 10_000
     */
    readonly connect?: number | undefined
    /**
     * Time from sending an outbound request to receiving the response headers. Default `httpClient` only.
     *
     * @default 30_000
     */
    readonly headers?: number | undefined
    /**
     * Time between two chunks of a response (default `httpClient` only). Also ends downloads whose client reads nothing
     * for this long, after at most twice this time.
     *
     * @default 30_000
     */
    readonly idle?: number | undefined
    /**
     * Time for one outbound request, from start to the end of the body, redirects included, and for all attempts
     * together to fetch one saved file.
     *
     * @default 300_000 (5 minutes)
     */
    readonly total?: number | undefined
    /**
     * Time for the body of a callback, or of a page's request, to arrive.
     *
     * @default 30_000
     */
    readonly body?: number | undefined
    /**
     * Time for one call of a hook: `authorize`, `canEdit`, `onCallback`, `onSaved`, `onSaveFailed`, `onFormSubmitted`,
     * `onSessionStart`, `onSessionEnd`, `onForgotten`, `doctor.authorize`, `recovery.fileIdOf`, and the hooks of
     * `actions`.
     *
     * @default 30_000
     */
    readonly hooks?: number | undefined
    /**
     * Time for one call of `inspect`. Together with the other limits it must stay below 10 minutes, because the
     * document server waits no longer. Source:
     * emulator/docs/document-server-protocol.md#what-the-document-server-does-with-the-answer
     *
     * @default 60_000 (1 minute)
     */
    readonly inspect?: number | undefined
    /**
     * Time for one call of a storage method. A call that receives a saved file may take `timeouts.total` longer.
     *
     * @default 30_000
     */
    readonly storage?: number | undefined
    /**
     * After how long without a report from the document server a session counts as uncertain: before another user joins
     * it, the plugin asks the document server whether it still exists.
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
   * Source of the current time, for tests. It dates and expires signed URLs, proxy tokens, the document server's tokens
   * and sessions.
   *
   * @default { now: () => Date.now() }
   */
  readonly clock?: EditorClock | undefined
  /** Log level of the plugin's routes, as in Fastify. */
  readonly logLevel?: LogLevel
  /** Constraints of the plugin's routes, as in Fastify. */
  readonly constraints?: RouteOptions['constraints'] | undefined
  /**
   * Config of all of the plugin's routes, as in Fastify, for hooks and plugins of the application that read
   * `request.routeOptions.config`. Each route also has `config.onlyoffice`, which names the kind of caller.
   * `swaggerTransform`: what `@fastify/swagger` shows for the routes, by default their own schemas.
   *
   * @default {}
   * @example
   * ```js
   * config: { public: true, rateLimit: false }
   * ```
   */
  readonly config?: FastifyContextConfig & Readonly<Record<string, unknown>> | undefined
}
