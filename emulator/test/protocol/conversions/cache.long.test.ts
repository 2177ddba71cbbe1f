import t from 'tap'
import { fixture, startConverting, startFakeHost } from '../../support.js'

async function start (t: Parameters<typeof startConverting>[0]) {
  const converting = await startConverting(t)
  return { ...converting, pathOf: async (changes: object) => new URL(String((await converting.convert(changes)).fileUrl)).pathname }
}

t.test('requests without a key share conv_undefined', async t => {
  const { host, pathOf } = await start(t)
  t.match(await pathOf({ key: '' }), /\/conv_undefined_513\/output\.pdf\/a\.pdf$/)
  t.match(await pathOf({ key: undefined, url: `${host.origin}/files/report.docx`, filetype: 'docx' }), /\/conv_undefined_513\//)
  t.equal(host.received.length, 1)
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
