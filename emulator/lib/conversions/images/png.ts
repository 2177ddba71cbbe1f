import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { type Bitmap, CHANNELS } from './bitmap.js'

// Source: the PNG specification.

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const MAX_PIXELS = 40_000_000
/** Channels of the color types that are read: gray, RGB, gray with alpha, RGB with alpha. */
const CHANNELS_OF = new Map([[0, 1], [2, 3], [4, 2], [6, 4]])

export function encodePng ({ width, height, pixels }: Bitmap): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const lines = Buffer.alloc(height * (width * CHANNELS + 1))
  for (let row = 0; row < height; row++) {
    lines.set(pixels.subarray(row * width * CHANNELS, (row + 1) * width * CHANNELS), row * (width * CHANNELS + 1) + 1)
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0))
  ])
}

function chunk (type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content])
  const result = Buffer.alloc(typed.length + 8)
  result.writeUInt32BE(content.length)
  typed.copy(result, 4)
  result.writeUInt32BE(crc32(typed), typed.length + 4)
  return result
}

/**
 * Reads an image of 8 bits a channel that is not interlaced; `null` for all others. What is transparent becomes white.
 */
export function decodePng (bytes: Uint8Array): Bitmap | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (!file.subarray(0, 8).equals(SIGNATURE) || file.length < 33) return null
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)]
  const channels = CHANNELS_OF.get(file[25]!)
  if (file[24] !== 8 || channels === undefined || file[28] !== 0 || width * height > MAX_PIXELS) return null
  const lineBytes = width * channels
  const lines = inflateSync(dataOf(file), { maxOutputLength: height * (lineBytes + 1) + 1 })
  const image = { width, height, pixels: new Uint8Array(width * height * CHANNELS) }
  let above = new Uint8Array(lineBytes)
  for (let row = 0; row < height; row++) {
    const from = row * (lineBytes + 1)
    const line = unfiltered(lines[from]!, lines.subarray(from + 1, from + 1 + lineBytes), above, channels)
    for (let x = 0; x < width; x++) setPixel(image.pixels, (row * width + x) * CHANNELS, line, x * channels, channels)
    above = line
  }
  return image
}

function dataOf (file: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at + 8 <= file.length; at += file.readUInt32BE(at) + 12) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') {
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
    }
  }
  return Buffer.concat(parts)
}

function unfiltered (filter: number, line: Uint8Array, above: Uint8Array, channels: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(line)
  for (let index = 0; index < result.length; index++) {
    const left = index < channels ? 0 : result[index - channels]!
    const up = above[index]!
    const corner = index < channels ? 0 : above[index - channels]!
    result[index]! += [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter] ?? 0
  }
  return result
}

/** The filter "Paeth". */
function nearest (left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

function setPixel (pixels: Uint8Array, at: number, line: Uint8Array, from: number, channels: number): void {
  const isGray = channels < 3
  const alpha = channels % 2 === 0 ? line[from + channels - 1]! / 255 : 1
  for (let channel = 0; channel < CHANNELS; channel++) {
    pixels[at + channel] = Math.round(255 + (line[from + (isGray ? 0 : channel)]! - 255) * alpha)
  }
}
