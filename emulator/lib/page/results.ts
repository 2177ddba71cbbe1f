import type { Convert } from '../documents/converter/convert.js'
import { isImage } from '../documents/images/render.js'
import type { Editing, PageEditor } from '../editing.js'

/** What a format that can't be made becomes. Source: docs/document-server-protocol.md#its-order-and-its-effects */
const INSTEAD = 'docx'

const WHOLE_PAGES = { aspect: 2, first: false, width: 0, height: 0 } as const // the size of the pages

type Made = readonly [fileType: string, bytes: Uint8Array]

/**
 * The current document at an expiring URL, in the requested format if it can be made. Without one, it is the document's
 * own.
 */
export async function resultOf (
  { convert, conversionFault, publish }: Editing,
  { document, participant, content }: PageEditor,
  format: unknown
): Promise<{ fileType: string, url: string }> {
  const { key, fileType } = document
  await conversionFault()
  const bytes = await content()
  const requested = typeof format === 'string' && format !== '' ? format.toLowerCase() : fileType
  const wanted = await made(convert, bytes, fileType, requested)
  if (wanted === null) convert.explain(fileType, requested)
  const [type, result] = wanted ?? await instead(convert, bytes, fileType)
  return { fileType: type, url: participant().baseUrl + publish(key, `output.${type}`, result, type) }
}

/** Images are those of all pages, in a zip file. */
async function made (convert: Convert, bytes: Uint8Array, fileType: string, requested: string): Promise<Made | null> {
  if (isImage(requested)) {
    const { imagesOf } = await import('../documents/images/thumbnail.js')
    const images = await imagesOf(convert, bytes, fileType, requested, WHOLE_PAGES)
    return images && [images.extension, images.bytes]
  }
  const result = await convert(bytes, fileType, requested)
  return result && [requested, result]
}

/** A docx; without its text, the document as it is. */
async function instead (convert: Convert, bytes: Uint8Array, fileType: string): Promise<Made> {
  const converted = await convert(bytes, fileType, INSTEAD)
  if (converted !== null) return [INSTEAD, converted]
  const { textBlocks } = await import('../documents/extract/extract.js')
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return [fileType, bytes]
  const { emptyTemplate } = await import('../documents/empty/template.js')
  const { wordDocument } = await import('../documents/word/document.js')
  const written = wordDocument(emptyTemplate(INSTEAD))
  written.replaceText(blocks.map(({ text }) => text).join('\n'))
  return [INSTEAD, written.bytes()]
}
