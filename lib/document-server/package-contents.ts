import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type ByteReader, byteReader } from './byte-reader.js'

// Source of all offsets and signatures: APPNOTE.TXT, the specification of the zip format.
const PART = 0x04034b50
const PART_BYTES = 30
const DESCRIPTOR = 0x08074b50
/** What follows the last part: the directory, or something that belongs to it. */
const AFTER_PARTS: ReadonlySet<number> = new Set([0x02014b50, 0x08064b50, 0x06064b50, 0x06054b50])
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const HAS_DESCRIPTOR = 8
/** The size is elsewhere, with 64 bits. */
const LARGE = 0xFFFFFFFF

/** Bounds the work: what is beyond is not examined. */
const LIMITS = { parts: 2000, unpackedBytes: 256 * 1024 * 1024 }

/** Bytes that are examined at a time: unpacked they are at most a thousand times as much. */
const PIECE = 64 * 1024

/** Examines a package while it passes. */
export interface PackageCheck {
  /** Resolves when more can be taken. */
  add (chunk: Uint8Array): Promise<void>
  /** Whether the content of each part has the checksum that it should have, as far as can be told. */
  end (): Promise<boolean>
  /** Ends it early. */
  stop (): void
}

/** Unpacks the parts of a zip file one after the other, without keeping them. */
export function startPackageCheck (): PackageCheck {
  const through = new PassThrough()
  through.on('error', () => {}) // it is destroyed as soon as the result is known
  const isIntact = areIntact(byteReader(through)).catch(() => true).finally(() => through.destroy())
  return {
    async add (chunk) {
      if (!through.destroyed && !through.write(chunk)) await Promise.race([once(through, 'drain'), isIntact])
    },
    async end () {
      through.end()
      return await isIntact
    },
    stop () { through.destroy() }
  }
}

async function areIntact (reader: ByteReader): Promise<boolean> {
  let unpackedBytes = 0
  for (let parts = 0; parts < LIMITS.parts; parts++) {
    const header = await reader.take(PART_BYTES)
    if (header === undefined) return true // too short for a part: the directory tells what is missing
    if (header.readUInt32LE(0) !== PART) return AFTER_PARTS.has(header.readUInt32LE(0))
    const content = await contentOf(header, reader, LIMITS.unpackedBytes - unpackedBytes)
    if (content === 'unknown') return true
    if (content === 'damaged') return false
    unpackedBytes += content.size
    const announced = (header.readUInt16LE(6) & HAS_DESCRIPTOR) === 0 ? header.readUInt32LE(14) : await describedChecksum(reader)
    if (content.checksum !== announced) return false
  }
  return true
}

interface PartContent {
  readonly checksum: number
  /** Bytes. */
  readonly size: number
}

type Examined = PartContent | 'damaged' | 'unknown'

async function contentOf (header: Buffer, reader: ByteReader, limit: number): Promise<Examined> {
  const [flags, method, packedSize] = [header.readUInt16LE(6), header.readUInt16LE(8), header.readUInt32LE(18)]
  if (await reader.take(header.readUInt16LE(26) + header.readUInt16LE(28)) === undefined) return 'damaged'
  if ((flags & ENCRYPTED) !== 0) return 'unknown'
  if (method === DEFLATED) return await inflated(reader, limit)
  return method === STORED && (flags & HAS_DESCRIPTOR) === 0 && packedSize !== LARGE ? await stored(reader, packedSize) : 'unknown'
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

/** The packed data tell themselves where they end. */
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
      // After the end of the data the callback is not called.
      const state = await Promise.race([finished, new Promise<'more'>(resolve => inflate.write(bytes, error => { if (!error) resolve('more') }))])
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

/** The checksum after a part, for programs that did not know it before. Its signature is optional, and the sizes have 32 or 64 bits. */
async function describedChecksum (reader: ByteReader): Promise<number | undefined> {
  const first = await reader.take(4)
  const checksum = first?.readUInt32LE(0) === DESCRIPTOR ? await reader.take(4) : first
  const sizes = await reader.take(16)
  if (checksum === undefined || sizes === undefined) return undefined
  const isNext = (signature: number) => signature === PART || AFTER_PARTS.has(signature)
  reader.putBack(isNext(sizes.readUInt32LE(8)) ? sizes.subarray(8) : Buffer.alloc(0))
  return checksum.readUInt32LE(0)
}
