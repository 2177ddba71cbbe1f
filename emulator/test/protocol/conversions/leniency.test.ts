import t from 'tap'
import { fixture, postSigned, sign, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const request = { async: false, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt` }
  const convert = async (changes: object): Promise<Record<string, unknown>> =>
    await (await postSigned(`${url}/converter`, { ...request, ...changes })).json() as Record<string, unknown>
  return { host, url, request, convert }
}

const PENDING = { percent: 0, endConvert: false }

t.test('unknown, missing and upper-case filetype, images, forms, pdf to office, long and numeric keys are accepted', async t => {
  const { convert } = await start(t)
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
  const { convert } = await start(t)
  t.strictSame(await convert({ key: 'k'.repeat(300), async: true }), { error: -1 })
})

t.test('an unspecified source format is detected from the content', async t => {
  const { host, convert } = await start(t)
  t.match(await convert({ key: 'upper', filetype: 'TXT', outputtype: 'PDF' }), { fileType: 'pdf', endConvert: true })
  t.match(await convert({ key: 'text', filetype: undefined }), { endConvert: true })
  t.match(await convert({ key: 'word', filetype: 'zzz', url: `${host.origin}/files/report.docx`, outputtype: 'txt' }), { fileType: 'txt', endConvert: true })
  host.files.set('/files/binary', Buffer.from([1, 0, 2]))
  t.strictSame(await convert({ key: 'binary', filetype: undefined, url: `${host.origin}/files/binary` }), { error: -3 })
})

t.test('async may be true, "true" or 1', async t => {
  const { convert } = await start(t)
  for (const [index, async] of [true, 'true', 1].entries()) {
    t.strictSame(await convert({ key: `K${index}`, async }), PENDING, String(async))
  }
  for (const [index, async] of [false, 'false', '1', 0, null].entries()) {
    t.match(await convert({ key: `L${index}`, async }), { endConvert: true }, String(async))
  }
})

t.test('the name in the result URL is built as the document server does', async t => {
  const { convert } = await start(t)
  const pathOf = async (changes: object) => new URL(String((await convert(changes)).fileUrl)).pathname
  t.equal(await pathOf({ key: 5 }), '/cache/files/data/conv_5_513/output.pdf/a.pdf')
  t.equal(await pathOf({ key: 'A', title: 'a/b & c.docx' }), '/cache/files/data/conv_A_513/output.pdf/a%252fb%20%26%20c.pdf')
  t.equal(await pathOf({ key: 'B', title: undefined }), '/cache/files/data/conv_B_513/output.pdf/output.pdf')
  t.equal(await pathOf({ key: 'C', outputtype: 'pdfa' }), '/cache/files/data/conv_C_521/output.pdf/a.pdf')
})

t.test('a txt result is text/plain without charset', async t => {
  const { host, convert } = await start(t)
  const { fileUrl } = await convert({ filetype: 'docx', outputtype: 'txt', url: `${host.origin}/files/report.docx`, title: 'a/b.docx' })
  const file = await fetch(String(fileUrl))
  t.equal(file.headers.get('content-type'), 'text/plain')
  t.match(await file.text(), /\S/)
})

t.test('the older path accepts a GET, with the token in its header or its query', async t => {
  const { url, request } = await start(t)
  const done = /<EndConvert>True/
  t.match(await (await fetch(`${url}/ConvertService.ashx`, { headers: { authorization: `Bearer ${sign({ payload: request })}` } })).text(), done)
  t.match(await (await fetch(`${url}/convertservice.ashx/?token=${sign({ ...request, key: 'D' })}`)).text(), done)
  t.match(await (await fetch(`${url}/ConvertService.ashx?token=${sign(request)}&shardkey=C`, { method: 'POST' })).text(), done)
  t.equal((await fetch(`${url}/converter?token=${sign(request)}`)).status, 404, 'the newer one is not stored')
})

t.test('after a truncated source the next request starts anew, garbage stays -3', async t => {
  const { host, convert } = await start(t)
  let cut = 0
  host.routes.set('/cut', (_request, response) => {
    cut++
    response.writeHead(200, { 'content-length': 6501 }).write(Buffer.alloc(500), () => response.socket!.resetAndDestroy())
  })
  const source = { filetype: 'docx', key: 'cut', url: `${host.origin}/cut` }
  t.strictSame(await convert(source), { error: -4 })
  t.equal(cut, 1, 'one attempt')
  t.strictSame(await convert(source), { error: -4 })
  t.equal(cut, 2)
  host.files.set('/garbage', Buffer.from('garbage garbage'))
  t.strictSame(await convert({ filetype: 'docx', key: 'garbage', url: `${host.origin}/garbage` }), { error: -3 })
  host.files.set('/garbage', fixture('report.docx'))
  t.strictSame(await convert({ filetype: 'docx', key: 'garbage', url: `${host.origin}/garbage` }), { error: -3 })
})
