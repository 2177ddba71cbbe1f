import t from 'tap'
import { fixture, postSigned, startDocumentServer, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startFakeHost>[0]) {
  const host = await startFakeHost(t)
  const { url } = await startDocumentServer(t)
  const convert = async (changes: object): Promise<Record<string, unknown>> => {
    const request = { async: false, filetype: 'txt', key: 'C', outputtype: 'pdf', title: 'a.txt', url: `${host.origin}/files/notes.txt`, ...changes }
    return await (await postSigned(`${url}/converter`, request)).json() as Record<string, unknown>
  }
  const pathOf = async (changes: object) => new URL(String((await convert(changes)).fileUrl)).pathname
  return { host, convert, pathOf }
}

t.test('a result is cached by key and output type alone', async t => {
  const { host, pathOf } = await start(t)
  const first = await pathOf({})
  for (const changes of [
    { url: `${host.origin}/files/missing.txt` },
    { password: 'secret' },
    { watermark: { text: 'draft' } },
    { thumbnail: { first: false } },
    { codePage: 1251 },
    { spreadsheetLayout: { orientation: 'landscape' } },
    { filetype: 'docx' },
    { title: 'b.txt' }
  ]) t.equal(await pathOf(changes), first, Object.keys(changes)[0]!)
  t.equal(host.received.length, 1, 'downloaded once')

  t.not(await pathOf({ outputtype: 'txt' }), first)
  t.not(await pathOf({ key: 'c' }), first)
  t.equal(host.received.length, 3)
})

t.test('requests without a key share conv_undefined', async t => {
  const { host, pathOf } = await start(t)
  t.match(await pathOf({ key: '' }), /\/conv_undefined_513\/output\.pdf\/a\.pdf$/)
  t.match(await pathOf({ key: undefined, url: `${host.origin}/files/report.docx`, filetype: 'docx' }), /\/conv_undefined_513\//)
  t.equal(host.received.length, 1)
})

t.test('-3 stays with its key: a good source under the same key answers it again', async t => {
  const { host, convert } = await start(t)
  host.files.set('/files/bad.docx', Buffer.from('not a docx'))
  t.strictSame(await convert({ filetype: 'docx', url: `${host.origin}/files/bad.docx` }), { error: -3 })
  t.strictSame(await convert({}), { error: -3 })
  t.equal(host.received.length, 1, 'without a download')
  t.match(await convert({ key: 'D' }), { endConvert: true })
})

const mendable: Record<string, { error: number, filetype: string, bad: (path: string, host: Awaited<ReturnType<typeof startFakeHost>>) => void }> = {
  'a download that failed': { error: -4, filetype: 'docx', bad () {} },
  'a password that is missing': {
    error: -5,
    filetype: 'docx',
    bad (path, host) { host.files.set(path, Buffer.from('d0cf11e0a1b11ae1', 'hex')) }
  },
  'a source over 100 MB': {
    error: -10,
    filetype: 'docx',
    bad (path, host) {
      host.routes.set(path, (_request, response) => { response.writeHead(200, { 'content-length': 104_857_601 }).flushHeaders() })
    }
  }
}

for (const [title, { error, filetype, bad }] of Object.entries(mendable)) {
  t.test(`${title} answers ${error}, and the next request starts the job again`, async t => {
    const { host, convert } = await start(t)
    const path = '/files/source.docx'
    const request = { filetype, url: `${host.origin}${path}` }
    bad(path, host)
    t.strictSame(await convert(request), { error })
    t.strictSame(await convert(request), { error })
    host.routes.delete(path)
    host.files.set(path, fixture('report.docx'))
    t.match(await convert(request), { endConvert: true })
  })

  t.test(`${title} is reported to polling requests before the job starts again`, async t => {
    const { host, convert } = await start(t)
    const path = '/files/source.docx'
    const request = { async: true, filetype, url: `${host.origin}${path}` }
    bad(path, host)
    const poll = async () => {
      const answers = [await convert(request)]
      while ('percent' in answers.at(-1)!) answers.push(await convert(request))
      return answers.at(-1)
    }
    t.strictSame(await poll(), { error })
    t.strictSame(await convert(request), { percent: 0, endConvert: false })
    t.strictSame(await poll(), { error })
  })
}

t.test('pdf.pdfa makes another output type of a PDF, and of a PDF/A', async t => {
  const { pathOf } = await start(t)
  t.match(await pathOf({ pdf: { pdfa: true } }), /_521\/output\.pdf\//)
  t.match(await pathOf({ outputtype: 'pdfa', pdf: { pdfa: false } }), /_513\/output\.pdf\//)
  t.match(await pathOf({ outputtype: 'pdfa' }), /_521\/output\.pdf\//)
})
