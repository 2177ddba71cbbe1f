import t from 'tap'
import { imageOf } from '../../lib/documents/images/render.js'
import { startConverting } from '../support.js'

t.test('a picture is scaled down, and a source that is none or too large answers -3', async t => {
  const { host, convert: ask } = await startConverting(t)
  const convert = async (key: string, bytes: Uint8Array, thumbnail?: object) => {
    host.files.set(`/files/${key}.png`, bytes)
    return await ask({ filetype: 'png', key, outputtype: 'png', url: `${host.origin}/files/${key}.png`, thumbnail })
  }
  const png = Buffer.from(await imageOf({ width: 1999, height: 3, content: '' }, 1999, 3, 'png'))
  const { fileUrl } = await convert('small', png, { aspect: 1, width: 100, height: 100 })
  const image = Buffer.from(await (await fetch(String(fileUrl))).arrayBuffer())
  t.strictSame([image.readUInt32BE(16), image.readUInt32BE(20)], [100, 1])
  const huge = Buffer.from(png)
  for (const at of [16, 20]) huge.writeUInt32BE(60_000, at)
  t.equal((await convert('huge', huge)).error, -3)
  t.equal((await convert('none', Buffer.from('\0 no picture'))).error, -3)
})
