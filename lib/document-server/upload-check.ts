import { isUint8Array } from 'node:util/types'
import type { DocumentContent } from '../../types/storage.js'
import type { Content } from '../../types/storage.js'
import { DamagedDocumentError, EmptyDocumentError, InvalidNameError, UnknownFormatError, WrongFormatError } from '../errors.js'
import { contentFrom } from '../content.js'
import { isCutOff } from './compound-file.js'
import { hasPdfEnd, isBinary, isCompoundFile, isPlainText, isText, isZip, matchesOpenedSignature, SIGNATURE_REACH } from './file-signatures.js'
import { documentTypeOf, extensionOf } from './formats.js'
import { type Inspection, type InspectedContent, inspected } from './inspect.js'
import { type PackageCheck, startPackageCheck } from './package-contents.js'
import { DIRECTORY_REACH, hasPartsOf, namesOtherFormat } from './package-parts.js'
import { readZipDirectory } from './zip-directory.js'

/**
 * Looks at a file before it is taken, such as an upload: whether the editor opens its format, whether its content is of that
 * format, and whether it is complete. Resolves to content to store: the given bytes, or a stream of them. Bytes are checked when
 * it resolves. Of a stream only the beginning is; the stream that it resolves to fails with one of these errors at the latest at
 * its end, so that a storage then stores nothing.
 *
 * A package is unpacked to compare its checksums, up to 256 MiB. It is no protection against viruses, and the document server may still refuse a file. Text without a byte is accepted.
 *
 * @param name Name of the file, of which the extension counts: `Report.docx`.
 * @throws InvalidNameError (`FST_EDITOR_INVALID_NAME`): `name` does not end in an extension of 1 to 16 letters or digits.
 * @throws InvalidOptionError (`FST_EDITOR_INVALID_OPTION`): the content is not bytes or a stream of them, or was read before.
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
    const bytes = bufferOf(content)
    inspection.atStart(bytes)
    inspection.atEnd({ start: bytes, end: bytes.subarray(-DIRECTORY_REACH), length: bytes.length })
    if (isZip(bytes, extension)) await assertIntact(bytes, extension)
    return content
  }
  const checked = intact(inspected(content, inspection), extension)
  return resumed(await checked.next(), checked)
}

function uploadInspection (extension: string): Inspection {
  return {
    startReach: SIGNATURE_REACH,
    endReach: DIRECTORY_REACH,
    atStart (start) {
      if (start.length === 0 && !isPlainText(extension)) throw new EmptyDocumentError()
      if (!hasStartOf(extension, start.subarray(0, SIGNATURE_REACH))) throw new WrongFormatError(extension)
    },
    atEnd: content => assertComplete(extension, content)
  }
}

function hasStartOf (extension: string, start: Buffer): boolean {
  if (isText(extension) && isBinary(start)) return false
  if (isPlainText(extension)) return true
  return matchesOpenedSignature(start, extension) && !(isZip(start, extension) && namesOtherFormat(start, extension))
}

function assertComplete (extension: string, { start, end, length }: InspectedContent): void {
  if (isCompoundFile(start) && isCutOff(start, length)) throw new DamagedDocumentError(extension)
  if (extension === 'pdf' && !hasPdfEnd(end)) throw new DamagedDocumentError(extension)
  if (!isZip(start, extension)) return
  const directory = readZipDirectory(end, length)
  if (directory.state === 'damaged') throw new DamagedDocumentError(extension)
  if (directory.state === 'read' && !hasPartsOf(extension, directory.names)) throw new WrongFormatError(extension)
}

async function assertIntact (bytes: Buffer, extension: string): Promise<void> {
  const check = startPackageCheck()
  await check.add(bytes)
  if (!await check.end()) throw new DamagedDocumentError(extension)
}

/** Passes content on, and fails at its end if it is a package with a damaged part. */
async function * intact (content: AsyncIterable<Uint8Array>, extension: string): AsyncGenerator<Uint8Array> {
  let check: PackageCheck | undefined
  try {
    for await (const chunk of content) {
      check ??= isZip(bufferOf(chunk), extension) ? startPackageCheck() : NO_CHECK
      await check.add(chunk)
      yield chunk
    }
    if (check && !await check.end()) throw new DamagedDocumentError(extension)
  } finally {
    check?.stop()
  }
}

const NO_CHECK: PackageCheck = { add: async () => {}, end: async () => true, stop () {} }

function bufferOf ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** The rest of an iteration whose first result was taken. */
function resumed (first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  let taken: IteratorResult<Uint8Array> | undefined = first
  return {
    [Symbol.asyncIterator]: () => ({
      async next () {
        const result = taken ?? await rest.next()
        taken = undefined
        return result
      },
      return: async value => await rest.return(value)
    })
  }
}
