/** A paragraph, heading or row of a document's text. */
export interface TextBlock {
  readonly text: string
  /** 1 to 6 for a heading, 0 for a title. */
  readonly level?: number
  /** Begins a new page: a slide, a sheet. */
  readonly newPage?: boolean
}
