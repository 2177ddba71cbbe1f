import t from 'tap'
import { startBrowser } from '../../../test/kit/browser.js'
import { postSigned, startDocumentServer, startFakeHost } from '../support.js'

const browser = await startBrowser(t)

interface Shown {
  readonly width: number
  readonly height: number
  readonly pixels: readonly number[]
}

t.test('a browser shows the same page in each format of images, with dark text on white', { skip: browser.missing }, async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t, { libreOffice: false })
  const { page } = await browser.newPage(t)
  const shownIn = async (type: string): Promise<Shown> => {
    const answer = await (await postSigned(`${url}/converter`, {
      async: false,
      filetype: 'docx',
      key: `K-${type}`,
      outputtype: type,
      thumbnail: { aspect: 0, width: 301, height: 203 },
      url: `${host.origin}/files/report.docx`
    })).json() as { fileUrl: string }
    const bytes = Buffer.from(await (await fetch(answer.fileUrl)).arrayBuffer())
    return await page.evaluate<Shown>(`(async () => {
      const image = new Image()
      image.src = 'data:image/${type === 'jpg' ? 'jpeg' : type};base64,${bytes.toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      return { width: image.width, height: image.height, pixels: [...data].filter((_, index) => index % 4 < 3) }
    })()`)
  }
  const png = await shownIn('png')
  t.equal(png.pixels[0], 255)
  t.ok(png.pixels.some(value => value < 100))
  for (const [type, tolerance] of [['bmp', 0], ['gif', 1], ['jpg', 3]] as const) {
    const { width, height, pixels } = await shownIn(type)
    t.strictSame([width, height], [301, 203], type)
    const difference = pixels.reduce((sum, value, index) => sum + Math.abs(value - png.pixels[index]!), 0) / pixels.length
    t.ok(difference <= tolerance, `${type}: ${difference}`)
  }
})
