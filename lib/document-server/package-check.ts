import { setImmediate } from 'node:timers/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { DEFLATED, ENTRY, PART, PART_BYTES, STORED } from '../util/zip.js'

// Source of all offsets and signatures: APPNOTE.TXT, the specification of the zip format.
const END = Buffer.from('504b0506', 'hex')
const END_BYTES = 22
const ENTRY_BYTES = 46
const DESCRIPTOR = 0x08074b50
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const LOCATOR_BYTES = 20
const SIGNED = 0x05054b50
/** Flags of content that cannot be read without a key or another file. */
const OPAQUE = 0x2061
const HAS_DESCRIPTOR = 8
/** Means that the number is stored elsewhere, with 64 bits. */
const LARGE = 0xFFFFFFFF
const MANY = 0xFFFF
/** What some transports add to a file: zeros and line ends. */
const PADDING: ReadonlySet<number> = new Set([0, 10, 13])

/** Bounds the work: anything beyond is not examined. */
const LIMITS = { parts: 2000, unpackedBytes: 256 * 1024 * 1024 }

/** Number of bytes that are examined at a time. Unpacked they are at most a thousand times as many. */
const PIECE = 64 * 1024

/** Enough bytes at the end of a package for the directory of about 2,500 parts. */
export const DIRECTORY_REACH = 256 * 1024

/** Names of the parts, as far as the directory could be read. */
export type PackageResult = 'damaged' | { readonly names: readonly string[] | undefined }

/** What was read of a part. Size in bytes. */
interface Content {
  readonly checksum: number
  readonly packedSize: number
  readonly size: number
}

/** What a part and its entry in the directory say about how to read it. */
interface Head {
  readonly name: string
  readonly flags: number
  readonly method: number
}

interface Part extends Head {
  readonly content: Content | 'unread'
}

interface Examined {
  /** By the offsets of the parts. */
  readonly parts: ReadonlyMap<number, Part>
  /** Offset of the directory; `undefined` if not all parts were read. */
  readonly directoryAt: number | undefined
}

/**
 * Examines a package while it passes: unpacks the parts one after the other, without keeping them, compares each with
 * its checksum, and all of them with the directory.
 *
 * Not noticed is damage to what readers ignore, such as times, and beyond the limits: after 2,000 parts or 256 MiB of
 * unpacked content, from an encrypted part on or one packed by an unusual method, and in a directory of more than
 * 256 KiB or with 64-bit numbers.
 */
export function startPackageCheck () {
  let hand: (chunk: Buffer | undefined) => void = () => {}
  let release = () => {}
  let isOver = false
  let isEnded = false
  const examining = examined(byteReader(next)).finally(() => {
    isOver = true
    release()
  })
  examining.catch(() => {})
  return { add, end, stop }

  async function next (): Promise<Buffer | undefined> {
    if (isEnded) return undefined
    return await new Promise(resolve => {
      hand = resolve
      release()
    })
  }

  /** Resolves when the chunk was examined: its memory may then be used for something else. */
  async function add (chunk: Buffer): Promise<void> {
    if (isOver || chunk.length === 0) return
    await new Promise<void>(resolve => {
      release = resolve
      hand(chunk)
    })
  }

  /** `tail`: the last bytes of the package, at least `DIRECTORY_REACH` if there are so many. `length`: its size. */
  async function end (tail: Buffer, length: number): Promise<PackageResult> {
    stop()
    const parts = await examining
    return parts === 'damaged' ? parts : compared(parts, directoryIn(tail, length))
  }

  /** Ends the check, if it has not ended. */
  function stop (): void {
    isEnded = true
    if (!isOver) hand(undefined)
  }
}

async function examined (reader: ByteReader): Promise<Examined | 'damaged'> {
  const parts = new Map<number, Part>()
  for (let unpackedBytes = 0; parts.size < LIMITS.parts;) {
    await skipZeros(reader)
    const offset = reader.position()
    const signature = (await reader.take(4))?.readUInt32LE(0)
    if (signature === ENTRY) return { parts, directoryAt: offset }
    if (signature !== PART) return 'damaged'
    const part = await nextPart(reader, LIMITS.unpackedBytes - unpackedBytes)
    if (part === 'damaged') return part
    parts.set(offset, part)
    if (part.content === 'unread') break
    unpackedBytes += part.content.size
  }
  return { parts, directoryAt: undefined }
}

/** With zeros some programs align parts. Of parts that are zeros now, the directory knows. */
async function skipZeros (reader: ByteReader): Promise<void> {
  for (;;) {
    const bytes = await reader.takeUpTo(PIECE)
    if (bytes === undefined) return
    const end = bytes.findIndex(byte => byte !== 0)
    if (end >= 0) return reader.putBack(bytes.subarray(end))
  }
}

/** Reads a part after its signature. */
async function nextPart (reader: ByteReader, limit: number): Promise<Part | 'damaged'> {
  const head = await reader.take(PART_BYTES - 4)
  const name = head && await reader.take(head.readUInt16LE(22))
  if (name === undefined || await reader.take(head!.readUInt16LE(24)) === undefined) return 'damaged'
  const fields = headAt(head!, name)
  const content = await contentOf(fields, head!, reader, limit)
  return content === 'damaged' ? content : { ...fields, content }
}

/** `fields`: from the version on, which a part and its entry have in common. */
function headAt (fields: Buffer, name: Buffer): Head {
  return { name: name.toString(), flags: fields.readUInt16LE(2), method: fields.readUInt16LE(4) }
}

async function contentOf (
  { flags, method }: Head, head: Buffer, reader: ByteReader, limit: number
): Promise<Content | 'damaged' | 'unread'> {
  const packedSize = head.readUInt32LE(14)
  const isDescribed = (flags & HAS_DESCRIPTOR) !== 0
  const isStored = method === STORED && !isDescribed && packedSize <= limit
  if ((flags & OPAQUE) !== 0 || !(isStored || method === DEFLATED)) return 'unread'
  const content = isStored ? await stored(reader, packedSize) : await inflated(reader, limit)
  if (typeof content === 'string') return content
  const isAnnounced = isDescribed ? await isAsDescribed(content, reader) : head.readUInt32LE(10) === content.checksum
  return isAnnounced ? content : 'damaged'
}

async function stored (reader: ByteReader, size: number): Promise<Content | 'damaged'> {
  let checksum = 0
  for (let left = size; left > 0;) {
    const bytes = await reader.takeUpTo(Math.min(left, PIECE))
    if (bytes === undefined) return 'damaged'
    checksum = crc32(bytes, checksum)
    left -= bytes.length
  }
  return { checksum, packedSize: size, size }
}

/** The packed data contain their own end. */
async function inflated (reader: ByteReader, limit: number): Promise<Content | 'damaged' | 'unread'> {
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
      if (size > limit) return 'unread'
      if (state === 'more') continue
      const unused = taken - inflate.bytesWritten
      if (unused > 0) reader.putBack(bytes.subarray(-unused))
      return { checksum, packedSize: inflate.bytesWritten, size }
    }
  } finally {
    inflate.destroy()
  }
}

/**
 * Compares a part with what follows it, written by programs that did not know it earlier. The signature is optional,
 * and the sizes have 32 or 64 bits.
 */
async function isAsDescribed (part: Content, reader: ByteReader): Promise<boolean> {
  const first = await reader.take(4)
  const checksum = first?.readUInt32LE(0) === DESCRIPTOR ? await reader.take(4) : first
  const sizes = await reader.take(16)
  if (checksum === undefined || sizes === undefined || checksum.readUInt32LE(0) !== part.checksum) return false
  // Of a part without content, the rest of the long form is zeros.
  if (sizes.readUInt32LE(0) === part.packedSize && sizes.readUInt32LE(4) === part.size) {
    reader.putBack(sizes.subarray(8))
    return true
  }
  return sizes.readBigUInt64LE(0) === BigInt(part.packedSize) && sizes.readBigUInt64LE(8) === BigInt(part.size)
}

/** What the directory says of a part. */
interface Entry extends Head, Content {
  readonly offset: number
}

interface Directory {
  readonly offset: number
  /** `undefined`: it is longer than what is kept of the end. */
  readonly entries: readonly Entry[] | undefined
}

/** The directory in the last bytes of a zip file of `length` bytes. `unread`: it has 64-bit numbers. */
function directoryIn (tail: Buffer, length: number): Directory | 'damaged' | 'unread' {
  const endAt = tail.lastIndexOf(END)
  if (endAt < 0 || endAt + END_BYTES > tail.length) return 'damaged'
  const fileEnd = endAt + END_BYTES + tail.readUInt16LE(endAt + 20)
  if (fileEnd > tail.length || tail.subarray(fileEnd).some(byte => !PADDING.has(byte))) return 'damaged'
  const disks = tail.readUInt32LE(endAt + 4)
  const [countHere, count] = [tail.readUInt16LE(endAt + 8), tail.readUInt16LE(endAt + 10)]
  const [size, offset] = [tail.readUInt32LE(endAt + 12), tail.readUInt32LE(endAt + 16)]
  if (count === MANY || size === LARGE || offset === LARGE) {
    const locatorAt = endAt - LOCATOR_BYTES
    return locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR_64 ? 'unread' : 'damaged'
  }
  if (disks !== 0 || countHere !== count) return 'damaged'
  const hidden = length - tail.length
  if (offset < hidden) return { offset, entries: undefined }
  const entries = entriesIn(tail.subarray(offset - hidden, endAt), count, size)
  return entries === 'damaged' || entries === 'unread' ? entries : { offset, entries }
}

/** `directory`: what is before the end record. */
function entriesIn (directory: Buffer, count: number, size: number): readonly Entry[] | 'damaged' | 'unread' {
  const entries: Entry[] = []
  let at = 0
  while (entries.length < count) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY) return 'damaged'
    const nameAt = at + ENTRY_BYTES
    const extraAt = nameAt + directory.readUInt16LE(at + 28)
    const commentAt = extraAt + directory.readUInt16LE(at + 30)
    const offset = directory.readUInt32LE(at + 42)
    if (offset === LARGE) return 'unread'
    entries.push({
      offset,
      ...headAt(directory.subarray(at + 6), directory.subarray(nameAt, extraAt)),
      checksum: directory.readUInt32LE(at + 16),
      packedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24)
    })
    at = commentAt + directory.readUInt16LE(at + 32)
  }
  const isEnd = at === directory.length ||
    (at + 4 < directory.length && [END_64, SIGNED].includes(directory.readUInt32LE(at)))
  return at === size && isEnd ? entries : 'damaged'
}

function compared ({ parts, directoryAt }: Examined, directory: ReturnType<typeof directoryIn>): PackageResult {
  if (directory === 'damaged') return directory
  if (directory === 'unread') return { names: undefined }
  const { offset, entries } = directory
  if (directoryAt !== undefined && offset !== directoryAt) return 'damaged'
  if (entries === undefined) return { names: undefined }
  // Programs that change a package in place leave parts that its directory no longer names.
  const examinedTo = directoryAt === undefined ? Math.max(...parts.keys()) : Infinity
  for (const entry of entries) {
    const part = parts.get(entry.offset)
    if (part === undefined ? entry.offset <= examinedTo : !isOf(entry, part)) return 'damaged'
  }
  return { names: entries.map(({ name }) => name) }
}

/** A size may be elsewhere, with 64 bits. */
function isOf (entry: Entry, { name, flags, method, content }: Part): boolean {
  if (entry.name !== name || entry.method !== method || ((entry.flags ^ flags) & OPAQUE) !== 0) return false
  const isSize = (said: number, size: number) => said === size || said === LARGE
  return content === 'unread' || (entry.checksum === content.checksum &&
    isSize(entry.packedSize, content.packedSize) && isSize(entry.size, content.size))
}

/** Number of bytes that are taken before others get a turn: all of them may already be in memory. */
const TURN = 1024 ** 2

type ByteReader = ReturnType<typeof byteReader>

/** Takes bytes out of chunks in the portions that their format requires. */
function byteReader (nextChunk: () => Promise<Buffer | undefined>) {
  /** Chunks before the rest, the first one last. */
  const ahead: Buffer[] = []
  let position = 0
  let takenInTurn = 0

  return { take, takeUpTo, putBack, position: () => position }

  /**
   * Takes at least one and at most `count` bytes; `undefined` at the end. They are valid until more are taken: the next
   * chunk may be written over this one.
   */
  async function takeUpTo (count: number): Promise<Buffer | undefined> {
    const chunk = ahead.pop() ?? await nextChunk()
    if (chunk === undefined) return undefined
    if (chunk.length > count) ahead.push(chunk.subarray(count))
    const bytes = chunk.subarray(0, count)
    position += bytes.length
    takenInTurn += bytes.length
    if (takenInTurn >= TURN) {
      takenInTurn = 0
      await setImmediate()
    }
    return bytes
  }

  /** Returns unused bytes, which come next. */
  function putBack (bytes: Buffer): void {
    position -= bytes.length
    if (bytes.length > 0) ahead.push(bytes)
  }

  /** Takes a copy of exactly `count` bytes; `undefined` if the content ends before. */
  async function take (count: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = []
    for (let missing = count; missing > 0;) {
      const bytes = await takeUpTo(missing)
      if (bytes === undefined) return undefined
      missing -= bytes.length
      chunks.push(missing > 0 ? Buffer.from(bytes) : bytes)
    }
    return Buffer.concat(chunks)
  }
}
