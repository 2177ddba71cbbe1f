import type { DocumentServerMembers, EditorConfig } from './document-server.js'
import type { Session } from './session.js'

/** The parts of a Playwright browser that are used. */
export interface Browser {
  newContext (): Promise<BrowserContext>
}

export interface BrowserContext {
  newPage (): Promise<BrowserPage>
  close (): Promise<void>
}

export interface BrowserPage {
  goto (url: string, options: { readonly timeout: number }): Promise<unknown>
  setContent (html: string, options: { readonly timeout: number }): Promise<unknown>
  evaluate (expression: string): Promise<unknown>
  waitForFunction (expression: string, argument: undefined, options: { readonly timeout: number }): Promise<unknown>
  readonly mouse: { click (x: number, y: number): Promise<unknown> }
  readonly keyboard: { press (key: string): Promise<unknown>, type (text: string): Promise<unknown> }
}

/** Options of `connectDocumentServer()`. */
export interface ConnectOptions {
  /** The URL of the document server, such as `http://localhost:8080`, as this process reaches it. */
  readonly url: string
  /** The secret that signs the commands. */
  readonly jwtSecret: string
  /** The browser that opens the editors: `await chromium.launch()` of Playwright. It is not closed. */
  readonly browser: Browser
  /**
   * Milliseconds for each step: until an editor is ready, an edit is sent or the application has answered.
   *
   * @default 60_000
   */
  readonly timeout?: number
}

/** One editor with one document open, in a page of a browser. */
export interface ConnectedSession extends Pick<Session, 'key'> {
  /** The events of `DocsAPI.DocEditor` so far, with their data. */
  events (): Promise<ReadonlyArray<readonly [name: string, data?: unknown]>>
  /**
   * Replaces the text by typing. Resolves when the document server has it.
   *
   * @throws {Error} if that takes too long, or the document can't be typed into.
   */
  edit (text: string): Promise<void>
  /**
   * Requests a force save. Resolves when it has started; the callback follows.
   *
   * @throws {DocumentServerError} with the code of the command service: 4 if there is nothing new.
   */
  forceSave (): Promise<void>
  /**
   * Leaves the document. Resolves when the document server has noticed; the callback follows. The document server does
   * not report whether the application accepted the save, so wait for what your application does with it.
   *
   * @throws {Error} if the user is still listed after `timeout`.
   */
  close (): Promise<void>
}

/** A running document server that a test uses. */
export interface ConnectedDocumentServer extends Pick<DocumentServerMembers, 'url' | 'editorApiUrl'> {
  /**
   * Opens a document like a page with this configuration. Resolves when the document can be edited.
   *
   * @throws {DocumentServerError} with the code that the editor shows.
   */
  open (config: EditorConfig): Promise<ConnectedSession>
  /** Closes the editors that are open. The document server and the browser go on. */
  close (): Promise<void>
}
