/** A document that a script is making. */
export interface Draft {
  readonly fileType: 'docx' | 'xlsx' | 'pptx'
  /** Of a text document. It begins with an empty one. */
  readonly paragraphs: DraftParagraph[]
  /** Of a spreadsheet, by their names. */
  readonly cells: Map<string, string>
}

export interface DraftParagraph {
  text: string
}

const STARTED_AS = new Map<unknown, Draft['fileType']>([['docx', 'docx'], ['pdf', 'docx'], ['xlsx', 'xlsx'], [
  'pptx',
  'pptx'
]])

/** A new document for `builder.CreateFile(type)`; `undefined` for a type that can't be started with. */
export function newDraft (type: unknown): Draft | undefined {
  const fileType = STARTED_AS.get(type)
  return fileType === undefined ? undefined : { fileType, paragraphs: [{ text: '' }], cells: new Map() }
}

export async function bytesOf ({ fileType, paragraphs, cells }: Draft): Promise<Uint8Array> {
  const { emptyTemplate } = await import('../../documents/empty/template.js')
  const { openEditable } = await import('../../documents/open.js')
  const document = openEditable(fileType, emptyTemplate(fileType))
  if (fileType === 'docx') document.replaceText(paragraphs.map(({ text }) => text.replaceAll('\n', ' ')).join('\n'))
  const view = document.view()
  const sheet = view.kind === 'grid' ? view.sheets[0]?.name : undefined
  for (const [cell, value] of cells) document.apply({ op: 'cell', sheet: sheet ?? '', cell, value })
  return document.bytes()
}
