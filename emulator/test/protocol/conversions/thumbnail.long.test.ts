import t from 'tap'
import { unzipSync } from 'fflate'
import { fixture, startConverting } from '../../support.js'

/** Width and height from the header of an image. */
const sizes: Readonly<Record<string, (image: Buffer) => readonly [number, number]>> = {
  png: image => [image.readUInt32BE(16), image.readUInt32BE(20)],
  bmp: image => [image.readInt32LE(18), image.readInt32LE(22)],
  gif: image => [image.readUInt16LE(6), image.readUInt16LE(8)],
  jpg (image) {
    const frame = image.indexOf(Buffer.from('ffc0', 'hex'))
    return [image.readUInt16BE(frame + 7), image.readUInt16BE(frame + 5)]
  }
}
const SIGNATURES: Readonly<Record<string, string>> = { png: '89504e47', bmp: '424d', gif: '474946383961', jpg: 'ffd8ff' }

async function start (t: Parameters<typeof startConverting>[0]) {
  const { host, convert: ask } = await startConverting(t)
  let key = 0
  const convert = async (changes: object) => {
    const request = { filetype: 'docx', key: `C${key++}`, outputtype: 'png', url: `${host.origin}/files/report.docx`, ...changes }
    const { fileUrl, fileType } = await ask(request) as { fileUrl: string, fileType: string }
    return { fileType, bytes: Buffer.from(await (await fetch(fileUrl)).arrayBuffer()), path: new URL(fileUrl).pathname }
  }
  return { host, convert }
}

t.test('an image output is the first page, at 96 dpi unless thumbnail.aspect says otherwise', async t => {
  const { host, convert } = await start(t)
  for (const outputtype of ['png', 'jpg', 'gif', 'bmp']) {
    const { fileType, bytes } = await convert({ outputtype })
    t.equal(fileType, outputtype)
    t.ok(bytes.toString('hex').startsWith(SIGNATURES[outputtype]!), outputtype)
    t.strictSame(sizes[outputtype]!(bytes), [794, 1123], `${outputtype}: A4`)
  }
  const sizeOf = async (thumbnail: unknown) => sizes.png!((await convert({ thumbnail })).bytes)
  t.strictSame(await sizeOf({ aspect: 2, width: 50, height: 50 }), [794, 1123], 'the size of the page')
  t.strictSame(await sizeOf({ aspect: 0, width: 60, height: 40 }), [60, 40], 'stretched')
  t.strictSame(await sizeOf({ aspect: 1, width: 200, height: 200 }), [141, 200], 'within')
  t.strictSame(await sizeOf({ aspect: 0 }), [100, 100], 'the defaults')
  t.strictSame(await sizeOf('{"aspect":0,"width":30,"height":20}'), [30, 20], 'as JSON text')
  const { bytes } = await convert({})
  t.strictSame((await convert({})).bytes, bytes)
  t.notSame((await convert({ filetype: 'txt', url: `${host.origin}/files/notes.txt` })).bytes, bytes, 'of another document')
})

t.test('thumbnail.first false makes a zip file of the images of all pages', async t => {
  const { host, convert } = await start(t)
  host.files.set('/files/deck.pptx', fixture('deck.pptx'))
  const { fileType, bytes, path } = await convert({
    filetype: 'pptx',
    url: `${host.origin}/files/deck.pptx`,
    thumbnail: { first: false, aspect: 0, width: 64, height: 36 }
  })
  t.equal(fileType, 'zip')
  t.match(path, /^\/cache\/files\/data\/conv_C0_\d+\/output\.zip\/a\.zip$/)
  const images = Object.entries(unzipSync(bytes))
  t.ok(images.length > 1, `${images.length} slides`)
  for (const [name, image] of images) {
    t.match(name, /^image\d+\.png$/)
    t.strictSame(sizes.png!(Buffer.from(image)), [64, 36])
  }
})
