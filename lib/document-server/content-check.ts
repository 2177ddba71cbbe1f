import { isUint8Array } from 'node:util/types'
import type { StorageContent, DocumentContent } from '../../types/storage.js'
import {
  DamagedDocumentError, EmptyDocumentError, InvalidNameError, UnknownFormatError, UpstreamError, WrongFormatError
} from '../errors.js'
import { assertBytes, contentFrom, resumed } from '../util/streams.js'
import { isHtml } from '../util/text.js'
import {
  hasPartsOf, hasPdfEnd, isBinary, isCutOffCompoundFile, isHtmlFormat, isPlainText, isText, isZip,
  matchesOpenedSignature, matchesSignature, signatureReach
} from './file-signatures.js'
import { documentTypeOf, extensionOf, mediaTypeOf } from './formats.js'
import { DIRECTORY_REACH, type PackageResult, startPackageCheck } from './package-check.js'

const PIECE_BYTES = 64 * 1024

/**
 * Checks a file before you accept it, for example an upload: whether the editor opens its format, whether its content
 * has that format, and whether it is complete. Resolves to content to store: the given bytes, or a stream. Bytes are
 * fully checked when it resolves; of a stream, only the beginning is. The returned stream fails with one of these
 * errors, at the latest at its end, so that a storage stores nothing.
 *
 * A package is unpacked to compare its checksums, up to 256 MiB. This does not protect against viruses, and the
 * document server may still refuse a file. An empty text file is accepted.
 *
 * @param name Name of the file, such as `Report.docx`. Only its extension is used.
 * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `name` does not end in an extension of 1 to 16 letters or
 *   digits.
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the content is neither bytes nor a stream of them, or was
 *   already read.
 * @throws UnknownFormatError (`FST_EDITOR_UNKNOWN_FORMAT`): the editor cannot open this format. The content was not
 *   read.
 * @throws EmptyDocumentError (`FST_EDITOR_EMPTY_DOCUMENT`): the content is empty, and the format is not plain text.
 * @throws WrongFormatError (`FST_EDITOR_WRONG_FORMAT`): the content does not have the format of the extension.
 * @throws DamagedDocumentError (`FST_EDITOR_DAMAGED_DOCUMENT`): the file is cut off or damaged.
 * @throws the error of `content`.
 * @example
 * ```js
 * const content = await checkDocument(request.raw, 'Report.docx')
 * const { fileId } = await app.editorStorage.create('docx', content)
 * ```
 */
export async function checkDocument (given: DocumentContent, name: string): Promise<StorageContent> {
  const content = contentFrom(given)
  const fileType = extensionOf(name)
  if (fileType === '') throw new InvalidNameError()
  if (documentTypeOf(fileType) === undefined) throw new UnknownFormatError(fileType)
  const inspection: Inspection = {
    format: fileType,
    atStart (start) {
      if (start.length === 0 && !isPlainText(fileType)) throw new EmptyDocumentError()
      if (!hasStartOf(fileType, start.subarray(0, signatureReach(fileType)))) throw new WrongFormatError(fileType)
    },
    atEnd: content => assertComplete(fileType, content)
  }
  if (isUint8Array(content)) {
    const checking = inspected(piecesOf(content), inspection)
    while ((await checking.next()).done !== true);
    return content
  }
  const checked = inspected(content, inspection)
  return resumed(await checked.next(), checked)
}

/** The bytes, little by little, so that others get a turn in between. */
function * piecesOf (bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

function hasStartOf (extension: string, start: Buffer): boolean {
  if (isText(extension) && isBinary(start)) return false
  return isPlainText(extension) || matchesOpenedSignature(start, extension)
}

function assertComplete (extension: string, { start, end, length, found }: InspectedContent): void {
  const isCutOff = isCutOffCompoundFile(start, length) || (extension === 'pdf' && !hasPdfEnd(end))
  if (isCutOff || found === 'damaged') throw new DamagedDocumentError(extension)
  if (found?.names && !hasPartsOf(extension, found.names)) throw new WrongFormatError(extension)
}

interface Announced {
  /** Format of the bytes; older document servers do not announce it. */
  readonly fileType: string | undefined
  /** Extension of the stored file, used if no format is announced. */
  readonly storedType: string
  readonly mediaType: string | undefined
  /** Whether the content is known to be empty, with nothing lost. */
  readonly mayBeEmpty?: boolean
  /** Whether a page announced the format instead of the document server. */
  readonly namedByPage?: boolean
  /** Makes the error for other content. Default: an `UpstreamError` that is not retryable. */
  readonly mismatchError?: (found: string) => Error
}

/**
 * Passes on content that looks like the announced format, or without one like the stored file's format. If the content
 * is empty, an error page or of another format, rejects with `mismatchError` before the first byte. If a package is
 * damaged inside or truncated, fails with `UpstreamError` after the last byte: a server in between may have damaged it,
 * or announce the length of what it has. Only plain text may be empty, if it is announced as such and nothing was lost.
 *
 * If a page has announced the format, a package must also have that format's parts; otherwise it fails after the last
 * byte. Text may then be plain text whatever it contains, and HTML or other markup only if the document server says so.
 */
export async function * checkedContent (
  content: AsyncIterable<Uint8Array>, announced: Announced
): AsyncGenerator<Uint8Array> {
  const format = announced.fileType ?? announced.storedType
  yield * inspected(content, {
    format,
    atStart: start => assertMatch(start, format, announced),
    atEnd ({ found }) {
      if (found === 'damaged') throw new UpstreamError(`the ${format} file is truncated or damaged`)
      if (announced.namedByPage && found?.names && !hasPartsOf(format, found.names)) {
        throw mismatch(`not ${format}`, announced)
      }
    }
  })
}

function assertMatch (start: Buffer, format: string, announced: Announced): void {
  if (isMatch(start, format, announced)) return
  const found = start.length === 0 ? 'empty' : `not ${format}${isHtml(start) ? ' but an HTML page' : ''}`
  throw mismatch(found, announced)
}

function mismatch (found: string, { mismatchError }: Announced): Error {
  return mismatchError?.(found) ?? new UpstreamError(`the response is ${found}`, { retryable: false })
}

function isMatch (
  start: Buffer, format: string, { fileType, mediaType, mayBeEmpty = false, namedByPage = false }: Announced
): boolean {
  if (start.length === 0) return isPlainText(format) && fileType !== undefined && mayBeEmpty
  if (namedByPage && !isAsSaid(start, format, mediaType)) return false
  // Text may begin with a tag. It is an error page only if it is sent as HTML.
  if (isPlainText(format)) return !isErrorResponse(start, format, mediaType)
  // Older document servers announce no format, and save RTF as docx.
  return matchesSignature(start, format) || (format === 'rtf' && fileType === undefined && isZip(start, 'docx'))
}

/** Whether the content and the document server's media type allow the format that a page has announced. */
function isAsSaid (start: Buffer, format: string, mediaType = ''): boolean {
  if (!isText(format)) return matchesOpenedSignature(start, format)
  if (isBinary(start)) return false
  if (isPlainText(format) || format === 'rtf') return true
  const said = essenceOf(mediaType)
  if (said === essenceOf(mediaTypeOf(format))) return true
  // Any text can be HTML, and few servers name the media types of other markup.
  return !isHtmlFormat(format) && (said === 'application/octet-stream' || said.endsWith('xml'))
}

/** A media type without parameters. */
function essenceOf (mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase()
}

function isErrorResponse (start: Buffer, format: string, mediaType = ''): boolean {
  return (isHtml(start) && /^text\/html\b/i.test(mediaType)) ||
    (format !== 'json' && /^application\/(\w+\+)?json\b/i.test(mediaType))
}

interface Inspection {
  /** Packages of this format are checked. */
  readonly format: string
  /** Called before the first byte is passed on, with at least `signatureReach` bytes. Throws to refuse them. */
  atStart (start: Buffer): void
  /** Called after the last byte was passed on. Throws to make the content fail. */
  atEnd (content: InspectedContent): void
}

interface InspectedContent {
  /** The first bytes, at least `signatureReach` if there are so many. */
  readonly start: Buffer
  /** The last bytes, at least `DIRECTORY_REACH` if there are so many. */
  readonly end: Buffer
  /** Size in bytes. */
  readonly length: number
  /** What the check of a package found. */
  readonly found?: PackageResult | undefined
}

/** Passes content on, looks at its first and last bytes, and reads packages through. */
async function * inspected (
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, { format, atStart, atEnd }: Inspection
): AsyncGenerator<Uint8Array> {
  const tail = createTail(DIRECTORY_REACH)
  let start = Buffer.alloc(0)
  let length = 0
  let hasStarted = false
  let check: ReturnType<typeof startPackageCheck> | undefined
  try {
    for await (let chunk of content) {
      assertBytes(chunk)
      tail.add(chunk)
      length += chunk.length
      if (!hasStarted) {
        start = Buffer.concat([start, chunk])
        if (start.length < signatureReach(format)) continue
        begin()
        chunk = start
      }
      await check?.add(bufferOf(chunk))
      yield chunk // whoever gets it may overwrite it
    }
    if (!hasStarted) {
      begin()
      await check?.add(start)
      yield start
    }
    const end = tail.bytes()
    atEnd({ start, end, length, found: await check?.end(end, length) })
  } finally {
    check?.stop()
  }

  function begin (): void {
    atStart(start)
    hasStarted = true
    if (isZip(start, format)) check = startPackageCheck()
  }
}

function bufferOf ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Keeps copies of the last bytes that were added: a chunk of one byte may belong to a buffer of 64 KiB. */
function createTail (reach: number) {
  let buffer = Buffer.alloc(0)
  let filled = 0
  return {
    add (chunk: Uint8Array): void {
      const added = chunk.subarray(-reach)
      if (filled + added.length > 2 * reach) {
        buffer.copyWithin(0, filled - reach, filled)
        filled = reach
      }
      const needed = filled + added.length
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(2 * needed, 2 * reach))
        buffer.copy(larger, 0, 0, filled)
        buffer = larger
      }
      buffer.set(added, filled)
      filled = needed
    },
    bytes: (): Buffer => buffer.subarray(0, filled)
  }
}
