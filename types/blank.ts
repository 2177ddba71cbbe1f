import type { DocumentContent } from './storage.js'

/** Paper of a new document. */
export type PaperSize = 'a4' | 'letter'

/** Options of `blankDocument`. */
export interface BlankDocumentOptions {
  /**
   * Language of the text, as BCP 47 names it: `de`, `pt-BR`, `zh-TW`. It decides on spell checking and the paper size.
   * The editor takes the same as `lang`.
   *
   * @default 'en': as in the United States
   */
  readonly lang?: string | undefined
  /**
   * Paper of text, sheets and PDF. Slides are 16:9.
   *
   * @default letter where it is used, such as in the United States, else A4
   */
  readonly paper?: PaperSize | undefined
}

/** Options of `EditorControl.createDocument`. `lang` is by default that of the control. */
export interface CreateDocumentOptions extends BlankDocumentOptions {
  /**
   * Title shown in the editor. Without the extension of the format, it gets that.
   *
   * @default 'Untitled'
   */
  readonly title?: string | undefined
}

/** A file that is not stored. */
export interface TemplateFile {
  readonly content: DocumentContent
  /** Of which the extension counts: `Offer.dotx`. */
  readonly title: string
}

/** Options of `EditorControl.createDocument` for a document with content. */
export interface CreateFromOptions {
  /**
   * What it is a copy of: the `fileId` of a stored document, or a file. A template (`dotx`, `xltx`, `potx`, `ott`,
   * `ots`, `otp`) becomes a document (`docx` and so on). The plugin does not ask whether the user may read it.
   */
  readonly from: string | TemplateFile
  /**
   * Title shown in the editor. Without the extension of the format, it gets that.
   *
   * @default the name of the file, or 'Untitled'
   */
  readonly title?: string | undefined
}
