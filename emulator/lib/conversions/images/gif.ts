import { type Bitmap, CHANNELS } from './bitmap.js'

const BITS = 7
const CLEAR = 1 << BITS
const END = CLEAR + 1
/** With this many codes between two clear codes, a code never needs more bits. */
const RUN = CLEAR - 2

/** With 125 colors, and without compression. */
export function encodeGif ({ width, height, pixels }: Bitmap): Buffer {
  const header = Buffer.alloc(13)
  header.write('GIF89a')
  header.writeUInt16LE(width, 6)
  header.writeUInt16LE(height, 8)
  header[10] = 0x80 | (BITS - 1)
  const palette = Buffer.alloc(3 << BITS)
  for (let color = 0; color < 125; color++) {
    palette.set([Math.floor(color / 25), Math.floor(color / 5) % 5, color % 5].map(level => level * 255 / 4), color * 3)
  }
  const descriptor = Buffer.alloc(11)
  descriptor[0] = 0x2C
  descriptor.writeUInt16LE(width, 5)
  descriptor.writeUInt16LE(height, 7)
  descriptor[10] = BITS
  return Buffer.concat([header, palette, descriptor, blocks(packed(pixels)), Buffer.from([0, 0x3B])])
}

/** The codes of the colors, of 8 bits each. */
function packed (pixels: Uint8Array): Buffer {
  const count = pixels.length / CHANNELS
  const codes = Buffer.alloc(count + Math.ceil(count / RUN) + 1)
  let at = 0
  for (let pixel = 0; pixel < count; pixel++) {
    if (pixel % RUN === 0) codes[at++] = CLEAR
    const [red, green, blue] = [0, 1, 2].map(channel => level(pixels[pixel * CHANNELS + channel]!)) as [
      number,
      number,
      number
    ]
    codes[at++] = red * 25 + green * 5 + blue
  }
  codes[at] = END
  return codes
}

function level (value: number): number {
  return Math.round(value * 4 / 255)
}

function blocks (content: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < content.length; at += 255) {
    const block = content.subarray(at, at + 255)
    parts.push(Buffer.from([block.length]), block)
  }
  return Buffer.concat(parts)
}
