import t from 'tap'
import { blankDocument, memoryStorage } from '../../lib/index.js'
import { bytesOf } from '../../lib/util/streams.js'
import { startUpstream } from '../kit/http.js'
import { startPageHost } from '../kit/host.js'

interface Result {
  readonly bytes: Uint8Array
  /** What the document server says it is. */
  readonly type?: string
}

const MARKUP = '<!doctype html><script>alert(1)</script>'
const blank = (format: 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'pdf'): Result => ({ bytes: blankDocument(format), type: 'application/octet-stream' })

const results: Record<string, Result> = {
  docx: blank('docx'),
  xlsx: blank('xlsx'),
  pptx: blank('pptx'),
  odt: blank('odt'),
  ods: blank('ods'),
  pdf: blank('pdf'),
  rtf: { bytes: Buffer.from('{\\rtf1 text}'), type: 'application/rtf' },
  txt: { bytes: Buffer.from('a text'), type: 'text/plain' },
  tags: { bytes: Buffer.from(MARKUP), type: 'text/plain; charset=utf-8' },
  untold: { bytes: Buffer.from(MARKUP) },
  vague: { bytes: Buffer.from(MARKUP), type: 'application/octet-stream' },
  utf16: { bytes: Buffer.from(`\uFEFF${MARKUP}`, 'utf16le'), type: 'text/plain' },
  html: { bytes: Buffer.from(MARKUP), type: 'text/html' },
  part: { bytes: Buffer.from('<p>without a head'), type: 'Text/HTML; charset=utf-8' },
  fb2: { bytes: Buffer.from('<?xml version="1.0"?><FictionBook/>'), type: 'application/octet-stream' },
  docxAsPage: { bytes: blankDocument('docx'), type: 'text/html' },
  protected: { bytes: Buffer.from('d0cf11e0a1b11ae1'.padEnd(2000, '0'), 'hex'), type: 'application/octet-stream' }
}

/** By what the bytes are: the formats that a page may say they have. */
const agreeing: Record<string, readonly string[]> = {
  docx: ['docx', 'DOCX', 'dotx'],
  xlsx: ['xlsx'],
  pptx: ['pptx'],
  odt: ['odt'],
  ods: ['ods'],
  pdf: ['pdf'],
  rtf: ['rtf', 'txt'],
  txt: ['txt', 'csv', 'md'],
  tags: ['txt', 'md'],
  utf16: ['txt'],
  html: ['html', 'htm'],
  part: ['html', 'txt'],
  fb2: ['fb2', 'xml', 'txt'],
  protected: ['docx', 'xlsx']
}

const differing: Record<string, readonly string[]> = {
  docx: ['html', 'mht', 'xml', 'txt', 'rtf', 'xlsx', 'odt', 'pdf', 'png'],
  xlsx: ['docx', 'csv'],
  pptx: ['xlsx'],
  odt: ['ods', 'epub'],
  pdf: ['docx', 'html', 'djvu'],
  rtf: ['html'],
  txt: ['HTML', 'htm', 'mhtml', 'fb2', 'fodt', 'hml', 'docx', 'zip'],
  tags: ['html', 'mht'],
  untold: ['html', 'xml'],
  vague: ['html'],
  utf16: ['html', 'xml'],
  html: ['docx', 'pdf', 'txt', 'xml', 'mht'],
  docxAsPage: ['html', 'txt', 'xml'],
  protected: ['html', 'txt', 'odt']
}

t.test('save as and restoring a change: what a result is decides its content, not the page', async t => {
  const server = await startUpstream(t, ({ url = '' }, response) => {
    const result = results[url.split('/').at(-1)!]
    if (!result) return response.writeHead(404).end() // the list of formats
    const { bytes, type } = result
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes)
  })
  const named: string[] = []
  const options = { documentServerOrigin: server.origin, storage: memoryStorage(), versions: {} } as const
  const storing = await startPageHost(t, { ...options, actions: { saveAs: true } })
  const hooked = await startPageHost(t, {
    ...options,
    storage: memoryStorage(),
    actions: {
      async saveAs ({ title, content }) {
        await bytesOf(content)
        named.push(title)
      }
    }
  })
  const of = (name: string, fileType: string) => ({ url: `${server.origin}/cache/files/${name}`, fileType })

  for (const [name, types] of Object.entries(agreeing)) {
    for (const fileType of types) {
      const label = `${name} as ${fileType}`
      const copy = await storing.ask('saveAs', { ...of(name, fileType), title: 'Copy' })
      t.match(copy, { status: 200, body: { title: `Copy.${fileType.toLowerCase()}` } }, label)
      t.equal((await hooked.ask('saveAs', { ...of(name, fileType), title: 'Copy' })).status, 200, label)
      const { fileId } = await storing.storage.create('docx', blankDocument('docx'))
      t.equal((await storing.ask('restore', { version: 1, ...of(name, fileType) }, { token: await storing.tokenOf(undefined, fileId) })).status, 200, label)
      t.equal((await storing.storage.stat(fileId))?.fileType, fileType.toLowerCase())
    }
  }

  named.length = 0
  for (const [name, types] of Object.entries(differing)) {
    const { fileId } = await storing.storage.create('docx', blankDocument('docx'))
    for (const fileType of types) {
      const label = `${name} as ${fileType}`
      const isOpened = !['png', 'zip'].includes(fileType)
      const refused = { status: 502, body: { code: 'FST_EDITOR_UPSTREAM' } }
      const copied = isOpened ? refused : { status: 200, body: { isDownload: true } }
      t.match(await storing.ask('saveAs', { ...of(name, fileType), title: `Copy.${fileType}` }), copied, label)
      t.match(await hooked.ask('saveAs', { ...of(name, fileType), title: `Copy.${fileType}` }), copied, label)
      const restored = isOpened ? refused : { status: 415, body: { code: 'FST_EDITOR_UNKNOWN_FORMAT' } }
      t.match(await storing.ask('restore', { version: 1, ...of(name, fileType) }, { token: await storing.tokenOf(undefined, fileId) }), restored, label)
    }
    t.equal((await storing.storage.stat(fileId))?.fileType, 'docx')
  }
  t.strictSame(named, [])
})
