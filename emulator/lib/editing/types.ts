/** A paragraph as an editor shows it. `id` is stable as long as the document is open. */
export interface Paragraph {
  readonly id: string
  readonly text: string
  readonly editable: boolean
  /** 1 to 6 for a heading, 0 for a title, else absent. */
  readonly level?: number
  /** Paragraphs of one table cell share it; cells of one row differ behind the colon: `1.2:3`. */
  readonly cell?: string
  /** Begins a slide or a sheet. */
  readonly newPage?: boolean
}

/** What an editor shows of a document. */
export type DocumentView =
  | { readonly kind: 'text', readonly text: string }
  | { readonly kind: 'paragraphs', readonly paragraphs: readonly Paragraph[] }
  | { readonly kind: 'readonly', readonly note: string, readonly paragraphs: readonly Paragraph[] }

/** One change an editor makes. With `base`, the text it was made of, it is merged into what others have done since. */
export type Operation =
  | { readonly op: 'text', readonly text: string, readonly base?: string }
  | { readonly op: 'set', readonly id: string, readonly text: string, readonly base?: string }
  | { readonly op: 'insert', readonly id: string, readonly after: string, readonly text: string }
  | { readonly op: 'remove', readonly id: string, readonly base?: string }

/** A document that is being edited. */
export interface Editable {
  view (): DocumentView
  /** What was really done, to be shown to the others; `null` when the document is as it was. */
  apply (operation: Operation): Operation | null
  /** Replaces the whole content by text; false when that changes nothing. Throws where text can't be put in. */
  replaceText (text: string): boolean
  /** The document as a file. Byte for byte the original when nothing was changed. */
  bytes (): Uint8Array
}

const KINDS: Record<string, readonly string[]> = {
  text: ['text'],
  set: ['id', 'text'],
  insert: ['id', 'after', 'text'],
  remove: ['id']
}

/** Whether a message from a page is a well-formed operation. */
export function isOperation (value: unknown): value is Operation {
  if (typeof value !== 'object' || value === null || !('op' in value) || typeof value.op !== 'string') return false
  const fields = KINDS[value.op]
  if ('base' in value && typeof value.base !== 'string') return false
  return fields !== undefined && fields.every(field => typeof (value as Record<string, unknown>)[field] === 'string')
}
