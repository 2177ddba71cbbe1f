import { isUint8Array } from 'node:util/types'
import type { Content, DocumentContent } from '../../types/storage.js'
import {
  DamagedDocumentError, EmptyDocumentError, InvalidNameError, UnknownFormatError, WrongFormatError
} from '../errors.js'
import { contentFrom, resumed } from '../util/streams.js'
import { inspected, type InspectedContent, type Inspection } from './content-check.js'
import {
  hasPartsOf, hasPdfEnd, isBinary, isCompoundFile, isPlainText, isText, matchesOpenedSignature, signatureReach
} from './file-signatures.js'
import { documentTypeOf, extensionOf } from './formats.js'

const PIECE_BYTES = 64 * 1024

/**
 * Looks at a file before it is taken, such as an upload: whether the editor opens its format, whether its content is of
 * that format, and whether it is complete. Resolves to content to store: the given bytes, or a stream of them. Bytes
 * are checked when it resolves. Of a stream only the beginning is; the stream that it resolves to fails with one of
 * these errors at the latest at its end, so that a storage then stores nothing.
 *
 * A package is unpacked to compare its checksums, up to 256 MiB. It is no protection against viruses, and the document
 * server may still refuse a file. Text without a byte is accepted.
 *
 * @param name Name of the file, of which the extension counts: `Report.docx`.
 * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `name` does not end in an extension of 1 to 16 letters or
 *   digits.
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the content is not bytes or a stream of them, or was read
 *   before.
 * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): the editor opens no such files. The content was not read.
 * @throws EmptyDocumentError (`FST_EDITOR_EMPTY_DOCUMENT`): there is no content, and it is not plain text.
 * @throws WrongFormatError (`FST_EDITOR_WRONG_FORMAT`): the content is of another format than the extension says.
 * @throws DamagedDocumentError (`FST_EDITOR_DAMAGED_DOCUMENT`): the file is cut off or damaged.
 * @throws the error of `content`.
 * @example
 * ```js
 * const content = await checkDocument(request.raw, 'Report.docx')
 * const { fileId } = await app.editorStorage.create('docx', content)
 * ```
 */
export async function checkDocument (given: DocumentContent, name: string): Promise<Content> {
  const content = contentFrom(given)
  const extension = extensionOf(name)
  if (extension === '') throw new InvalidNameError()
  if (documentTypeOf(extension) === undefined) throw new UnknownFormatError(extension)
  const inspection = uploadInspection(extension)
  if (isUint8Array(content)) {
    const checking = inspected(piecesOf(content), inspection)
    while ((await checking.next()).done !== true);
    return content
  }
  const checked = inspected(content, inspection)
  return resumed(await checked.next(), checked)
}

/** The bytes, little by little: others get a turn in between. */
function * piecesOf (bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

function uploadInspection (extension: string): Inspection {
  return {
    format: extension,
    atStart (start) {
      if (start.length === 0 && !isPlainText(extension)) throw new EmptyDocumentError()
      if (!hasStartOf(extension, start.subarray(0, signatureReach(extension)))) throw new WrongFormatError(extension)
    },
    atEnd: content => assertComplete(extension, content)
  }
}

function hasStartOf (extension: string, start: Buffer): boolean {
  if (isText(extension) && isBinary(start)) return false
  return isPlainText(extension) || matchesOpenedSignature(start, extension)
}

function assertComplete (extension: string, { start, end, length, found }: InspectedContent): void {
  if (isCompoundFile(start) && isCutOff(start, length)) throw new DamagedDocumentError(extension)
  if (extension === 'pdf' && !hasPdfEnd(end)) throw new DamagedDocumentError(extension)
  if (found === 'damaged') throw new DamagedDocumentError(extension)
  if (found?.names && !hasPartsOf(extension, found.names)) throw new WrongFormatError(extension)
}

// Source of the offsets: MS-CFB, the specification of the container of .doc, .xls and .ppt.

const HEADER_BYTES = 512
const SECTOR_SHIFT = 30
const SHIFTS: readonly number[] = [9, 12]
const FIRST_DIRECTORY_SECTOR = 48
/** Offset of the numbers of the sectors that list all others. */
const FIRST_LISTED = 76
/** Greater numbers mean that there is no sector. */
const LAST_SECTOR = 0xFFFFFFFA

/** Whether sectors that the header names are beyond the end of the file, or it has no readable header. */
function isCutOff (start: Buffer, length: number): boolean {
  if (start.length < HEADER_BYTES) return true
  const shift = start.readUInt16LE(SECTOR_SHIFT)
  if (!SHIFTS.includes(shift)) return true
  const sectors = [start.readUInt32LE(FIRST_DIRECTORY_SECTOR)]
  for (let at = FIRST_LISTED; at < HEADER_BYTES; at += 4) sectors.push(start.readUInt32LE(at))
  return sectors.some(sector => sector <= LAST_SECTOR && (sector + 1) * 2 ** shift >= length)
}
