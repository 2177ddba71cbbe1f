import type { CellOperation, GridSheet } from './grid.js'

/** A change of text: the steps of one page, as JSON, made on top of a version. */
export interface StepsOperation {
  readonly op: 'steps'
  /** The number of steps that all pages had in common before. */
  readonly version: number
  readonly steps: readonly object[]
  /** The page that made them; `''` for a script. */
  readonly client: string
}

/** Of the headings that a file has styles for, by level: 0 for a title, 1 to 6. `null`: the automatic colour. */
export type HeadingColors = Readonly<Record<number, string | null>>

/** Text as an editor displays it. */
export interface ProseView {
  readonly kind: 'prose'
  /** Versions of different epochs have nothing in common. */
  readonly epoch: string
  readonly version: number
  /** JSON of the schema in lib/text. */
  readonly doc: object
  /** A text file: its paragraphs are lines, and have no formats. */
  readonly plain: boolean
  readonly levels: HeadingColors
  /** What a page has missed that had the document before. */
  readonly missed?: { readonly steps: readonly object[], readonly clients: readonly string[] }
}

/** The content that an editor displays. */
export type DocumentView =
  | ProseView
  | { readonly kind: 'grid', readonly sheets: readonly GridSheet[] }
  | { readonly kind: 'form', readonly fields: readonly FormField[] }
  /** `doc`: a text to read. */
  | { readonly kind: 'readonly', readonly note: string, readonly doc?: object }

/** A field of a form that can be filled in. */
export interface FormField {
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'checkBox' | 'radio' | 'comboBox'
  readonly value: string | boolean
  /** Of radio buttons and a combo box. */
  readonly options?: readonly string[]
  readonly multiline?: true
}

/** Fills in a field. */
export interface FieldOperation {
  readonly op: 'field'
  readonly field: string
  readonly value: string | boolean
}

export type Operation = StepsOperation | CellOperation | FieldOperation

/** A document that is being edited. What a method changed is returned for the other editors; `null`: nothing. */
export interface Editable {
  /** @param since what a page has already */
  view (since?: { readonly epoch: string, readonly version: number }): DocumentView
  apply (operation: Operation): Operation | null
  /** Repeats steps that were made on top of the present content before. Absent without text. */
  again? (operation: Pick<StepsOperation, 'steps'>): Operation | null
  /** Replaces the whole content with text. `true`: as a whole. Throws if the format can't hold text. */
  replaceText (text: string): Operation | boolean
  /** Appends a picture; absent where the format or the emulator has none. Throws if the bytes are no picture. */
  appendImage? (bytes: Uint8Array): Operation | null
  /** What a submitted form has as data. Absent without fields. */
  formData? (): object
  /** The document as it is saved when the form is submitted. Absent without fields. */
  withoutFields? (): Uint8Array
  /** Appends paragraphs. Absent without text. */
  appendLines? (lines: readonly string[]): Operation | null
  /** The document as a file. Without changes it equals the original byte for byte. */
  bytes (): Uint8Array
}

/** The `replaceText` of a file that cannot hold text. */
export function refuseText (): never {
  throw new TypeError('Only texts can be edited with a string: use the bytes of a file instead')
}

/** Whether a message from a page is a well-formed operation. */
export function isOperation (value: unknown): value is Operation {
  if (typeof value !== 'object' || value === null || !('op' in value)) return false
  const fields = value as Record<string, unknown>
  switch (fields.op) {
    case 'steps':
      return Number.isInteger(fields.version) && Number(fields.version) >= 0 && typeof fields.client === 'string' &&
        Array.isArray(fields.steps) && fields.steps.every(step => typeof step === 'object' && step !== null)
    case 'field':
      return typeof fields.field === 'string' && ['string', 'boolean'].includes(typeof fields.value)
    case 'cell':
      return [fields.sheet, fields.cell, fields.value].every(field => typeof field === 'string')
    default:
      return false
  }
}

/** A paragraph, heading or table row of a document's text. */
export interface TextBlock {
  readonly text: string
  /** 1 to 6 for a heading, 0 for a title. */
  readonly level?: number
  /** Starts a slide or a sheet. */
  readonly newPage?: boolean
}
