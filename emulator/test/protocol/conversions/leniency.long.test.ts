import t from 'tap'
import { postSigned, sign, startConverting, startDocumentServer, startFakeHost } from '../../support.js'

const PENDING = { percent: 0, endConvert: false }

t.test('unknown, missing and upper-case filetype, images, forms, pdf to office, long and numeric keys are accepted', async t => {
  const { convert } = await startConverting(t)
  const taken: Record<string, object> = {
    'an unknown filetype': { filetype: 'zzz' },
    'no filetype': { filetype: undefined },
    'an upper-case filetype': { filetype: 'TXT' },
    'to jpg': { outputtype: 'jpg' },
    'to docxf': { outputtype: 'docxf' },
    'pdf to docx': { filetype: 'pdf', outputtype: 'docx' },
    'pdf to xlsx': { filetype: 'pdf', outputtype: 'xlsx' },
    'pdf to Office Open XML': { filetype: 'pdf', outputtype: 'ooxml' },
    'a long key': { key: 'k'.repeat(240) },
    'a numeric key': { key: 5 }
  }
  for (const [title, changes] of Object.entries(taken)) {
    t.strictSame(await convert({ key: title.replaceAll(' ', '-'), ...changes, async: true }), PENDING, title)
  }
})

t.test('a key that is too long for the database answers -1', async t => {
  const { convert } = await startConverting(t)
  t.strictSame(await convert({ key: 'k'.repeat(300), async: true }), { error: -1 })
})

t.test('an unspecified source format is detected from the content', async t => {
  const { host, convert } = await startConverting(t)
  t.match(await convert({ key: 'upper', filetype: 'TXT', outputtype: 'PDF' }), { fileType: 'pdf', endConvert: true })
  t.match(await convert({ key: 'text', filetype: undefined }), { endConvert: true })
  t.match(await convert({ key: 'word', filetype: 'zzz', url: `${host.origin}/files/report.docx`, outputtype: 'txt' }), { fileType: 'txt', endConvert: true })
  host.files.set('/files/binary', Buffer.from([1, 0, 2]))
  t.strictSame(await convert({ key: 'binary', filetype: undefined, url: `${host.origin}/files/binary` }), { error: -3 })
})

t.test('async may be true, "true" or 1', async t => {
  const { convert } = await startConverting(t)
  for (const [index, async] of [true, 'true', 1].entries()) {
    t.strictSame(await convert({ key: `K${index}`, async }), PENDING, String(async))
  }
  for (const [index, async] of [false, 'false', '1', 0, null].entries()) {
    t.match(await convert({ key: `L${index}`, async }), { endConvert: true }, String(async))
  }
})

t.test('an asynchronous conversion is pending first', async t => {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: true, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  t.equal(await (await postSigned(`${url}/ConvertService.ashx`, request)).text(),
    '<?xml version="1.0" encoding="utf-8"?><FileResult><FileUrl/><FileType/><Percent>0</Percent><EndConvert>False</EndConvert></FileResult>')
  const done = await (await postSigned(`${url}/converter`, { ...request, async: false })).json()
  t.match(done, { endConvert: true })
  t.strictSame(Object.keys(await (await postSigned(`${url}/converter`, request)).json() as object), Object.keys(done as object))
})

t.test('the name in the result URL is built as the document server does', async t => {
  const { convert } = await startConverting(t)
  const pathOf = async (changes: object) => new URL(String((await convert(changes)).fileUrl)).pathname
  t.equal(await pathOf({ key: 5 }), '/cache/files/data/conv_5_513/output.pdf/a.pdf')
  t.equal(await pathOf({ key: 'A', title: 'a/b & c.docx' }), '/cache/files/data/conv_A_513/output.pdf/a%252fb%20%26%20c.pdf')
  t.equal(await pathOf({ key: 'B', title: undefined }), '/cache/files/data/conv_B_513/output.pdf/output.pdf')
  t.equal(await pathOf({ key: 'C', outputtype: 'pdfa' }), '/cache/files/data/conv_C_521/output.pdf/a.pdf')
})

t.test('a txt result is text/plain without charset', async t => {
  const { host, convert } = await startConverting(t)
  const { fileUrl } = await convert({ filetype: 'docx', outputtype: 'txt', url: `${host.origin}/files/report.docx`, title: 'a/b.docx' })
  const file = await fetch(String(fileUrl))
  t.equal(file.headers.get('content-type'), 'text/plain')
  t.match(await file.text(), /\S/)
})

t.test('the older path accepts a GET, with the token in its header or its query', async t => {
  const { url, request } = await startConverting(t)
  const done = /<EndConvert>True/
  t.match(await (await fetch(`${url}/ConvertService.ashx`, { headers: { authorization: `Bearer ${sign({ payload: request })}` } })).text(), done)
  t.match(await (await fetch(`${url}/convertservice.ashx/?token=${sign({ ...request, key: 'D' })}`)).text(), done)
  t.match(await (await fetch(`${url}/ConvertService.ashx?token=${sign(request)}&shardkey=C`, { method: 'POST' })).text(), done)
  t.equal((await fetch(`${url}/converter?token=${sign(request)}`)).status, 404, 'the newer one is not stored')
})
