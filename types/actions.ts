import type { EditorConfigNormal, ReferenceData, SharingSetting } from '@onlyoffice/doceditor-types'
import type { Readable } from 'node:stream'
import type { EditorControlDefaults } from './control.js'
import type { RequestHookContext } from './hooks.js'

/** The user of a page: the field `user` that its control was made with. */
export type PageUser = NonNullable<EditorConfigNormal['user']>

/**
 * What the user of a page may do, as far as the page's control says: its mode, type and permissions with the editor's
 * defaults.
 */
export interface PageRights {
  readonly edit: boolean
  readonly comment: boolean
  readonly download: boolean
  /** Sees earlier versions. */
  readonly history: boolean
}

/** What the control of a page was made with: the application knew its user then. */
export interface PageAccess {
  readonly mode: 'edit' | 'view'
  /** As they were given: what is absent has the editor's default. */
  readonly permissions: NonNullable<EditorControlDefaults['permissions']>
  readonly rights: PageRights
}

/**
 * Fields that every hook of `actions` receives. They come from the page's own token: no header and no body can change
 * them.
 */
export interface PageAction {
  readonly fileId: string
  /** `undefined` if the page's control was made without one. */
  readonly user: PageUser | undefined
}

/** What a page can ask the application to do: the last part of the path `<handler path>/actions/<name>`. */
export type PageActionName =
  | 'config'
  | 'renew'
  | 'rename'
  | 'saveAs'
  | 'images'
  | 'documents'
  | 'spreadsheets'
  | 'reference'
  | 'users'
  | 'notify'
  | 'sharing'
  | 'favorite'
  | 'create'
  | 'templates'
  | 'saveState'
  | 'history'
  | 'historyData'
  | 'restore'

/**
 * A hook of `actions`. It may throw an error with a `statusCode` from 400 to 499 to refuse: the page gets that status,
 * and not the message.
 */
export type ActionHook<Action, Result> = (action: Action, context: RequestHookContext) => Result | Promise<Result>

export interface RenameAction extends PageAction {
  /**
   * Without extension. A plain file name on every operating system: no separators, no control characters, no change of
   * direction.
   */
  readonly name: string
  /** With the extension of the stored document. At most 255 bytes. */
  readonly title: string
}

export interface SaveAsAction extends PageAction {
  /** With the extension of `fileType`: a plain file name of at most 255 bytes. */
  readonly title: string
  /**
   * In lower case, without a dot. An editor opens it. The page has named it, and the content agrees: packages have the
   * parts of their format, others its signature, and a text is not binary. `html` only if the document server sends it
   * as `text/html`; plain text (`txt`, `csv`, `tsv`, `scsv`, `md`, `json`) may contain any text, also tags.
   */
  readonly fileType: string
  /**
   * The content. It fails with an error, at the latest at its end, if it is cut off, lacks the parts of its format or
   * exceeds `maxFileSize`.
   */
  readonly content: Readable
  /** Bytes, if the document server announced them. */
  readonly size: number | undefined
}

export interface SaveAsResult {
  /** Where the copy is stored in the `storage` of the plugin, if it is. */
  readonly fileId?: string | undefined
  /** URL or path of a page with the copy. The default is `page(fileId)`. */
  readonly url?: string | undefined
  /** Shown to the user. Defaults to the action's title. */
  readonly title?: string | undefined
}

export interface CopiedAction extends PageAction {
  /** Of the copy in the storage. */
  readonly copyFileId: string
  /** As in `SaveAsAction`. */
  readonly title: string
  readonly fileType: string
}

export interface ChooseAction extends PageAction {
  /** What the user typed to find a file. At most 200 characters. */
  readonly search?: string
}

export interface ChooseDocumentAction extends ChooseAction {
  readonly purpose: 'compare' | 'combine' | 'insert-text'
}

export interface ChooseSpreadsheetAction extends ChooseAction {
  /** `mailmerge`: a source of recipients. `reference`: another source of linked data. */
  readonly purpose: 'mailmerge' | 'reference'
  /** The present source of linked data, as in `ReferenceAction`. Only with `reference`. */
  readonly path?: string
  readonly referenceData?: ReferenceData
}

/**
 * A file that the user may choose: one of the storage, or one at an http(s) URL that the document server can reach. The
 * document server fetches it, and everybody with the page gets it: return only what the user may read.
 */
export type FileChoice = {
  /** What the user sees. */
  readonly title: string
  /** http(s) URL of a small image, as the browser reaches it. */
  readonly thumbnail?: string | undefined
} & (
  | { readonly fileId: string, readonly fileType?: undefined, readonly url?: undefined }
  | { readonly fileId?: undefined, readonly fileType: string, readonly url: string }
)

/** At least one of the fields is set. All of them come from a document or its user. */
export interface ReferenceAction extends PageAction {
  /** Name or relative path of the file, as in `=[orders.xlsx]Sheet1!A1`. */
  readonly path?: string
  /** http(s) URL of the file, or of a page with it. Never fetch it: compare it with URLs that you know. */
  readonly link?: string
  /** If the linked cells were copied from a document of this application: `fileKey` is its `fileId`. */
  readonly referenceData?: ReferenceData
}

export interface UsersAction extends PageAction {
  /**
   * `mention`: users that a comment may mention. `protect`: users that a range may be protected for. `filler`: users
   * who may be given a role in a form. `info`: images of the users with these `ids`.
   */
  readonly kind: 'mention' | 'protect' | 'info' | 'filler'
  /** From 1 to 1000, none of them empty. Only with `info`. */
  readonly ids?: readonly string[]
  /** What the user typed. At most 200 characters. */
  readonly search?: string
  /** How many users to leave out. */
  readonly from?: number
  /** How many users to return, at most 1000. */
  readonly count?: number
}

export interface ListedUser {
  readonly id: string
  readonly name: string
  /** Who mentions the user sends it to `notify`. */
  readonly email?: string | undefined
  /** http(s) URL or `data:image/…` of the user's picture. */
  readonly image?: string | undefined
}

export interface NotifyAction extends PageAction {
  /** At most 100. They come from the page: compare them with the users that this user may write to. */
  readonly emails: readonly string[]
  /** Plain text of the comment. At most 10,000 characters. */
  readonly message: string
  /**
   * URL of a page that opens the document at the comment: `page(fileId)` with `action-link` in its query. Without the
   * hook `page`, the page that sent the request, if its host is that of `publicBaseUrl`.
   */
  readonly link?: string
}

export interface FavoriteAction extends PageAction {
  readonly favorite: boolean
}

export interface CreateAction extends PageAction {
  /** Of the new document, such as `docx`. */
  readonly fileType?: string
  /** Language of the page, such as `de` or `pt-BR`. */
  readonly lang?: string
  /** `id` of the chosen template: one that `templates` returned for this page within the last hour. */
  readonly template?: string
}

export interface TemplatesAction extends ChooseAction, Pick<CreateAction, 'fileType' | 'lang'> {}

/** A template that the user may choose for a new document. */
export interface DocumentTemplate {
  /** Names it in `create`. At most 1000 characters. */
  readonly id: string
  /** What the user sees. */
  readonly title: string
  /** Format, such as `xltx`: what the user sees without a `thumbnail`. */
  readonly fileType?: string | undefined
  /** http(s) URL of a small image, as the browser reaches it. */
  readonly thumbnail?: string | undefined
}

/** At least one of the fields is set. */
export interface SharingResult {
  readonly settings?: readonly SharingSetting[] | undefined
  /** http(s) URL or path of a page where the rights are changed. It opens in another tab. */
  readonly url?: string | undefined
}

/**
 * What the editor can ask of the application. Each field turns on the buttons and menu entries that need it; the page's
 * module asks the application without further code. The hooks receive the user of the page from the page's own token.
 *
 * Every request needs that token, and passes `authorize` with the action's name, the `fileId` and the user. A hook that
 * throws, rejects, returns something other than described or takes longer than `timeouts.hooks` fails the request; that
 * is logged.
 *
 * @example
 * ```js
 * await app.register(editor, {
 *   …,
 *   actions: {
 *     rename: async ({ fileId, title, user }) => await documents.rename(fileId, title, user.id),
 *     title: async ({ fileId }) => await documents.titleOf(fileId),
 *     saveAs: true,
 *     page: ({ fileId }) => `https://app.example.com/edit/${fileId}`
 *   }
 * })
 * ```
 */
export interface ActionOptions {
  /**
   * The user renames the document. The plugin stores no titles: note the new one, and return it from `title`.
   * Afterwards all editors of the document show it. Only pages that may edit can ask for it.
   *
   * @example
   * ```js
   * rename: async ({ fileId, title }) => { await documents.update(fileId, { title }) }
   * ```
   */
  readonly rename?: ActionHook<RenameAction, void> | undefined
  /**
   * The user saves a copy. With `true` it becomes a new document in the storage. A format that no editor opens is
   * offered as a download instead, and neither stored nor handed to the hook: images come as a zip file. A hook has
   * `timeouts.hooks` and `timeouts.total` to read `content`. Only pages that may download can ask for it.
   *
   * @example
   * ```js
   * saveAs: async ({ title, fileType, content, user }) => {
   *   const { fileId } = await app.editorStorage.create(fileType, content)
   *   await documents.insert({ fileId, title, owner: user.id })
   *   return { fileId }
   * }
   * ```
   */
  readonly saveAs?: true | ActionHook<SaveAsAction, SaveAsResult | void> | undefined
  /**
   * A copy was stored in the storage, with `saveAs: true`. A failure of the hook is logged: the copy stays.
   *
   * @example
   * ```js
   * copied: async ({ copyFileId, title, user }) => {
   *   await documents.insert({ fileId: copyFileId, title, owner: user.id })
   * }
   * ```
   */
  readonly copied?: ActionHook<CopiedAction, void> | undefined
  /**
   * Images that the user may insert. At most 200 are shown. Only pages that may edit can ask for them.
   *
   * @example
   * ```js
   * images: async ({ search }) =>
   *   (await logos.find(search)).map(({ title, url }) => ({ title, fileType: 'png', url, thumbnail: url }))
   * ```
   */
  readonly images?: ActionHook<ChooseAction, readonly FileChoice[]> | undefined
  /**
   * Documents to compare or combine the open one with, or to insert text from. At most 200 are shown. Only pages that
   * may edit can ask for them.
   *
   * @example
   * ```js
   * documents: async ({ search, user }) =>
   *   (await documents.readableBy(user.id, search)).map(({ fileId, title }) => ({ fileId, title }))
   * ```
   */
  readonly documents?: ActionHook<ChooseDocumentAction, readonly FileChoice[]> | undefined
  /**
   * Spreadsheets for a mail merge or as another source of linked data. At most 200 are shown. Only pages that may edit
   * can ask for them.
   */
  readonly spreadsheets?: ActionHook<ChooseSpreadsheetAction, readonly FileChoice[]> | undefined
  /**
   * The file that a cell of the open spreadsheet links to, or `null` if there is none. Return only what the user may
   * read: its content gets into the open document.
   *
   * @example
   * ```js
   * // { fileId, title }
   * reference: async ({ path, referenceData, user }) =>
   *   await documents.readable(user.id, referenceData?.fileKey ?? path)
   * ```
   */
  readonly reference?:
    | ActionHook<ReferenceAction, { readonly fileId: string, readonly title: string } | null>
    | undefined
  /**
   * Users to mention in a comment (for pages that may comment) or to protect a range for (that may edit), and the
   * pictures of users. Only pages that may comment get mail addresses.
   */
  readonly users?: ActionHook<UsersAction, readonly ListedUser[]> | undefined
  /** Somebody was mentioned in a comment: tell them. Only pages that may comment can ask for it. */
  readonly notify?: ActionHook<NotifyAction, void> | undefined
  /**
   * Who else may use the document: the page shows it, and the editor in its access rights. With `url` the page has a
   * link to where that is changed. With the hook, configurations always have `document.info`. Only pages that may edit
   * can ask for it.
   *
   * @example
   * ```js
   * sharing: async ({ fileId }) => ({
   *   settings: (await rights.of(fileId)).map(({ name, level }) => ({ user: name, permissions: level })),
   *   url: `/documents/${fileId}/rights`
   * })
   * ```
   */
  readonly sharing?: ActionHook<PageAction, readonly SharingSetting[] | SharingResult> | undefined
  /**
   * The user of a page for viewing wants to edit. `true` allows it; `false` refuses; an object allows it, and is merged
   * into what the page's control was made with. The page then gets a new configuration, in which `mode` is `edit` and
   * `permissions.edit` is `true`, unless the object says something else. An object that no control can be made with
   * gives no right: it fails the request.
   */
  readonly editRights?: ActionHook<PageAction, boolean | EditorControlDefaults> | undefined
  /**
   * The user marks the document as a favorite, or no longer. The editor has the button if the control was made with
   * `info.favorite`.
   */
  readonly favorite?: ActionHook<FavoriteAction, void> | undefined
  /**
   * The user wants a new document: create it, and return the URL or path of a page with it. Only pages that may edit
   * can ask for it.
   *
   * @example
   * ```js
   * create: async ({ template, fileType, user }) => {
   *   const control = app.editorControl({ user })
   *   await (template ? control.createDocument({ from: template }) : control.createDocument(fileType))
   *   return { url: `/edit/${control.fileId}` }
   * }
   * ```
   */
  readonly create?: ActionHook<CreateAction, { readonly url: string }> | undefined
  /**
   * Templates that the user may choose from before `create` is called. At most 200 are shown, after a blank document.
   * Return only what the user may read: `create` gets the `id` of one of these, or none. Only pages that may edit can
   * ask for them.
   *
   * @example
   * ```js
   * templates: async ({ search, user }) =>
   *   (await documents.templatesOf(user.id, search)).map(({ fileId, title }) => ({ id: fileId, title }))
   * ```
   */
  readonly templates?: ActionHook<TemplatesAction, readonly DocumentTemplate[]> | undefined
  /**
   * Whether the editor offers links to places in the document: the page's URL with `action-link` in its query.
   *
   * @default false
   */
  readonly links?: boolean | undefined
  /**
   * Returns the present title of a document, for the configurations that open pages ask for. If it returns `undefined`,
   * the page keeps its title.
   *
   * @default pages keep their titles
   */
  readonly title?: ActionHook<PageAction, string | undefined> | undefined
  /**
   * Returns the URL of the application's page with the editor for a document: for links, copies and linked documents.
   *
   * @example
   * ```js
   * page: ({ fileId }) => `https://app.example.com/edit/${encodeURIComponent(fileId)}`
   * ```
   */
  readonly page?: ActionHook<{ readonly fileId: string }, string> | undefined
}
