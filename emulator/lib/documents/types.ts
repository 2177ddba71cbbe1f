import type { CellOperation, GridSheet } from './grid.js'

export const FORMATS = ['bold', 'italic', 'underline', 'strike'] as const

export type Format = typeof FORMATS[number]

/** The formatting of a part of a paragraph's text. */
export interface Mark extends Readonly<Partial<Record<Format, boolean>>> {
  readonly from: number
  readonly to: number
  /** The link's target. */
  readonly link?: string
}

/** A paragraph as an editor displays it. `id` is stable while the document is open. */
export interface Paragraph {
  readonly id: string
  readonly text: string
  readonly editable: boolean
  /** In order and without overlaps; absent without formatting. */
  readonly marks?: readonly Mark[]
  /** 1 to 6 for a heading, 0 for a title, else absent. */
  readonly level?: number
  /** Identifies the paragraph's table cell: `table.row:cell`. */
  readonly cell?: string
  /** Starts a slide or a sheet. */
  readonly newPage?: boolean
  /** How many pictures are in it; absent without one. */
  readonly images?: number
}

/** The content that an editor displays. */
export type DocumentView =
  | { readonly kind: 'text', readonly text: string }
  | { readonly kind: 'paragraphs', readonly paragraphs: readonly Paragraph[] }
  | { readonly kind: 'grid', readonly sheets: readonly GridSheet[] }
  | { readonly kind: 'readonly', readonly note: string, readonly paragraphs: readonly Paragraph[] }

/** A change by an editor. With `base`, the text it started from, it is merged with the changes of others since. */
export type Operation =
  | { readonly op: 'text', readonly text: string, readonly base?: string }
  /** `marks`: the formatting of the new text. `joins`: the paragraph whose text was appended to this one. */
  | {
    readonly op: 'set',
    readonly id: string,
    readonly text: string,
    readonly base?: string,
    readonly marks?: readonly Mark[],
    readonly joins?: string
  }
  /** `splits`: the paragraph this one was split from. */
  | {
    readonly op: 'insert',
    readonly id: string,
    readonly after: string,
    readonly text: string,
    readonly marks?: readonly Mark[],
    readonly splits?: string
  }
  | {
    readonly op: 'format',
    readonly id: string,
    readonly base: string,
    readonly from: number,
    readonly to: number,
    readonly format: Format,
    readonly value: boolean
  }
  | { readonly op: 'remove', readonly id: string, readonly base?: string }
  | CellOperation

/** A document that is being edited. */
export interface Editable {
  view (): DocumentView
  /** Applies a change. Returns the change that was really made, for the other editors; `null` if nothing changed. */
  apply (operation: Operation): Operation | null
  /** Replaces the whole content with text. Returns false if nothing changed. Throws if the format can't hold text. */
  replaceText (text: string): boolean
  /** Appends a picture; absent where the format or the emulator has none. Throws if the bytes are no picture. */
  appendImage? (bytes: Uint8Array): void
  /** The document as a file. Without changes it equals the original byte for byte. */
  bytes (): Uint8Array
}

const KINDS: Record<string, readonly string[]> = {
  text: ['text'],
  set: ['id', 'text'],
  insert: ['id', 'after', 'text'],
  remove: ['id'],
  format: ['id', 'base', 'format'],
  cell: ['sheet', 'cell', 'value']
}

/** Whether a message from a page is a well-formed operation. */
export function isOperation (value: unknown): value is Operation {
  if (typeof value !== 'object' || value === null || !('op' in value) || typeof value.op !== 'string') return false
  const fields = Object.hasOwn(KINDS, value.op) ? KINDS[value.op] : undefined
  if (
    ['base', 'joins', 'splits'].some(field =>
      field in value && typeof (value as Record<string, unknown>)[field] !== 'string'
    )
  ) return false
  if ('marks' in value && !(Array.isArray(value.marks) && value.marks.every(isMark))) return false
  if (value.op === 'format' && !isFormatting(value)) return false
  return fields !== undefined && fields.every(field => typeof (value as Record<string, unknown>)[field] === 'string')
}

function isMark (value: unknown): value is Mark {
  return isRange(value) && (!('link' in value) || typeof value.link === 'string')
}

function isFormatting (value: object): boolean {
  return isRange(value) && 'value' in value && typeof value.value === 'boolean' && 'format' in value &&
    FORMATS.some(format => format === value.format)
}

function isRange (value: unknown): value is { from: number, to: number } {
  if (typeof value !== 'object' || value === null || !('from' in value) || !('to' in value)) return false
  return Number.isInteger(value.from) && Number.isInteger(value.to) && Number(value.from) >= 0 &&
    Number(value.from) < Number(value.to)
}

/** A paragraph, heading or table row of a document's text. */
export interface TextBlock {
  readonly text: string
  /** 1 to 6 for a heading, 0 for a title. */
  readonly level?: number
  /** Starts a slide or a sheet. */
  readonly newPage?: boolean
}
