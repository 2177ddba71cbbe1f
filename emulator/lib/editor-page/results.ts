import type { Convert } from '../conversions/converter/convert.js'
import { emptyTemplate } from '../documents/empty/template.js'
import { textBlocks } from '../documents/extract/extract.js'
import { wordDocument } from '../documents/word/document.js'
import { type ResultFiles, resultFolder } from '../result-files/files.js'
import type { Editor } from '../sessions/editor.js'

interface Parts {
  readonly files: ResultFiles
  readonly convert: Convert
}

/** What a format that can't be made becomes. Source: docs/document-server-protocol.md#its-order-and-its-effects */
const INSTEAD = 'docx'

/** The current document at an expiring URL, in the requested format if it can be made. Without one, it is the document's own. */
export async function resultOf ({ files, convert }: Parts, { document, participant, content }: Editor, format: unknown): Promise<{ fileType: string, url: string }> {
  const { key, fileType } = document
  const bytes = await content()
  const requested = typeof format === 'string' && format !== '' ? format.toLowerCase() : fileType
  const made = await convert(bytes, fileType, requested)
  const [type, result] = made === null ? await instead(convert, bytes, fileType) : [requested, made] as const
  const path = files.put(`${resultFolder(key)}/output.${type}`, `output.${type}`, result, type)
  return { fileType: type, url: files.urlOf(path, participant().baseUrl, key) }
}

/** A docx; without its text, the document as it is. */
async function instead (convert: Convert, bytes: Uint8Array, fileType: string): Promise<readonly [fileType: string, bytes: Uint8Array]> {
  const converted = await convert(bytes, fileType, INSTEAD)
  if (converted !== null) return [INSTEAD, converted]
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return [fileType, bytes]
  const written = wordDocument(emptyTemplate(INSTEAD))
  written.replaceText(blocks.map(({ text }) => text).join('\n'))
  return [INSTEAD, written.bytes()]
}
