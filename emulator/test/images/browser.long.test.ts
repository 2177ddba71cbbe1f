import t from 'tap'
import { startBrowser } from '../../../test/kit/browser.js'
import { type Bitmap, blank, fill, scaled } from '../../lib/conversions/images/bitmap.js'
import { encodeBmp } from '../../lib/conversions/images/bmp.js'
import { encodeGif } from '../../lib/conversions/images/gif.js'
import { encodeJpeg } from '../../lib/conversions/images/jpeg.js'
import { decodePng, encodePng } from '../../lib/conversions/images/png.js'

const browser = await startBrowser(t)

/** Bars of gray on white. Its size is no multiple of the 8 pixels of a JPEG block. */
function picture (): Bitmap {
  const image = blank(61, 45)
  for (let bar = 0; bar < 6; bar++) fill(image, bar * 10, bar * 7, 8, 20, bar * 51)
  return image
}

t.test('a browser shows each image that the emulator writes', { skip: browser.missing }, async t => {
  const image = picture()
  const { page } = await browser.newPage(t)
  const encoded = { png: encodePng(image), bmp: encodeBmp(image), gif: encodeGif(image), jpeg: encodeJpeg(image) }
  for (const [type, tolerance] of [['png', 0], ['bmp', 0], ['gif', 15], ['jpeg', 3]] as const) {
    const { width, height, pixels } = await page.evaluate(`(async () => {
      const image = new Image()
      image.src = 'data:image/${type};base64,${encoded[type].toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      return { width: image.width, height: image.height, pixels: [...context.getImageData(0, 0, image.width, image.height).data].filter((_, index) => index % 4 < 3) }
    })()`) as { readonly width: number, readonly height: number, readonly pixels: readonly number[] }
    t.strictSame([width, height], [61, 45], type)
    const difference = pixels.reduce((sum, value, index) => sum + Math.abs(value - image.pixels[index]!), 0) / pixels.length
    t.ok(difference <= tolerance, `${type}: ${difference}`)
  }
})

t.test('a PNG that was written is read as it was, and a scaled image keeps its shades', async t => {
  const image = picture()
  t.strictSame(decodePng(encodePng(image)), image)
  t.equal(decodePng(Buffer.from('no image')), null)
  const half = scaled(blank(10, 10), 5, 3)
  t.strictSame([half.width, half.height, [...new Set(half.pixels)]], [5, 3, [255]])
})
