import { unzipSync } from 'fflate'
import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { protectedFile } from '../../emulator/test/protected.js'
import type { ControlConvertOptions } from '../../lib/index.js'
import { startService } from '../kit/sessions.js'

const QUICK = { interval: 10 }
const fixture = async (name: string) => await readFile(new URL(`../fixtures/documents/${name}`, import.meta.url))

/** Stores documents and converts them, as a page's control does. */
async function startConverting (t: Test) {
  const { app } = await startService(t)
  async function opened (bytes: Uint8Array, name: string) {
    const control = app.editorControl()
    await control.setDocumentFromBytes(bytes, name)
    return control
  }
  async function convert (bytes: Uint8Array, name: string, options: ControlConvertOptions) {
    const result = await (await opened(bytes, name)).convert({ ...QUICK, ...options })
    return { fileType: result.fileType, bytes: await result.bytes() }
  }
  return { opened, convert }
}

t.test('codePage: a text is read in its encoding', async t => {
  const { convert } = await startConverting(t)
  const cyrillic = Buffer.from('cff0e8e2e5f2', 'hex')
  const textWith = async (options: Partial<ControlConvertOptions>) => String((await convert(cyrillic, 'a.txt', { outputType: 'txt', ...options })).bytes)
  t.equal(await textWith({ codePage: 1251 }), 'Привет')
  t.equal(await textWith({ codePage: 1252 }), 'Ïðèâåò')
  t.not(await textWith({}), 'Привет')
})

t.test('delimiter: the values of a csv document are separated by it', async t => {
  const { convert } = await startConverting(t)
  const rowWith = async (options: Partial<ControlConvertOptions>) =>
    String((await convert(Buffer.from('a;b,c'), 'a.csv', { outputType: 'csv', ...options })).bytes).trim()
  t.equal(await rowWith({ delimiter: 2 }), 'a,"b,c"')
  t.equal(await rowWith({ delimiter: 4 }), 'a;b,c')
})

t.test('password: opens a protected document, and the result has none', async t => {
  const { opened } = await startConverting(t)
  const control = await opened(protectedFile(await fixture('report.docx'), 'pass word'), 'report.docx')
  for (const password of [undefined, 'another']) {
    t.match(
      await control.convert({ outputType: 'txt', ...QUICK, ...(password && { password }) }).catch(error => error),
      { code: 'FST_EDITOR_CONVERSION_FAILED', serverCode: -5, message: /wrong password/ }
    )
  }
  const text = await control.convert({ outputType: 'txt', password: 'pass word', ...QUICK })
  t.match(String(await text.bytes()), /report/i)
  const docx = await control.convert({ outputType: 'docx', password: 'pass word', ...QUICK })
  t.equal((await docx.bytes()).subarray(0, 2).toString(), 'PK')
})

t.test('a thumbnail has the size and the format that were asked for', async t => {
  const { opened } = await startConverting(t)
  const control = await opened(await fixture('report.docx'), 'report.docx')
  const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]
  const thumbnail = async (options: Parameters<typeof control.thumbnail>[0]) => await (await control.thumbnail({ ...QUICK, ...options })).bytes()
  t.strictSame(sizeOf(await thumbnail({ width: 200, height: 200 })), [141, 200], 'with the proportions of A4')
  t.strictSame(sizeOf(await thumbnail({ width: 60, height: 40, aspect: 0 })), [60, 40])
  t.strictSame(sizeOf(await thumbnail({ width: 60, height: 40, aspect: 2 })), [794, 1123])
  for (const [outputType, signature] of [['jpg', 'ffd8ff'], ['gif', '474946'], ['bmp', '424d']] as const) {
    t.equal((await thumbnail({ width: 60, height: 40, outputType })).subarray(0, signature.length / 2).toString('hex'), signature)
  }
})

t.test('thumbnail.first false: an image of each page, in a zip file', async t => {
  const { convert } = await startConverting(t)
  const { fileType, bytes } = await convert(await fixture('deck.pptx'), 'deck.pptx', {
    outputType: 'png',
    thumbnail: { first: false, aspect: 0, width: 64, height: 36 }
  })
  t.equal(fileType, 'zip')
  const pages = Object.keys(unzipSync(bytes))
  t.ok(pages.length > 1)
  t.ok(pages.every(name => name.endsWith('.png')))
})

t.test('outputType: the families ooxml and odf stand for the format that fits the document', async t => {
  const { convert } = await startConverting(t)
  for (
    const [name, outputType] of [
      ['report.docx', 'ooxml'],
      ['orders.xlsx', 'ooxml'],
      ['deck.pptx', 'ooxml'],
      ['report.odt', 'odf'],
      ['orders.ods', 'odf'],
      ['deck.odp', 'odf']
    ] as const
  ) {
    const { fileType } = await convert(await fixture(name), name, { outputType })
    t.equal(fileType, name.split('.')[1])
  }
  t.equal((await convert(await fixture('report.docx'), 'report.docx', { outputType: 'pdfa' })).fileType, 'pdf')
})
