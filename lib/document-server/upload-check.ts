import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import { crc32, createInflateRaw } from 'node:zlib'
import type { Content, DocumentContent } from '../../types/storage.js'
import {
  DamagedDocumentError, EmptyDocumentError, InvalidNameError, UnknownFormatError, WrongFormatError
} from '../errors.js'
import { contentFrom, resumed } from '../util/streams.js'
import { DEFLATED, ENTRY, PART, PART_BYTES, STORED } from '../util/zip.js'
import { inspected, type InspectedContent, type Inspection } from './content-check.js'
import {
  DIRECTORY_REACH, hasPartsOf, hasPdfEnd, isBinary, isCompoundFile, isPlainText, isText, isZip, matchesOpenedSignature,
  namesInZip, SIGNATURE_REACH
} from './file-signatures.js'
import { documentTypeOf, extensionOf } from './formats.js'

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
  return isPlainText(extension) || matchesOpenedSignature(start, extension)
}

function assertComplete (extension: string, { start, end, length }: InspectedContent): void {
  if (isCompoundFile(start) && isCutOff(start, length)) throw new DamagedDocumentError(extension)
  if (extension === 'pdf' && !hasPdfEnd(end)) throw new DamagedDocumentError(extension)
  if (!isZip(start, extension)) return
  const names = namesInZip(end, length)
  if (names === 'damaged') throw new DamagedDocumentError(extension)
  if (names !== 'unread' && !hasPartsOf(extension, names)) throw new WrongFormatError(extension)
}

async function assertIntact (bytes: Buffer, extension: string): Promise<void> {
  const check = startPackageCheck()
  await check.add(bytes)
  if (!await check.end()) throw new DamagedDocumentError(extension)
}

/** Passes content on, and fails at its end if the content is a package with a damaged part. */
async function * intact (content: AsyncIterable<Uint8Array>, extension: string): AsyncGenerator<Uint8Array> {
  let check: ReturnType<typeof startPackageCheck> | null | undefined
  try {
    for await (const chunk of content) {
      if (check === undefined) check = isZip(bufferOf(chunk), extension) ? startPackageCheck() : null
      await check?.add(chunk)
      yield chunk
    }
    if (check && !await check.end()) throw new DamagedDocumentError(extension)
  } finally {
    check?.stop()
  }
}

function bufferOf ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
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

// Source of all offsets and signatures: APPNOTE.TXT, the specification of the zip format.
const DESCRIPTOR = 0x08074b50
/** Signatures of what follows the last part: the directory, or something that belongs to it. */
const AFTER_PARTS: ReadonlySet<number> = new Set([ENTRY, 0x08064b50, 0x06064b50, 0x06054b50])
const ENCRYPTED = 1
const HAS_DESCRIPTOR = 8
/** Means that the size is stored elsewhere, with 64 bits. */
const LARGE = 0xFFFFFFFF

/** Bounds the work: anything beyond is not examined. */
const LIMITS = { parts: 2000, unpackedBytes: 256 * 1024 * 1024 }

/** Number of bytes that are examined at a time. Unpacked they are at most a thousand times as many. */
const PIECE = 64 * 1024

/** Examines a package while it passes: unpacks the parts one after the other, without keeping them. */
function startPackageCheck () {
  const through = new PassThrough()
  through.on('error', () => {}) // it is destroyed as soon as the result is known
  const isIntact = areIntact(byteReader(through)).catch(() => true).finally(() => through.destroy())
  return {
    /** Resolves when more can be taken. */
    async add (chunk: Uint8Array): Promise<void> {
      if (!through.destroyed && !through.write(chunk)) await Promise.race([once(through, 'drain'), isIntact])
    },
    /** Whether the content of each part has its expected checksum, as far as can be determined. */
    async end (): Promise<boolean> {
      through.end()
      return await isIntact
    },
    /** Stops the check early. */
    stop (): void { through.destroy() }
  }
}

async function areIntact (reader: ByteReader): Promise<boolean> {
  let unpackedBytes = 0
  for (let parts = 0; parts < LIMITS.parts; parts++) {
    const header = await reader.take(PART_BYTES)
    if (header === undefined) return true // too short for a part: the directory shows what is missing
    if (header.readUInt32LE(0) !== PART) return AFTER_PARTS.has(header.readUInt32LE(0))
    const content = await contentOf(header, reader, LIMITS.unpackedBytes - unpackedBytes)
    if (content === 'unknown') return true
    if (content === 'damaged') return false
    unpackedBytes += content.size
    const announced = (header.readUInt16LE(6) & HAS_DESCRIPTOR) === 0
      ? header.readUInt32LE(14)
      : await describedChecksum(reader)
    if (content.checksum !== announced) return false
  }
  return true
}

/** `size` in bytes. */
type Examined = { readonly checksum: number, readonly size: number } | 'damaged' | 'unknown'

async function contentOf (header: Buffer, reader: ByteReader, limit: number): Promise<Examined> {
  const [flags, method, packedSize] = [header.readUInt16LE(6), header.readUInt16LE(8), header.readUInt32LE(18)]
  if (await reader.take(header.readUInt16LE(26) + header.readUInt16LE(28)) === undefined) return 'damaged'
  if ((flags & ENCRYPTED) !== 0) return 'unknown'
  if (method === DEFLATED) return await inflated(reader, limit)
  return method === STORED && (flags & HAS_DESCRIPTOR) === 0 && packedSize !== LARGE
    ? await stored(reader, packedSize)
    : 'unknown'
}

async function stored (reader: ByteReader, size: number): Promise<Examined> {
  let checksum = 0
  for (let left = size; left > 0;) {
    const bytes = await reader.takeUpTo(Math.min(left, PIECE))
    if (bytes === undefined) return 'damaged'
    checksum = crc32(bytes, checksum)
    left -= bytes.length
  }
  return { checksum, size }
}

/** The packed data contain their own end. */
async function inflated (reader: ByteReader, limit: number): Promise<Examined> {
  const inflate = createInflateRaw()
  let [checksum, size, taken] = [0, 0, 0]
  inflate.on('data', (bytes: Buffer) => {
    checksum = crc32(bytes, checksum)
    size += bytes.length
  })
  const finished = new Promise<'end' | 'damaged'>(resolve => {
    inflate.once('end', () => resolve('end'))
    inflate.once('error', () => resolve('damaged'))
  })
  try {
    for (;;) {
      const bytes = await reader.takeUpTo(PIECE)
      if (bytes === undefined) return 'damaged'
      taken += bytes.length
      // The callback is not called after the end of the data.
      const state = await Promise.race([
        finished,
        new Promise<'more'>(resolve =>
          inflate.write(bytes, error => {
            if (!error) resolve('more')
          })
        )
      ])
      if (state === 'damaged') return 'damaged'
      if (size > limit) return 'unknown'
      if (state === 'more') continue
      const unused = taken - inflate.bytesWritten
      if (unused > 0) reader.putBack(bytes.subarray(-unused))
      return { checksum, size }
    }
  } finally {
    inflate.destroy()
  }
}

/**
 * The checksum after a part, written by programs that did not know it earlier. Its signature is optional, and the sizes
 * have 32 or 64 bits.
 */
async function describedChecksum (reader: ByteReader): Promise<number | undefined> {
  const first = await reader.take(4)
  const checksum = first?.readUInt32LE(0) === DESCRIPTOR ? await reader.take(4) : first
  const sizes = await reader.take(16)
  if (checksum === undefined || sizes === undefined) return undefined
  const isNext = (signature: number) => signature === PART || AFTER_PARTS.has(signature)
  reader.putBack(isNext(sizes.readUInt32LE(8)) ? sizes.subarray(8) : Buffer.alloc(0))
  return checksum.readUInt32LE(0)
}

/** Number of bytes that are taken before others get a turn: all of them may already be in memory. */
const TURN = 1024 ** 2

type ByteReader = ReturnType<typeof byteReader>

/** Takes bytes out of a stream in the portions that its format requires. Copies them only out of several chunks. */
function byteReader (content: AsyncIterable<Buffer>) {
  const iterator = content[Symbol.asyncIterator]()
  /** Chunks before the rest of the stream, the first one last. */
  const ahead: Buffer[] = []
  let takenInTurn = 0

  return { take, takeUpTo, putBack }

  async function next (): Promise<Buffer | undefined> {
    const chunk = ahead.pop()
    if (chunk) return chunk
    const { done, value } = await iterator.next()
    return done === true ? undefined : value
  }

  /** Takes at least one and at most `count` bytes; `undefined` at the end. */
  async function takeUpTo (count: number): Promise<Buffer | undefined> {
    const chunk = await next()
    if (chunk === undefined) return undefined
    putBack(chunk.subarray(count))
    takenInTurn += Math.min(count, chunk.length)
    if (takenInTurn >= TURN) {
      takenInTurn = 0
      await setImmediate()
    }
    return chunk.subarray(0, count)
  }

  /** Returns unused bytes, which come next. */
  function putBack (bytes: Buffer): void {
    if (bytes.length > 0) ahead.push(bytes)
  }

  /** Takes exactly `count` bytes; `undefined` if the stream ends before. */
  async function take (count: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = []
    for (let missing = count; missing > 0;) {
      const bytes = await takeUpTo(missing)
      if (bytes === undefined) return undefined
      chunks.push(bytes)
      missing -= bytes.length
    }
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  }
}
