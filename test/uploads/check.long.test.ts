import { strToU8, unzipSync, Zip, ZipDeflate, zipSync } from 'fflate'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { checkDocument, type StorageContent, fileStorage } from '../../lib/index.js'
import { startHost } from '../kit/host.js'
import { damagesOf, flipped, withGaps, zipOf } from '../kit/packages.js'

const FIXTURES = [
  'deck.odp', 'deck.pptx', 'handbook.docx', 'notes.txt', 'orders.csv', 'orders.ods', 'orders.xlsx', 'report.doc',
  'report.docx', 'report.html', 'report.odt', 'report.pdf', 'report.rtf', 'table.md'
]
const fixture = (name: string) => readFileSync(new URL(`../fixtures/documents/${name}`, import.meta.url))
const REPORT = fixture('report.docx')
const PROGRAM = Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0', 'latin1'), Buffer.alloc(2000, 7)])

const DESCRIPTOR = Buffer.from('504b0708', 'hex')

const EMPTY = { code: 'FST_EDITOR_EMPTY_DOCUMENT', statusCode: 422, retryable: false }
const WRONG = { code: 'FST_EDITOR_WRONG_FORMAT', statusCode: 422, retryable: false }
const DAMAGED = { code: 'FST_EDITOR_DAMAGED_DOCUMENT', statusCode: 422, retryable: false }
const UNKNOWN = { code: 'FST_EDITOR_UNKNOWN_FORMAT', statusCode: 415, retryable: false }
const UNNAMED = { code: 'FST_EDITOR_INVALID_NAME', statusCode: 400 }

/** A stream of pieces whose length is not that of anything in a file. */
function * inPieces (bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const streamOf = (bytes: Uint8Array, length = 997) => Readable.from(inPieces(bytes, length))

async function bytesOf (content: StorageContent): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content)
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** As bytes, and as a stream that is read to its end. */
async function refused (name: string, bytes: Uint8Array): Promise<unknown[]> {
  const attempts = [async () => await checkDocument(bytes, name), async () => await bytesOf(await checkDocument(streamOf(bytes), name))]
  return await Promise.all(attempts.map(async attempt => await attempt().then(() => 'taken', error => error)))
}

function packageOf (...names: string[]): Uint8Array {
  return zipSync(Object.fromEntries(names.map(name => [name, strToU8(name)])))
}

/** A package whose checksums follow the parts, as programs write it that do not know them before. */
function streamed (change: (bytes: Buffer, descriptorAt: number) => void = () => {}): Buffer {
  const chunks: Uint8Array[] = []
  const zip = new Zip((_error, chunk) => chunks.push(chunk))
  for (const name of ['[Content_Types].xml', 'word/document.xml']) {
    const part = new ZipDeflate(name)
    zip.add(part)
    part.push(strToU8(name.repeat(5000)), true)
  }
  zip.end()
  const bytes = Buffer.concat(chunks)
  change(bytes, bytes.indexOf(DESCRIPTOR))
  return bytes
}

function withBytes (bytes: Uint8Array, at: number, changed: readonly number[]): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(changed), bytes.subarray(at + changed.length)])
}

function without (bytes: Uint8Array, from: number, to: number): Buffer {
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
}

/** A part that no directory names. */
const DEAD_PART = zipOf(Buffer.from('replaced')).subarray(0, 45)

/** The size of the first part stands in 64 bits: as programs write it that stream without knowing it. */
function withLargeFirstPart (file: Buffer): Buffer {
  const extra = Buffer.alloc(20)
  extra.writeUInt16LE(1)
  extra.writeUInt16LE(16, 2)
  extra.writeBigUInt64LE(BigInt(file.readUInt32LE(22)), 4)
  extra.writeBigUInt64LE(BigInt(file.readUInt32LE(18)), 12)
  const contentAt = 30 + file.readUInt16LE(26)
  const head = Buffer.from(file.subarray(0, contentAt))
  head.writeUInt32LE(0xFFFFFFFF, 18)
  head.writeUInt32LE(0xFFFFFFFF, 22)
  head.writeUInt16LE(extra.length, 28)
  const moved = withGaps(file, Buffer.alloc(0))
  const end = moved.lastIndexOf('PK\x05\x06')
  const directoryAt = moved.readUInt32LE(end + 16)
  for (let at = directoryAt; at < end;) {
    const offset = moved.readUInt32LE(at + 42)
    if (offset > 0) moved.writeUInt32LE(offset + extra.length, at + 42)
    at += 46 + moved.readUInt16LE(at + 28) + moved.readUInt16LE(at + 30) + moved.readUInt16LE(at + 32)
  }
  moved.writeUInt32LE(directoryAt + extra.length, end + 16)
  return Buffer.concat([head, extra, moved.subarray(contentAt)])
}

t.test('a document of each format is taken unchanged, as bytes and in pieces of any size', async t => {
  for (const name of FIXTURES) {
    const bytes = fixture(name)
    t.equal(await checkDocument(bytes, name), bytes, name)
    for (const length of [1, 997, 1e6]) {
      t.ok(
        bytes.equals(
          await bytesOf(
            await checkDocument(streamOf(bytes, Math.max(length, Math.ceil(bytes.length / 60))), name.toUpperCase())
          )
        ),
        `${name} in pieces of ${length}`
      )
    }
  }
})

t.test('unusual files that the editor opens are taken, too', async t => {
  const protectedFile = fixture('report.doc') // protected Office Open XML is in the same container
  const withImages = (count: number, first: number) => zipSync({
    '[Content_Types].xml': new Uint8Array(first),
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`word/media/${'image'.repeat(10)}${index}.png`, new Uint8Array()]))
  }, { level: 0 })
  const large = withImages(2600, 1)
  const files: Array<[name: string, bytes: Uint8Array]> = [
    ['empty.txt', Buffer.of()],
    ['empty.csv', Buffer.of()],
    ['empty.md', Buffer.of()],
    ['latin.txt', Buffer.from('caf\xe9', 'latin1')],
    ['utf-16.csv', Buffer.from('\uFEFFa;\u0100\r\n', 'utf16le')],
    ['no mark.txt', Buffer.from('text without a mark', 'utf16le')],
    ['page.txt', Buffer.from('<html>a text about HTML')],
    ['protected.docx', protectedFile],
    ['other folder.docx', packageOf('[Content_Types].xml', '_rels/.rels', 'document.xml')],
    ['backslash.xlsx', packageOf('[content_types].xml', 'xl\\workbook.xml')],
    ['with a comment.docx', Buffer.concat([REPORT.subarray(0, -2), Buffer.of(5, 0), Buffer.from('noted')])],
    ['many parts.docx', large],
    ['a directory longer than what is kept at once.docx', withImages(1900, 150_000)],
    ['template.ott', fixture('report.odt')],
    ['streamed.docx', streamed()],
    ['padded.docx', Buffer.concat([REPORT, Buffer.from('\r\n\0\0')])],
    ['aligned with zeros.docx', withGaps(REPORT, Buffer.alloc(5))],
    ['changed in place.docx', withGaps(REPORT, DEAD_PART)],
    ['media type with a size of 64 bits.odt', withLargeFirstPart(fixture('report.odt'))],
    ['stored.docx', zipSync({ '[Content_Types].xml': strToU8('types'), 'word/document.xml': strToU8('text') }, { level: 0 })],
    ['scan.djvu', Buffer.from('AT&TFORM\0\0')]
  ]
  for (const [name, bytes] of files) t.ok(Buffer.from(bytes).equals(await bytesOf(await checkDocument(streamOf(bytes), name))), name)
  t.ok(large.length > 300_000, 'its directory is longer than what is kept of a stream')
})

t.test('a file without content, of another format than its extension, or damaged is refused with an error of its own', async t => {
  const cases: Array<[name: string, bytes: Uint8Array, error: object]> = [
    ['a.exe', PROGRAM, UNKNOWN],
    ['a.zip', packageOf('a'), UNKNOWN],
    ['a.constructor', PROGRAM, UNKNOWN],
    ['docx', REPORT, UNNAMED],
    ['a.do cx', REPORT, UNNAMED],
    ['a.docx', Buffer.of(), EMPTY],
    ['a.pdf', Buffer.of(), EMPTY],
    ['a.html', Buffer.of(), EMPTY],
    ...['docx', 'xls', 'odt', 'pdf', 'rtf', 'txt', 'csv', 'html', 'md', 'fodt', 'hwp', 'djvu', 'epub'].map(format =>
      [`program.${format}`, PROGRAM, WRONG] as [string, Uint8Array, object]
    ),
    ['a.docx', fixture('orders.xlsx'), WRONG],
    ['a.xlsx', fixture('deck.pptx'), WRONG],
    ['a.pptx', REPORT, WRONG],
    ['a.odt', fixture('orders.ods'), WRONG],
    ['a.docx', fixture('report.odt'), WRONG],
    ['a.odt', REPORT, WRONG],
    ['a.epub', fixture('report.odt'), WRONG],
    ['a.epub', REPORT, WRONG],
    ['a.docx', fixture('report.pdf'), WRONG],
    ['a.pdf', REPORT, WRONG],
    ['a.txt', REPORT, WRONG],
    ['a.txt', fixture('report.pdf'), WRONG],
    ['a.csv', fixture('report.doc'), WRONG],
    ['a.docx', Buffer.from('<!DOCTYPE html><title>Sign in</title>'), WRONG],
    ['a.docx', packageOf('photo.jpg'), WRONG],
    ['a.docx', packageOf('[Content_Types].xml', 'visio/a'), WRONG],
    ['a.docx', zipSync({}), WRONG],
    ...['docx', 'xlsx', 'pptx', 'odt', 'doc', 'pdf'].flatMap(format => {
      const bytes = fixture(FIXTURES.find(name => name.endsWith(`.${format}`))!)
      return (format === 'doc' ? [0.1, 0.5] : [0.1, 0.5, 0.99]).map((
        part
      ): [string, Uint8Array, object] => [
        `${part}.${format}`,
        bytes.subarray(0, Math.ceil(bytes.length * part)),
        DAMAGED
      ])
    }),
    ...['docx', 'xlsx', 'pptx', 'odt', 'ods'].map((format): [string, Uint8Array, object] => {
      const bytes = fixture(FIXTURES.find(name => name.endsWith(`.${format}`))!)
      return [`zeros.${format}`, withBytes(bytes, 4000, new Array(20).fill(0)), DAMAGED]
    }),
    ['wrong checksum.docx', withBytes(packageOf('[Content_Types].xml', 'word/document.xml'), 14, [1, 2, 3, 4]), DAMAGED],
    ['wrong checksum, streamed.docx', streamed((bytes, at) => bytes.writeUInt32LE(1, at + 4)), DAMAGED],
    ['hole.docx', without(REPORT, 2000, 2100), DAMAGED],
    ['more.docx', Buffer.concat([REPORT.subarray(0, 2000), Buffer.from('\r'), REPORT.subarray(2000)]), DAMAGED],
    ['only an end.docx', Buffer.concat([REPORT.subarray(0, 100), zipSync({})]), DAMAGED],
    ['forged count.docx', Buffer.concat([REPORT.subarray(0, -22), Buffer.from('504b05060000000010271027000000000000000000000', 'hex')]), DAMAGED]
  ]
  for (const [name, bytes, error] of cases) {
    for (const outcome of await refused(name, bytes)) t.match(outcome, error, `${name} of ${bytes.length} bytes`)
  }
})

t.test('damage inside a package is noticed wherever it is, as bytes and in a stream', async t => {
  for (const name of ['report.docx', 'orders.xlsx', 'deck.pptx', 'report.odt']) {
    const bytes = fixture(name)
    for (const [what, damaged] of Object.entries(damagesOf(bytes, fixture('handbook.docx')))) {
      for (const outcome of await refused(name, damaged)) t.match(outcome, { code: DAMAGED.code }, `${name}: ${what}`)
    }
    const parts = unzipSync(bytes)
    const unnoticed: number[] = []
    // A prime: whatever bit of a byte, everywhere.
    for (let bit = 0; bit < bytes.length * 8; bit += 4999) {
      const changed = flipped(bytes, bit)
      const isTaken = await checkDocument(changed, name).then(() => true, () => false)
      if (isTaken && !isSame(changed, parts)) unnoticed.push(bit)
    }
    t.strictSame(unnoticed, [], `${name}: single bits`)
  }
})

t.test('parts that cannot be judged are taken, unless the directory says something else about them', async t => {
  const types = { '[Content_Types].xml': strToU8('types'), 'word/document.xml': strToU8('text'.repeat(1000)) }
  const compressed = Buffer.from(zipSync(types))
  const [second, entry] = ['PK\x03\x04', 'PK\x01\x02'].map(signature => compressed.lastIndexOf(signature)) as [number, number]
  const encrypted = (...places: number[]) => {
    const changed = Buffer.from(compressed)
    for (const at of places) changed.writeUInt8(1, at)
    return changed
  }
  t.ok(await checkDocument(encrypted(second + 6, entry + 8), 'a.docx'), 'encrypted')
  for (const at of [second + 6, entry + 8]) {
    for (const outcome of await refused('a.docx', encrypted(at))) t.match(outcome, DAMAGED, `a flag at ${at}`)
  }
  const unknown = (...places: number[]) => streamed(bytes => { for (const at of places) bytes.writeUInt8(0, at) })
  const [part, described] = ['PK\x03\x04', 'PK\x01\x02'].map(signature => streamed().lastIndexOf(signature)) as [number, number]
  t.ok(await checkDocument(unknown(part + 8, described + 10), 'a.docx'), 'not compressed, and its length follows')
  for (const outcome of await refused('a.docx', unknown(part + 8))) t.match(outcome, DAMAGED, 'said by its head alone')
})

function isSame (file: Buffer, parts: object): boolean {
  try {
    return isDeepStrictEqual(unzipSync(file), parts)
  } catch {
    return false
  }
}

t.test('a stream of another format is refused at its beginning, and then closed', async t => {
  let read = 0
  async function * endless () {
    for (;;) yield Buffer.alloc(1000, ++read)
  }
  await t.rejects(checkDocument(endless(), 'a.docx'), WRONG)
  t.equal(read, 1)

  const stream = Readable.from(endless())
  await t.rejects(checkDocument(stream, 'a.docx'), WRONG)
  t.equal(stream.destroyed, true)
})

t.test('content that is checked and then not wanted can be closed, and the error of a stream passes through', async t => {
  const stream = streamOf(REPORT)
  const checked = await checkDocument(stream, 'a.docx') as AsyncIterable<Uint8Array>
  const iterator = checked[Symbol.asyncIterator]()
  t.notOk((await iterator.next()).done)
  await iterator.return!()
  t.equal(stream.destroyed, true)

  async function * failing () {
    yield REPORT.subarray(0, 1000)
    throw new Error('the upload broke')
  }
  const begun = await checkDocument(failing(), 'a.docx')
  await t.rejects(bytesOf(begun), { message: 'the upload broke' })
})

t.test('uploadDocument stores nothing that its check refuses, and stores anything without it', async t => {
  const directory = t.testdir({})
  const { app } = await startHost(t, { storage: fileStorage({ directory }) })
  const documents = async () => (await readdir(directory)).filter(name => !name.startsWith('.'))
  const control = app.editorControl()

  await t.rejects(control.uploadDocument(PROGRAM, 'a.docx', { check: true }), WRONG)
  await t.rejects(control.uploadDocument(streamOf(REPORT.subarray(0, -30)), 'a.docx', { check: true }), DAMAGED)
  await t.rejects(control.uploadDocument(Readable.from([]), 'a.docx', { check: true }), EMPTY)
  t.strictSame(await documents(), [])
  t.equal(control.hasDocument, false)

  const { fileId } = await control.uploadDocument(streamOf(REPORT), 'a.docx', { check: true })
  t.strictSame(await documents(), [`${fileId}.docx`])
  t.equal(control.hasDocument, true)
  await app.editorControl().uploadDocument(PROGRAM, 'a.docx')
  t.equal((await documents()).length, 2)
})

t.test('a PDF may begin late, RTF after white space, and RTF may have the name of an old document', async t => {
  const [pdf, rtf] = [fixture('report.pdf'), fixture('report.rtf')]
  const after = (text: string, bytes: Buffer) => Buffer.concat([Buffer.from(text), bytes])
  const taken: Array<[string, Buffer]> = [
    ['a.pdf', after('x'.repeat(1000), pdf)], ['a.rtf', after('\r\n ', rtf)], ['a.doc', rtf], ['a.doc', after('\n', rtf)]
  ]
  for (const [name, bytes] of taken) {
    t.strictSame(await bytesOf(await checkDocument(streamOf(bytes), name)), bytes, name)
    t.equal(await checkDocument(bytes, name), bytes, name)
  }
  for (const [name, bytes] of [['a.pdf', after('x'.repeat(1024), pdf)], ['a.pdf', after('<html>', pdf)], ['a.docx', rtf], ['a.rtf', after('x', rtf)]] as const) {
    for (const outcome of await refused(name, bytes)) t.match(outcome, WRONG, name)
  }
})
