import { type Bitmap, CHANNELS } from './bitmap.js'

// Source: ITU-T T.81. Baseline, one component (gray), with the tables of its annex K.

const ZIGZAG = [
  0,
  1,
  8,
  16,
  9,
  2,
  3,
  10,
  17,
  24,
  32,
  25,
  18,
  11,
  4,
  5,
  12,
  19,
  26,
  33,
  40,
  48,
  41,
  34,
  27,
  20,
  13,
  6,
  7,
  14,
  21,
  28,
  35,
  42,
  49,
  56,
  57,
  50,
  43,
  36,
  29,
  22,
  15,
  23,
  30,
  37,
  44,
  51,
  58,
  59,
  52,
  45,
  38,
  31,
  39,
  46,
  53,
  60,
  61,
  54,
  47,
  55,
  62,
  63
]
const QUANTIZATION = 4
const DC_LENGTHS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
const DC_VALUES = Array.from({ length: 12 }, (_, value) => value)
const AC_LENGTHS = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125]
const AC_VALUES = [...Buffer.from(
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a43444546474849' +
    '4a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5' +
    'c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  'hex'
)]
const END_OF_BLOCK = 0
const SIXTEEN_ZEROS = 0xF0

const COSINES = Array.from({ length: 8 }, (_, frequency) => Array.from({ length: 8 }, (_, at) =>
  Math.cos((2 * at + 1) * frequency * Math.PI / 16) * (frequency === 0 ? Math.SQRT1_2 : 1) / 2))

interface Code {
  readonly bits: number
  readonly length: number
}

export function encodeJpeg (image: Bitmap): Buffer {
  const { width, height } = image
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height, 0)
  size.writeUInt16BE(width, 2)
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segment(0xE0, Buffer.from('4a46494600010100000100010000', 'hex')),
    segment(0xDB, Buffer.from([0, ...ZIGZAG.map(() => QUANTIZATION)])),
    segment(0xC0, Buffer.concat([Buffer.from([8]), size, Buffer.from([1, 1, 0x11, 0])])),
    segment(0xC4, Buffer.from([0x00, ...DC_LENGTHS, ...DC_VALUES])),
    segment(0xC4, Buffer.from([0x10, ...AC_LENGTHS, ...AC_VALUES])),
    segment(0xDA, Buffer.from([1, 1, 0, 0, 63, 0])),
    scanOf(image),
    Buffer.from('ffd9', 'hex')
  ])
}

function segment (marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xFF, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

function scanOf (image: Bitmap): Buffer {
  const [dc, ac] = [codesOf(DC_LENGTHS, DC_VALUES), codesOf(AC_LENGTHS, AC_VALUES)]
  const bytes: number[] = []
  let [pending, held] = [0, 0]

  function write ({ bits, length }: Code): void {
    for (let bit = length - 1; bit >= 0; bit--) {
      pending = (pending << 1) | ((bits >> bit) & 1)
      if (++held < 8) continue
      bytes.push(pending)
      if (pending === 0xFF) bytes.push(0)
      pending = held = 0
    }
  }

  let before = 0
  for (let top = 0; top < image.height; top += 8) {
    for (let left = 0; left < image.width; left += 8) {
      const [first, ...others] = frequencies(image, left, top) as [number, ...number[]]
      const difference = amplitude(first - before)
      before = first
      write(dc.get(difference.length)!)
      write(difference)
      const last = others.findLastIndex(value => value !== 0)
      let zeros = 0
      for (const value of others.slice(0, last + 1)) {
        if (value === 0) {
          zeros++
          continue
        }
        for (; zeros > 15; zeros -= 16) write(ac.get(SIXTEEN_ZEROS)!)
        const size = amplitude(value)
        write(ac.get(zeros << 4 | size.length)!)
        write(size)
        zeros = 0
      }
      if (last < others.length - 1) write(ac.get(END_OF_BLOCK)!)
    }
  }
  write({ bits: 0x7F, length: 7 }) // completes the last byte
  return Buffer.from(bytes)
}

/**
 * The quantized frequencies of a block of 8 by 8 pixels, low ones first. Pixels outside of the image repeat its border.
 */
function frequencies ({ width, height, pixels }: Bitmap, left: number, top: number): number[] {
  const values = Array.from({ length: 64 }, (_, index) => {
    const at = (Math.min(top + (index >> 3), height - 1) * width + Math.min(left + (index & 7), width - 1)) * CHANNELS
    return 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]! - 128
  })
  const rows = Array.from({ length: 64 }, (_, index) => {
    const [row, frequency] = [index & ~7, COSINES[index & 7]!]
    return frequency.reduce((sum, cosine, at) => sum + cosine * values[row + at]!, 0)
  })
  return ZIGZAG.map(index => {
    const frequency = COSINES[index >> 3]!
    return Math.round(
      frequency.reduce((sum, cosine, at) => sum + cosine * rows[at * 8 + (index & 7)]!, 0) / QUANTIZATION
    )
  })
}

/** A number as its bits; their count is its category. */
function amplitude (value: number): Code {
  const length = value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1
  return { length, bits: value < 0 ? value + (1 << length) - 1 : value }
}

function codesOf (lengths: readonly number[], values: readonly number[]): ReadonlyMap<number, Code> {
  const codes = new Map<number, Code>()
  let [bits, index] = [0, 0]
  for (const [shorter, count] of lengths.entries()) {
    for (let left = count; left > 0; left--) codes.set(values[index++]!, { bits: bits++, length: shorter + 1 })
    bits <<= 1
  }
  return codes
}
