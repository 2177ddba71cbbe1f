import type { DocumentContent } from './storage.js'

/** Paper of a new document. */
export type PaperSize = 'a4' | 'letter'

/** Options of `blankDocument`. */
export interface BlankDocumentOptions {
  /**
   * Language of the text, as a BCP 47 tag: `de`, `pt-BR`, `zh-TW`. It decides the spell checking and the default paper
   * size. The editor's `lang` takes the same tags.
   *
   * @default 'en': American English
   */
  readonly lang?: string | undefined
  /**
   * Paper of text documents, spreadsheets and PDF. Slides are always 16:9.
   *
   * @default letter for countries that use it, such as the United States, else A4
   */
  readonly paper?: PaperSize | undefined
}

/** Options of `EditorControl.createDocument`. `lang` defaults to the control's language. */
export interface CreateDocumentOptions extends BlankDocumentOptions {
  /**
   * Title shown in the editor. The extension of the format is added if it is missing.
   *
   * @default 'Untitled'
   */
  readonly title?: string | undefined
}

/** A file that is not in the storage. */
export interface TemplateFile {
  readonly content: DocumentContent
  /** File name, such as `Offer.dotx`. Its extension is the format of `content`; the name is the default title. */
  readonly title: string
}

/** Options of `EditorControl.createDocument` for a document with content. */
export interface CreateFromOptions {
  /**
   * What to copy: the `fileId` of a stored document, or a file. A template (`dotx`, `xltx`, `potx`, `ott`, `ots`,
   * `otp`) becomes a document (`docx` and so on). The plugin does not check whether the user may read it.
   */
  readonly from: string | TemplateFile
  /**
   * Title shown in the editor. The extension of the format is added if it is missing.
   *
   * @default the name of the file, or 'Untitled'
   */
  readonly title?: string | undefined
}
