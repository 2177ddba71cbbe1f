import type { RenderedImage } from '@resvg/resvg-js'
import { FONT, FONTS } from '../fonts.js'
import type { Page } from './pages.js'

const MAX_PIXELS = 40_000_000
const JPEG_QUALITY = 90
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const OPTIONS = {
  background: 'white',
  font: { loadSystemFonts: false, fontFiles: Object.values(FONTS), defaultFontFamily: FONT }
}

const ENCODERS: Readonly<Record<string, (image: RenderedImage) => Promise<Uint8Array>>> = {
  png: async image => image.asPng(),
  async jpg ({ width, height, pixels }) {
    const { default: { encode } } = await import('jpeg-js')
    return encode({ width, height, data: pixels }, JPEG_QUALITY).data
  },
  async gif ({ width, height, pixels }) {
    const { default: { applyPalette, GIFEncoder, quantize } } = await import('gifenc')
    const palette = quantize(pixels, 256)
    const file = GIFEncoder()
    file.writeFrame(applyPalette(pixels, palette), width, height, { palette })
    file.finish()
    return file.bytes()
  },
  async bmp ({ width, height, pixels }) {
    const { encode } = await import('fast-bmp')
    return encode({ width, height, data: pixels, channels: 4, bitsPerPixel: 32 })
  }
}

export function isImage (extension: string): boolean {
  return Object.hasOwn(ENCODERS, extension)
}

/** An image of a page in another size. */
export async function imageOf (page: Page, width: number, height: number, extension: string): Promise<Uint8Array> {
  const { renderAsync } = await import('@resvg/resvg-js')
  return await ENCODERS[extension]!(await renderAsync(svgOf(page, width, height), OPTIONS))
}

/** A PNG file as a page; `null` if it is none, or too large. */
export async function pictureOf (png: Uint8Array): Promise<Page | null> {
  if (!PNG.equals(png.subarray(0, PNG.length))) return null
  const { Resvg } = await import('@resvg/resvg-js')
  const content = `<image href="data:image/png;base64,${Buffer.from(png).toString('base64')}"/>`
  // Reads no more than the header.
  const { width = 0, height = 0 } = new Resvg(`<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`).innerBBox() ?? {}
  return width * height === 0 || width * height > MAX_PIXELS ? null : { width, height, content }
}

/** A picture in at most twice this size. Scaling down further at once would skip pixels. */
export async function shrunk (picture: Page, width: number, height: number): Promise<Page> {
  if (picture.width <= 2 * width && picture.height <= 2 * height) return picture
  const half = [Math.max(picture.width >> 1, width), Math.max(picture.height >> 1, height)] as const
  return await shrunk((await pictureOf(await imageOf(picture, ...half, 'png')))!, width, height)
}

function svgOf ({ width: across, height: down, content }: Page, width: number, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${across} ${down}" preserveAspectRatio="none">${content}</svg>`
}
