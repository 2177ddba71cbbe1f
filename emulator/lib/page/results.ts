import type { Convert } from '../documents/converter/convert.js'
import { isImage } from '../documents/images/render.js'
import { imagesOf, thumbnailOf } from '../documents/images/thumbnail.js'
import { emptyTemplate } from '../documents/empty/template.js'
import { textBlocks } from '../documents/extract/extract.js'
import { wordDocument } from '../documents/word/document.js'
import { type ResultFiles, resultFolder } from '../protocol/result-files/files.js'
import type { Editor } from '../protocol/sessions/editor.js'
import type { Time } from '../protocol/clock/time.js'
import { documentServerError } from '../errors.js'
import type { FaultRegistry } from '../protocol/faults/registry.js'

interface Parts {
  readonly files: ResultFiles
  readonly convert: Convert
  readonly faults: FaultRegistry
  readonly time: Time
  readonly closing: AbortSignal
}

/** Source: docs/document-server-protocol.md#its-order-and-its-effects */
const NOT_MADE = -83

/** What a format that can't be made becomes. Source: docs/document-server-protocol.md#its-order-and-its-effects */
const INSTEAD = 'docx'

type Made = readonly [fileType: string, bytes: Uint8Array]

/**
 * The current document at an expiring URL, in the requested format if it can be made. Without one, it is the document's
 * own.
 */
export async function resultOf (
  { files, convert, faults, time, closing }: Parts,
  { document, participant, content }: Editor,
  format: unknown
): Promise<{ fileType: string, url: string }> {
  const { key, fileType } = document
  const fault = faults.take('conversion')
  if (fault?.type === 'slow') await time.pause(fault.ms, closing)
  if (fault?.type === 'error') throw documentServerError(NOT_MADE, 'The file could not be made.')
  const bytes = await content()
  const requested = typeof format === 'string' && format !== '' ? format.toLowerCase() : fileType
  const wanted = await made(convert, bytes, fileType, requested)
  if (wanted === null) convert.explain(fileType, requested)
  const [type, result] = wanted ?? await instead(convert, bytes, fileType)
  const path = files.put(`${resultFolder(key)}/output.${type}`, `output.${type}`, result, type)
  return { fileType: type, url: files.urlOf(path, participant().baseUrl, key) }
}

/** Images are those of all pages, in a zip file. */
async function made (convert: Convert, bytes: Uint8Array, fileType: string, requested: string): Promise<Made | null> {
  if (isImage(requested)) {
    const images = await imagesOf(convert, bytes, fileType, requested, thumbnailOf({ first: false }))
    return images && [images.extension, images.bytes]
  }
  const result = await convert(bytes, fileType, requested)
  return result && [requested, result]
}

/** A docx; without its text, the document as it is. */
async function instead (convert: Convert, bytes: Uint8Array, fileType: string): Promise<Made> {
  const converted = await convert(bytes, fileType, INSTEAD)
  if (converted !== null) return [INSTEAD, converted]
  const blocks = textBlocks(fileType, bytes)
  if (blocks === null) return [fileType, bytes]
  const written = wordDocument(emptyTemplate(INSTEAD))
  written.replaceText(blocks.map(({ text }) => text).join('\n'))
  return [INSTEAD, written.bytes()]
}
