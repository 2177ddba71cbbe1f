// Conversions and the document builder. Source: emulator/docs/document-server-protocol.md#conversion
import type { DocumentType } from '@onlyoffice/doceditor-types'
import type { Readable } from 'node:stream'
import type { DocumentContent } from './storage.js'

/** Options of a single request to the document server. */
export interface SignalOptions {
  /** Cancels the request: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * The format to convert to: an extension, or
 * - `ooxml`: the Office Open XML format that fits the document, such as `docx`, or `docm` if it has macros;
 * - `odf`: the OpenDocument format that fits the document, such as `odt`;
 * - `pdfa`: PDF/A; the result's file type is `pdf`.
 *
 * `EditorServer.formats` returns the formats that a document can be converted to.
 */
export type ConversionOutputType =
  | 'ooxml' | 'odf'
  | 'pdf' | 'pdfa'
  | 'bmp' | 'gif' | 'jpg' | 'png'
  | 'docx' | 'docm' | 'dotx' | 'dotm' | 'odt' | 'ott' | 'rtf' | 'txt' | 'html' | 'epub' | 'fb2' | 'md'
  | 'xls' | 'xlsx' | 'xlsm' | 'xltx' | 'xltm' | 'ods' | 'ots' | 'csv' | 'tsv' | 'scsv'
  | 'pptx' | 'pptm' | 'ppsx' | 'ppsm' | 'potx' | 'potm' | 'odp' | 'otp'
  | (string & {})

/** A colour as red, green and blue from 0 to 255; `[]` for none. */
export type WatermarkColor = readonly [] | readonly [red: number, green: number, blue: number]

/** How to turn pages into images. */
export interface ThumbnailOptions {
  /**
   * - `0`: stretched to `width` and `height`;
   * - `1`: as large as fits into `width` and `height`, with the proportions of the page;
   * - `2`: the size of the page at 96 dpi; `width` and `height` are ignored.
   *
   * @default 2
   */
  readonly aspect?: 0 | 1 | 2 | undefined
  /**
   * Whether to convert only the first page. With `false` the result is a zip file with one image per page.
   *
   * @default true
   */
  readonly first?: boolean | undefined
  /**
   * Pixels.
   *
   * @default 100
   */
  readonly width?: number | undefined
  /**
   * Pixels.
   *
   * @default 100
   */
  readonly height?: number | undefined
}

/**
 * How to lay out a spreadsheet on pages. A length is a number with a unit, such as `19.1mm`. A result has at most 1500
 * pages.
 */
export interface SpreadsheetLayout {
  /**
   * Whether to convert the whole sheet even if a print area is set.
   *
   * @default true
   */
  readonly ignorePrintArea?: boolean | undefined
  /** @default 'portrait' */
  readonly orientation?: 'portrait' | 'landscape' | undefined
  /**
   * Fit the width of the sheet to this many pages; 0 does not fit it.
   *
   * @default 0
   */
  readonly fitToWidth?: number | undefined
  /**
   * Fit the height of the sheet to this many pages; 0 does not fit it.
   *
   * @default 0
   */
  readonly fitToHeight?: number | undefined
  /**
   * Zoom in percent.
   *
   * @default 100
   */
  readonly scale?: number | undefined
  /**
   * Whether to show row and column headings.
   *
   * @default false
   */
  readonly headings?: boolean | undefined
  /** @default false */
  readonly gridLines?: boolean | undefined
  /** @default { width: '210mm', height: '297mm' } */
  readonly pageSize?: {
    readonly width?: string | undefined
    readonly height?: string | undefined
  }
  /** @default { left: '17.8mm', right: '17.8mm', top: '19.1mm', bottom: '19.1mm' } */
  readonly margins?: {
    readonly left?: string | undefined
    readonly right?: string | undefined
    readonly top?: string | undefined
    readonly bottom?: string | undefined
  }
}

/** How to convert forms in a document to PDF or images. */
export interface DocumentLayout {
  /** Whether to draw the placeholders of empty fields. Without `isPrint`: whether the PDF keeps the fields. */
  readonly drawPlaceHolders?: boolean | undefined
  /** Whether to highlight fields; only with `isPrint`. */
  readonly drawFormHighlight?: boolean | undefined
  /**
   * Whether to use the print layout; only for text documents to PDF.
   *
   * @default false
   */
  readonly isPrint?: boolean | undefined
}

/** How to turn a PDF or XPS document into an editable text document. */
export interface DocumentRenderer {
  /**
   * - `blockChar`: each character in a frame of its own;
   * - `blockLine`: each line in a frame of its own;
   * - `plainLine`: plain text, each line a paragraph;
   * - `plainParagraph`: plain text, lines joined into paragraphs.
   *
   * @default 'plainLine'
   */
  readonly textAssociation?: 'blockChar' | 'blockLine' | 'plainLine' | 'plainParagraph' | undefined
}

/** A piece of a watermark's text with one style. */
export interface WatermarkRun {
  /** `<%br%>` is a line break. */
  readonly text: string
  /** Background of the text. */
  readonly fill?: WatermarkColor | undefined
  readonly fontFamily?: string | undefined
  /** Points. */
  readonly fontSize?: number | undefined
  readonly bold?: boolean | undefined
  readonly italic?: boolean | undefined
  readonly underline?: boolean | undefined
  readonly strikeout?: boolean | undefined
}

/** A paragraph of a watermark. */
export interface WatermarkParagraph {
  /** `0` right, `1` left, `2` centred, `3` justified. */
  readonly align?: 0 | 1 | 2 | 3 | undefined
  /** Background of the paragraph. */
  readonly fill?: WatermarkColor | undefined
  /** Line spacing, in lines. */
  readonly lineSpacing?: number | undefined
  readonly runs?: readonly WatermarkRun[] | undefined
}

/** A watermark on every page of a PDF or image. */
export interface Watermark {
  /** From 0, invisible, to 1. */
  readonly transparent?: number | undefined
  /** The shape around the text, such as `rect`. */
  readonly type?: string | undefined
  /** Millimetres. */
  readonly width?: number | undefined
  /** Millimetres. */
  readonly height?: number | undefined
  /** Degrees. */
  readonly rotate?: number | undefined
  /** Space between shape and text, in millimetres: left, top, right, bottom. */
  readonly margins?: readonly [number, number, number, number] | undefined
  /** Background of the shape: a colour, or an image as an http(s) or `data:image/…` URL. */
  readonly fill?: WatermarkColor | string | undefined
  /** Colour of the shape's outline. */
  readonly stroke?: WatermarkColor | undefined
  /** Width of the outline, in millimetres. */
  readonly strokeWidth?: number | undefined
  /** Vertical position of the text in the shape: `0` bottom, `1` centre, `4` top. */
  readonly align?: 0 | 1 | 4 | undefined
  readonly paragraphs?: readonly WatermarkParagraph[] | undefined
}

/** How to convert a document: all options of the conversion API. Fields that the formats do not use have no effect. */
export interface ConversionOptions {
  readonly outputType: ConversionOutputType
  /** Name of the converted file in the document server's URL. */
  readonly title?: string | undefined
  /** Password of a protected document, 1 to 255 characters. The result is not protected. */
  readonly password?: string | undefined
  /**
   * Language and country for the formats of numbers, dates and currencies when a spreadsheet is converted to PDF.
   *
   * @default 'en-US'
   */
  readonly region?: string | undefined
  /**
   * Encoding of a csv or txt document, as the number of a code page: 65001 UTF-8, 1200 UTF-16, 1252 Western European,
   * 1250 Central European, 1251 Cyrillic, 932 Japanese, 936 and 950 Chinese.
   *
   * @default 65001
   */
  readonly codePage?: number | undefined
  /**
   * Separator of the values in a csv document: `0` none, `1` tab, `2` semicolon, `3` colon, `4` comma, `5` space.
   *
   * @default 4
   */
  readonly delimiter?: 0 | 1 | 2 | 3 | 4 | 5 | undefined
  readonly thumbnail?: ThumbnailOptions | undefined
  readonly spreadsheetLayout?: SpreadsheetLayout | undefined
  readonly documentLayout?: DocumentLayout | undefined
  readonly documentRenderer?: DocumentRenderer | undefined
  readonly watermark?: Watermark | undefined
  readonly pdf?: {
    /** Whether the result is a fillable form. By default, form fields stay as they are. */
    readonly form?: boolean | undefined
    /** Whether the result is PDF/A, as with `outputType: 'pdfa'`. */
    readonly pdfa?: boolean | undefined
  }
}

/** A document, and how to convert it. */
export type ConversionRequest = ConversionOptions & {
  /** Extension of the document. */
  readonly fileType: string
} & (
  | {
    /** Absolute http(s) URL from which the document server downloads the document. */
    readonly url: string
    /**
     * Identifies the content at `url`, for example a file's ID and revision. The document server keeps results, for a
     * day by default, and returns the stored result for the same key and options. The plugin sends a hash of key and
     * options, so a result is never mistaken for another.
     *
     * @default `url`. Set a key if the content at the URL can change, or if the URL of the same content changes, for
     *   example because it is signed
     */
    readonly key?: string | undefined
    readonly content?: never | undefined
  }
  | {
    /**
     * The document itself. It is read into memory, up to `maxFileSize`.
     *
     * Document servers from 10.0 on receive it in the request (`/converter/from-file`) and answer with the result, so
     * they need not reach this application. Older ones download it from this instance of the application: use `url` if
     * several instances share `publicBaseUrl`.
     */
    readonly content: DocumentContent
    readonly url?: never | undefined
    readonly key?: never | undefined
  }
)

/** Progress of a conversion. */
export interface ConversionProgress {
  /** From 0 to 100. Document servers may stay at 0 until the end. */
  readonly percent: number
}

/** How long and how often to ask for the result of a conversion or a document build. */
export interface PollingOptions extends SignalOptions {
  /**
   * Milliseconds until the result must be ready. `timeouts.total` limits fetching it.
   *
   * @default 120_000
   */
  readonly timeout?: number | undefined
  /**
   * Milliseconds between two requests for the result. The first three intervals are shorter.
   *
   * @default 1000
   */
  readonly interval?: number | undefined
}

/** Options of `EditorServer.convert`. */
export interface ConvertOptions extends PollingOptions {
  /**
   * Called with every answer of the document server; the next request waits for it. If it throws or rejects, the
   * conversion rejects with that error.
   */
  readonly onProgress?: (progress: ConversionProgress) => void | Promise<void>
}

/**
 * A file that the document server made. Only its first bytes have arrived and were checked: they look like a file of
 * `fileType`. `maxFileSize` and `timeouts.total` limit the rest. Read it once, by `body` or `bytes`.
 */
export interface ResultFile {
  /** Extension of the file, in lower case. */
  readonly fileType: string
  /**
   * Media type of the file, such as `application/pdf`. Do not send `text/html` as a page: it may contain scripts from
   * the document.
   */
  readonly mediaType: string
  /** Size in bytes, if the document server announced it. */
  readonly size?: number
  /**
   * The content. The stream fails with `UpstreamError`, `UpstreamTimeoutError` or `TooLargeError`, or with the reason
   * of `signal`. Destroy it if you do not read it; otherwise `timeouts.total` ends it.
   */
  readonly body: Readable
  /**
   * Reads the whole content into memory. Rejects with the errors of `body`, or with a `TypeError` if it was already
   * read.
   */
  bytes (): Promise<Buffer>
}

/** What the document builder is to run. */
export type BuildRequest = {
  /** Available in the script as `Argument`. */
  readonly argument?: Readonly<Record<string, unknown>> | undefined
} & (
  | {
    /** Absolute http(s) URL from which the document server downloads the script. */
    readonly url: string
    readonly script?: never | undefined
  }
  | {
    /**
     * The script itself, at most 1 MiB. Document servers from 10.0 on receive it in the request
     * (`/docbuilder/from-file`). Older ones download it from this instance of the application: use `url` if several
     * instances share `publicBaseUrl`.
     */
    readonly script: string
    readonly url?: never | undefined
  }
)

/** A file that a script saved. */
export interface BuiltFile {
  /** The file name that the script gave it; never a path. */
  readonly name: string
  /**
   * Fetches the file, which the document server keeps for 15 minutes. Rejects with `BuildFailedError` if the content
   * does not have the file's format, and otherwise like fetching the result of `EditorServer.convert`.
   */
  fetch (options?: SignalOptions): Promise<ResultFile>
}

/** The result of a document build. */
export interface BuildResult {
  readonly files: readonly BuiltFile[]
}

/** A format that the document server knows. */
export interface DocumentFormat {
  /** Extension, in lower case, without a dot. */
  readonly fileType: string
  /** The editor that opens it; absent if it is only a result of conversions. */
  readonly documentType?: DocumentType
  /**
   * What editors can do with it: `view`, `edit`, `lossy-edit` (formatting may be lost), `fill` (forms), `review`,
   * `comment`, `encrypt`, `customfilter`, `auto-convert` (converted when it is opened). A document server may send
   * others.
   */
  readonly actions: readonly string[]
  /** The formats that it can be converted to. */
  readonly convertsTo: readonly string[]
  readonly mediaType: string
}
