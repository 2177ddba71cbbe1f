import { type Bitmap, CHANNELS } from './bitmap.js'

const HEADER_BYTES = 54

/** Without compression, 24 bits a pixel. */
export function encodeBmp ({ width, height, pixels }: Bitmap): Buffer {
  const lineBytes = Math.ceil(width * CHANNELS / 4) * 4
  const file = Buffer.alloc(HEADER_BYTES + lineBytes * height)
  file.write('BM')
  for (
    const [at, value] of [[2, file.length], [10, HEADER_BYTES], [14, 40], [18, width], [22, height], [
      34,
      lineBytes * height
    ]] as const
  ) file.writeUInt32LE(value, at)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  for (let row = 0; row < height; row++) {
    // From the bottom up, blue first.
    const line = HEADER_BYTES + (height - 1 - row) * lineBytes
    for (let byte = 0; byte < width * CHANNELS; byte += CHANNELS) {
      for (let channel = 0; channel < CHANNELS; channel++) {
        file[line + byte + channel] = pixels[row * width * CHANNELS + byte + CHANNELS - 1 - channel]!
      }
    }
  }
  return file
}
