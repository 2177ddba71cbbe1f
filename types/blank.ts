/** Paper of a new document. */
export type PaperSize = 'a4' | 'letter'

/** Options of `blankDocument`. */
export interface BlankDocumentOptions {
  /**
   * Language of the text, as BCP 47 names it: `de`, `pt-BR`, `zh-TW`. It decides on spell checking, the direction of
   * writing, the paper size and the name of the first sheet. The editor takes the same as `lang`.
   *
   * @default 'en': as in the United States
   */
  readonly lang?: string
  /**
   * Paper of text, sheets and PDF. Slides are 16:9.
   *
   * @default letter where it is used, such as in the United States, else A4
   */
  readonly paper?: PaperSize
}

/** Options of `EditorControl.createDocument`. `lang` is by default that of the control. */
export interface CreateDocumentOptions extends BlankDocumentOptions {
  /**
   * Title shown in the editor. Without the extension of the format, it gets that.
   *
   * @default 'Untitled'
   */
  readonly name?: string
}
