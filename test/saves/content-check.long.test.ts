import { readFileSync } from 'node:fs'
import { setImmediate as nextTick } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { OLD, startEditing } from '../kit/editing.js'
import { zipOf } from '../kit/packages.js'

const documents = new URL('../fixtures/documents/', import.meta.url)
const document = (name: string) => readFileSync(new URL(name, documents))
const PAGE = Buffer.from('<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>')
const COMPOUND_FILE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1000)])
const EMPTY = Buffer.alloc(0)

interface Sent {
  readonly body: Uint8Array
  readonly mediaType?: string
  /** Bytes sent at a time. Default: all. */
  readonly chunk?: number
  /** How often it is fetched as a text. Default: once. */
  readonly fetches?: number
  /** Nothing but the end of the connection says where it ends. */
  readonly isOpenEnded?: boolean
}

/** A service whose document server sends for `/1` the first of these, and so on. */
async function startSaving (t: Test, sent: readonly Sent[]) {
  const editing = await startEditing(t, {
    memory: true,
    saveRetries: 2,
    policies: { formatChange: 'ignore' },
    csv: { preserve: false }, // what is sent is compared with what is stored
    async serve (request, response) {
      const { body, mediaType, chunk, isOpenEnded = false } = sent[Number(request.url!.slice(1))]!
      response.useChunkedEncodingByDefault = !isOpenEnded
      if (mediaType !== undefined) response.setHeader('content-type', mediaType)
      if (chunk === undefined) return response.end(body)
      response.flushHeaders()
      for (let at = 0; at < body.length; at += chunk) {
        response.write(body.subarray(at, at + chunk))
        await nextTick()
      }
      response.end()
    }
  })
  const { documentServer: { origin, requests }, openedKey, post, storedText, storage } = editing
  return {
    async save (index: number, filetype: string | undefined, extension = 'docx'): Promise<'stored' | 'refused'> {
      const { fileId } = await storage.create(extension, Buffer.from(OLD))
      const key = await openedKey(fileId)
      const before = requests.length
      const error = await post({ key, status: 2, url: `${origin}/${index}`, ...(filetype !== undefined && { filetype }) }, fileId)
      const { fetches = 1 } = /^(csv|txt)$/i.test(filetype ?? '') ? sent[index]! : {}
      t.equal(requests.length, before + fetches, 'an answer that is not a document is not fetched again')
      const expected = error === 0 ? Buffer.from(sent[index]!.body).toString('utf8') : OLD
      t.equal(await storedText(fileId), expected)
      return error === 0 ? 'stored' : 'refused'
    }
  }
}

/** What is sent, and the announced formats under which it is stored. For all others of the list it is refused. */
const table: ReadonlyArray<readonly [name: string, sent: Sent, formats: readonly string[]]> = [
  ['a docx', { body: document('report.docx') }, ['docx', 'doc', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'csv', 'txt', 'html']],
  ['an ods', { body: document('orders.ods') }, ['docx', 'doc', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'csv', 'txt', 'html']],
  ['a pdf', { body: document('report.pdf') }, ['pdf', 'csv', 'txt', 'html']],
  ['an rtf', { body: document('report.rtf') }, ['rtf', 'doc', 'csv', 'txt', 'html']],
  ['a doc', { body: document('report.doc') }, ['docx', 'doc', 'xlsx', 'pptx', 'csv', 'txt', 'html']],
  ['a document protected by a password', { body: COMPOUND_FILE }, ['docx', 'doc', 'xlsx', 'pptx', 'csv', 'txt', 'html']],
  ['a text', { body: document('notes.txt') }, ['csv', 'txt', 'html']],
  ['a text sent as a page, though it is none', { body: document('notes.txt'), mediaType: 'text/html' }, ['csv', 'txt', 'html']],
  ['an error in JSON', { body: Buffer.from('{"error":"not found"}'), mediaType: 'application/json' }, ['html']],
  ['an error in JSON of a kind of its own', { body: Buffer.from('{"title":"not found"}'), mediaType: 'application/problem+json; charset=utf-8' }, ['html']],
  ['an error in plain text', { body: Buffer.from('upstream connect error or disconnect/reset before headers') }, ['csv', 'txt', 'html']],
  ['an error in XML', { body: Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>') }, ['csv', 'txt', 'html']],
  ['a page', { body: PAGE, mediaType: 'text/html' }, ['html']],
  ['a page sent as TEXT/HTML in UTF-8', { body: PAGE, mediaType: 'TEXT/HTML; charset=utf-8' }, ['html']],
  ['a page sent as a text', { body: PAGE, mediaType: 'text/plain' }, ['html', 'csv', 'txt']],
  ['a page sent as nothing in particular', { body: PAGE }, ['html', 'csv', 'txt']],
  ['a page after a mark and blanks', {
    body: Buffer.concat([Buffer.from('\uFEFF \r\n\t'), Buffer.from('<HTML lang="en">')]),
    mediaType: 'text/html'
  }, ['html']],
  ['nothing', { body: EMPTY }, ['csv', 'txt']],
  ['nothing, in chunks', { body: EMPTY, chunk: 1, fetches: 2 }, ['csv', 'txt']],
  ['nothing until the connection ends', { body: EMPTY, chunk: 1, isOpenEnded: true }, []],
  ['three bytes of a zip file', { body: Buffer.from('PK\x03') }, ['csv', 'txt', 'html']],
  ['a zip file that ends at once', { body: Buffer.from('PK\x05\x06') }, ['csv', 'txt', 'html']]
]
const announced = [...new Set(table.flatMap(([, , formats]) => formats))]

for (const [name, sent, formats] of table) {
  t.test(`a save that is ${name} is stored as ${formats.join(', ')}, refused as any other format`, async t => {
    const { save } = await startSaving(t, [sent])
    for (const format of announced) {
      t.equal(await save(0, format), formats.includes(format) ? 'stored' : 'refused', format)
    }
    const [first] = formats
    if (first !== undefined) t.equal(await save(0, first.toUpperCase()), 'stored', 'in capital letters')
  })
}

t.test('for a format without a known beginning a page is refused, anything else is stored', async t => {
  const { save } = await startSaving(t, [{ body: PAGE }, { body: COMPOUND_FILE }])
  for (const format of ['hwp', 'djvu', 'fodt']) {
    t.equal(await save(0, format), 'refused', format)
    t.equal(await save(1, format), 'stored', format)
  }
})

t.test('a save without filetype, as older document servers send it, is checked against the stored format', async t => {
  const bodies = table.map(([, sent]) => sent)
  const { save } = await startSaving(t, bodies)
  for (const [index, { body }] of bodies.entries()) {
    const [name, , formats] = table[index]!
    for (const extension of announced) {
      // Nobody has said that it is empty; and what was an rtf comes back as docx.
      const isStored = body.length > 0 && (formats.includes(extension) || (extension === 'rtf' && formats.includes('odt')))
      t.equal(await save(index, undefined, extension), isStored ? 'stored' : 'refused', `${name} for a ${extension}`)
    }
  }
})

t.test('the format is detected however the content is split into chunks, and no byte is lost', async t => {
  const docx = zipOf(document('report.docx').subarray(0, 1200))
  const pieces = [1, 3, 7, 511, 512, 513].map(chunk => ({ body: docx, chunk }))
  const { save } = await startSaving(t, [...pieces, { body: PAGE, chunk: 1, mediaType: 'text/html' }, {
    body: zipOf(Buffer.of()),
    chunk: 1
  }])
  for (const index of pieces.keys()) t.equal(await save(index, 'docx'), 'stored', `${pieces[index]!.chunk} bytes`)
  t.equal(await save(pieces.length, 'docx'), 'refused')
  t.equal(await save(pieces.length, 'txt'), 'refused')
  t.equal(await save(pieces.length + 1, 'docx'), 'stored')
})
