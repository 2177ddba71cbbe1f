import type { Convert } from '../documents/converter/convert.js'
import { isImage } from '../documents/images/render.js'
import type { Image } from '../documents/images/thumbnail.js'
import type { Editing, PageEditor } from '../editing.js'

/** What a format that can't be made becomes. Source: docs/document-server-protocol.md#its-order-and-its-effects */
const INSTEAD = 'docx'

/** Images are those of all pages, in a zip file. */
const WHOLE_PAGES = { aspect: 2, first: false, width: 0, height: 0 } as const // the size of the pages

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
  const wanted = isImage(requested)
    ? await (await import('../documents/images/thumbnail.js')).imagesOf(convert, bytes, fileType, requested, WHOLE_PAGES)
    : { bytes: await convert(bytes, fileType, requested), extension: requested }
  if (!wanted?.bytes) convert.explain(fileType, requested)
  const made = wanted?.bytes ? { ...wanted, bytes: wanted.bytes } : await instead(convert, bytes, fileType)
  const { extension } = made
  return { fileType: extension, url: participant().baseUrl + publish(key, `output.${extension}`, made.bytes, extension) }
}

/** A docx; without its text, the document as it is. */
async function instead (convert: Convert, bytes: Uint8Array, fileType: string): Promise<Image> {
  const converted = await convert(bytes, fileType, INSTEAD)
  if (converted !== null) return { bytes: converted, extension: INSTEAD }
  const { textBlocks } = await import('../documents/extract/extract.js')
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return { bytes, extension: fileType }
  const { emptyTemplate } = await import('../documents/empty.js')
  const { wordDocument } = await import('../documents/word/document.js')
  const written = wordDocument(emptyTemplate(INSTEAD))
  written.replaceText(blocks.map(({ text }) => text).join('\n'))
  return { bytes: written.bytes(), extension: INSTEAD }
}
