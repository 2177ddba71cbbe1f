/** An image of 8 bits for each of red, green and blue. */
export interface Bitmap {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

export const CHANNELS = 3

export function blank (width: number, height: number): Bitmap {
  return { width, height, pixels: new Uint8Array(width * height * CHANNELS).fill(255) }
}

/** Fills a rectangle with a shade of gray, as far as it is inside. */
export function fill (
  { width, height, pixels }: Bitmap,
  x: number,
  y: number,
  across: number,
  down: number,
  shade: number
): void {
  const [left, right] = [Math.max(Math.round(x), 0), Math.min(Math.round(x + across), width)]
  for (let row = Math.max(Math.round(y), 0); row < Math.min(Math.round(y + down), height); row++) {
    if (left < right) pixels.fill(shade, (row * width + left) * CHANNELS, (row * width + right) * CHANNELS)
  }
}

/** Scales to another size. Each pixel is the average of those it covers. */
export function scaled (image: Bitmap, width: number, height: number): Bitmap {
  if (width === image.width && height === image.height) return image
  const result = blank(width, height)
  for (let y = 0; y < height; y++) {
    const [top, bottom] = covered(y, height, image.height)
    for (let x = 0; x < width; x++) {
      const [left, right] = covered(x, width, image.width)
      for (let channel = 0; channel < CHANNELS; channel++) {
        let sum = 0
        for (let row = top; row < bottom; row++) {
          for (let column = left; column < right; column++) {
            sum += image.pixels[(row * image.width + column) * CHANNELS + channel]!
          }
        }
        result.pixels[(y * width + x) * CHANNELS + channel] = Math.round(sum / ((bottom - top) * (right - left)))
      }
    }
  }
  return result
}

function covered (index: number, size: number, of: number): readonly [from: number, to: number] {
  const from = Math.min(Math.floor(index * of / size), of - 1)
  return [from, Math.max(from + 1, Math.floor((index + 1) * of / size))]
}
