import type { EditorConfigNormal, ReferenceData, SharingSetting } from '@onlyoffice/doceditor-types'
import type { Readable } from 'node:stream'
import type { EditorControlDefaults } from './control.js'
import type { RequestHookContext } from './hooks.js'

/** The user of a page: the `user` of its control. */
export type PageUser = NonNullable<EditorConfigNormal['user']>

/**
 * What the user of a page may do, according to the page's control: its mode, type and permissions, with the editor's
 * defaults.
 */
export interface PageRights {
  readonly edit: boolean
  readonly comment: boolean
  readonly download: boolean
  /** May see earlier versions. */
  readonly history: boolean
}

/** The settings of a page's control, from when the application created it and knew the user. */
export interface PageAccess {
  readonly mode: 'edit' | 'view'
  /** The permissions as the application set them. Absent ones have the editor's default. */
  readonly permissions: NonNullable<EditorControlDefaults['permissions']>
  readonly rights: PageRights
}

/**
 * Fields that every hook of `actions` receives. They come from the page's signed token: no header and no body can
 * change them.
 */
export interface PageAction {
  readonly fileId: string
  /** `undefined` if the page's control has no user. */
  readonly user: PageUser | undefined
}

/** Name of an action that a page can ask for: the last part of the path `<handler path>/actions/<name>`. */
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
 * A hook of `actions`. To refuse the request, throw an error with a `statusCode` from 400 to 499: the page receives the
 * status, but not the message.
 */
export type ActionHook<Action, Result> = (action: Action, context: RequestHookContext) => Result | Promise<Result>

export interface RenameAction extends PageAction {
  /**
   * The new name without extension. It is a valid file name on every operating system: no separators, no control
   * characters, and no characters that change the direction of text.
   */
  readonly name: string
  /** The new name with the extension of the stored document. At most 255 bytes. */
  readonly title: string
}

export interface SaveAsAction extends PageAction {
  /** Title of the copy, with the extension of `fileType`: a plain file name of at most 255 bytes. */
  readonly title: string
  /**
   * Format of the copy, in lower case, without a dot; always a format that an editor opens. The page chose it, and the
   * content was checked against it: packages have the parts of their format, other formats their signature, and text is
   * not binary. `html` only if the document server sends it as `text/html`. Plain text (`txt`, `csv`, `tsv`, `scsv`,
   * `md`, `json`) may contain anything, HTML tags too.
   */
  readonly fileType: string
  /**
   * The content. The stream fails, at the latest at its end, if the content is cut off, lacks parts of its format or
   * exceeds `maxFileSize`.
   */
  readonly content: Readable
  /** Size in bytes, if the document server announced it. */
  readonly size: number | undefined
}

export interface SaveAsResult {
  /** The copy's `fileId`, if it is in the plugin's `storage`. */
  readonly fileId?: string | undefined
  /** URL or path of a page that opens the copy. The default is `page(fileId)`. */
  readonly url?: string | undefined
  /** Title of the copy, shown to the user. The default is the action's title. */
  readonly title?: string | undefined
}

export interface CopiedAction extends PageAction {
  /** The `fileId` of the copy in the storage. */
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
  /** The current source of linked data, as in `ReferenceAction`. Only with `reference`. */
  readonly path?: string
  readonly referenceData?: ReferenceData
}

/**
 * A file that the user may choose: a file in the storage (`fileId`), or a file at an http(s) URL that the document
 * server can reach. The document server fetches it, and everybody with the page can read it, so return only files that
 * the user may read.
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

/**
 * Identifies a linked file; at least one of the fields is set. All of them come from a document or its user: do not
 * trust them.
 */
export interface ReferenceAction extends PageAction {
  /** Name or relative path of the file, as in `=[orders.xlsx]Sheet1!A1`. */
  readonly path?: string
  /** http(s) URL of the file, or of a page that opens it. Never fetch it: compare it with URLs that you know. */
  readonly link?: string
  /** Set if the linked cells were copied from a document of this application: `fileKey` is its `fileId`. */
  readonly referenceData?: ReferenceData
}

export interface UsersAction extends PageAction {
  /**
   * Which users are wanted. `mention`: users that a comment may mention. `protect`: users for whom a range may be
   * protected. `filler`: users who may get a role in a form. `info`: the pictures of the users with these `ids`.
   */
  readonly kind: 'mention' | 'protect' | 'info' | 'filler'
  /** 1 to 1000 IDs, none of them empty. Only with `info`. */
  readonly ids?: readonly string[]
  /** What the user typed. At most 200 characters. */
  readonly search?: string
  /** How many users to skip. */
  readonly from?: number
  /** How many users to return, at most 1000. */
  readonly count?: number
}

export interface ListedUser {
  readonly id: string
  readonly name: string
  /** `notify` receives it when somebody mentions the user. */
  readonly email?: string | undefined
  /** http(s) URL or `data:image/…` of the user's picture. */
  readonly image?: string | undefined
}

export interface NotifyAction extends PageAction {
  /** Addresses of the mentioned users, at most 100. They come from the page: check that this user may write to them. */
  readonly emails: readonly string[]
  /** The comment as plain text. At most 10,000 characters. */
  readonly message: string
  /**
   * URL that opens the document at the comment: `page(fileId)` with `action-link` in its query. Without the hook
   * `page`, it is the URL of the page that sent the request, if its host is the host of `publicBaseUrl`.
   */
  readonly link?: string
}

export interface FavoriteAction extends PageAction {
  readonly favorite: boolean
}

export interface CreateAction extends PageAction {
  /** Format of the new document, such as `docx`. */
  readonly fileType?: string
  /** Language of the page, such as `de` or `pt-BR`. */
  readonly lang?: string
  /** `id` of the chosen template. `templates` returned it for this page within the last hour. */
  readonly template?: string
}

export interface TemplatesAction extends ChooseAction, Pick<CreateAction, 'fileType' | 'lang'> {}

/** A template that the user may choose for a new document. */
export interface DocumentTemplate {
  /** Identifies the template in `create`. At most 1000 characters. */
  readonly id: string
  /** What the user sees. */
  readonly title: string
  /** Format, such as `xltx`. The user sees its icon if there is no `thumbnail`. */
  readonly fileType?: string | undefined
  /** http(s) URL of a small image, as the browser reaches it. */
  readonly thumbnail?: string | undefined
}

/** Set at least one of the fields. */
export interface SharingResult {
  readonly settings?: readonly SharingSetting[] | undefined
  /** http(s) URL or path of a page for changing the rights. It opens in another tab. */
  readonly url?: string | undefined
}

/**
 * What the application does for the editor. Each field turns on the buttons and menu entries that need it; the page
 * needs no further code. Hooks receive the page's user from the page's signed token.
 *
 * Every request needs that token and passes `authorize`, with the action's name, the `fileId` and the user. If a hook
 * throws, rejects, returns something other than described, or takes longer than `timeouts.hooks`, the request fails,
 * and the failure is logged.
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
   * The user renames the document. The plugin does not store titles: save the new one, and return it from `title`.
   * Afterwards all editors of the document show it. Only pages that may edit can use it.
   *
   * @example
   * ```js
   * rename: async ({ fileId, title }) => { await documents.update(fileId, { title }) }
   * ```
   */
  readonly rename?: ActionHook<RenameAction, void> | undefined
  /**
   * The user saves a copy. With `true` it becomes a new document in the storage; with a hook, the application stores
   * it. If no editor opens the format, the page offers the file as a download instead, and nothing is stored; images
   * come as a zip file. A hook may take `timeouts.hooks` plus `timeouts.total` to read `content`. Only pages that may
   * download can use it.
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
   * `saveAs: true` has stored a copy. If the hook fails, the failure is logged and the copy stays.
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
   * Returns images that the user may insert. At most 200 are shown. Only pages that may edit can use it.
   *
   * @example
   * ```js
   * images: async ({ search }) =>
   *   (await logos.find(search)).map(({ title, url }) => ({ title, fileType: 'png', url, thumbnail: url }))
   * ```
   */
  readonly images?: ActionHook<ChooseAction, readonly FileChoice[]> | undefined
  /**
   * Returns documents to compare or combine with the open one, or to insert text from. At most 200 are shown. Only
   * pages that may edit can use it.
   *
   * @example
   * ```js
   * documents: async ({ search, user }) =>
   *   (await documents.readableBy(user.id, search)).map(({ fileId, title }) => ({ fileId, title }))
   * ```
   */
  readonly documents?: ActionHook<ChooseDocumentAction, readonly FileChoice[]> | undefined
  /**
   * Returns spreadsheets for a mail merge, or as another source of linked data. At most 200 are shown. Only pages that
   * may edit can use it.
   */
  readonly spreadsheets?: ActionHook<ChooseSpreadsheetAction, readonly FileChoice[]> | undefined
  /**
   * Returns the file that a cell of the open spreadsheet links to, or `null` if there is none. Its content gets into
   * the open document, so return only a file that the user may read.
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
   * Returns users to mention in a comment (pages that may comment), users for whom to protect a range (pages that may
   * edit), or the pictures of users. Pages that may not comment do not receive mail addresses.
   */
  readonly users?: ActionHook<UsersAction, readonly ListedUser[]> | undefined
  /** Somebody was mentioned in a comment: notify them. Only pages that may comment can use it. */
  readonly notify?: ActionHook<NotifyAction, void> | undefined
  /**
   * Returns who else has access to the document. The page shows the list, and so does the editor in its access rights;
   * with `url`, the page also links to where the rights can be changed. With this hook, configurations always have
   * `document.info`. Only pages that may edit can use it.
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
   * The user of a view-only page wants to edit. Return `true` to allow it, `false` to refuse it, or an object to allow
   * it with changed settings, which are merged into the settings of the page's control. The page then receives a new
   * configuration with `mode` `edit` and `permissions.edit` `true`, unless the object says otherwise. An object that is
   * not valid for a control fails the request and grants nothing.
   */
  readonly editRights?: ActionHook<PageAction, boolean | EditorControlDefaults> | undefined
  /**
   * The user marks the document as a favorite, or removes the mark. The editor shows the button if the control sets
   * `info.favorite`.
   */
  readonly favorite?: ActionHook<FavoriteAction, void> | undefined
  /**
   * The user wants a new document: create it, and return the URL or path of a page that opens it. Only pages that may
   * edit can use it.
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
   * Returns templates for the user to choose from before `create` is called. At most 200 are shown, after a blank
   * document. `create` receives the `id` of one of these templates, or none, so return only templates that the user may
   * read. Only pages that may edit can use it.
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
   * Returns the current title of a document, for the configurations that open pages ask for. With `undefined` the page
   * keeps its title.
   *
   * @default pages keep their titles
   */
  readonly title?: ActionHook<PageAction, string | undefined> | undefined
  /**
   * Returns the URL of the application's page that opens a document, for links, copies and linked documents.
   *
   * @example
   * ```js
   * page: ({ fileId }) => `https://app.example.com/edit/${encodeURIComponent(fileId)}`
   * ```
   */
  readonly page?: ActionHook<{ readonly fileId: string }, string> | undefined
}
