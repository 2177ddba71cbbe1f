import { takeSteps } from './steps.js'
import { zipSync } from 'fflate'
import { randomBytes } from 'node:crypto'
import { dialectOf, rewritten } from '../../../lib/csv/dialect.js'
import { checkedContent } from '../../../lib/document-server/content-check.js'
import { parseConversionAnswer } from '../../../lib/document-server/conversion-service.js'
import { parseCallbackBody } from '../../../lib/handler/request.js'
import { checkDocument } from '../../../lib/index.js'

// Counts what the library does with hostile bytes, and prints it. In a process of its own: counting disturbs the
// coverage of tests.

export interface Cost {
  readonly title: string
  /** Bytes that were examined. */
  readonly bytes: number
  /** Blocks of the library's code that ran, and elements of arrays in which something was looked for. */
  readonly steps: number
  /** Bytes that were copied to join buffers. */
  readonly copied: number
  /** How often others got a turn. */
  readonly turns: number
  readonly outcome: string
}

const MB = 1e6
type Input = readonly [content: Uint8Array, run: (content: Uint8Array) => unknown]

async function drain (content: AsyncIterable<unknown>): Promise<void> {
  const iterator = content[Symbol.asyncIterator]()
  while ((await iterator.next()).done !== true);
}

async function * inPieces (bytes: Uint8Array, length = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const asBytes = (name: string) => async (bytes: Uint8Array) => await checkDocument(bytes, name)
const asStream = (name: string, length?: number) => async (bytes: Uint8Array) =>
  await drain(await checkDocument(inPieces(bytes, length), name) as AsyncIterable<unknown>)

function packageOf (count: number, size: number, level: 0 | 6): Uint8Array {
  const parts = Array.from({ length: count }, (_, index) => [`word/${index}.xml`, [randomBytes(size), { level }]] as const)
  return zipSync({ '[Content_Types].xml': [new Uint8Array(10), { level }], ...Object.fromEntries(parts) })
}

/** A compound file whose header names sectors within it. */
function compoundFile (size: number): Buffer {
  const bytes = Buffer.alloc(size, 1)
  bytes.fill(0xff, 0, 512)
  bytes.write('d0cf11e0a1b11ae1', 'hex')
  bytes.writeUInt16LE(9, 30)
  return bytes
}

/** `length`: of the pieces in which it arrives. */
const rewriting = (length?: number) => async (saved: Uint8Array) => {
  const dialect = dialectOf(saved.subarray(0, 64 * 1024), 'windows-1252', undefined)!
  await drain(rewritten(inPieces(saved, length), { ...dialect, separator: ';' }, [',', ';']))
}

const csv = (text: string, length?: number): Input => [Buffer.from(text), rewriting(length)]

const parsed = (parse: (text: Buffer) => unknown) => (bytes: Uint8Array) => parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
const callback: Input[1] = parsed(parseCallbackBody)
const conversion: Input[1] = parsed(bytes => parseConversionAnswer(bytes.toString()))
const checked = (fileType: string) => async (bytes: Uint8Array) =>
  await drain(checkedContent(inPieces(bytes), { fileType, storedType: fileType, mediaType: undefined }))
const text = (start: string, part: string, size: number) => Buffer.from(start + part.repeat(size / part.length))

const inputs: Readonly<Record<string, () => Input>> = {
  'a package of 2,000 parts, 1 MB': () => [packageOf(1990, 500, 6), asBytes('a.docx')],
  'a package of 2,000 parts, 20 MB': () => [packageOf(1990, 10_000, 6), asBytes('a.docx')],
  'a package of 2,000 parts, 20 MB, as a stream': () => [packageOf(1990, 10_000, 6), asStream('a.docx')],
  'a package of 2,000 parts that are not compressed, 20 MB': () => [packageOf(1990, 10_000, 0), asBytes('a.docx')],
  'a package of one part, 40 MB': () => [packageOf(1, 40 * MB, 0), asBytes('a.docx')],
  'a package of one part, 1 MB, in pieces of 3 bytes': () => [packageOf(1, MB, 6), asStream('a.docx', 3)],
  'nothing but beginnings of parts, 10 MB': () => [text('', 'PK\x03\x04', 10 * MB), asBytes('a.docx')],
  'nothing but ends of packages, 10 MB': () => [text('PK\x03\x04', 'PK\x05\x06', 10 * MB), asBytes('a.docx')],
  'a compound file, 40 MB': () => [compoundFile(40 * MB), asBytes('a.doc')],
  'a page that never begins, 10 MB': () => [text('', ' ', 10 * MB), checked('html')],
  'a package that never ends, 40 MB': () => [text('PK\x03\x04', 'PK\x05', 40 * MB), checked('docx')],
  'CSV, 2 MB': () => csv('first,second,third\n'.repeat(2 * MB / 19)),
  'CSV of one row, 1 MB, in pieces of 16 bytes': () => csv(`a,b\n${'x'.repeat(MB)},c\n`, 16),
  'CSV of short rows, 200 kB, in pieces of 1 byte': () => csv('a,b\n'.repeat(50_000), 1),
  'CSV of separators, 2 MB': () => csv(','.repeat(2 * MB)),
  'CSV of quotation marks, 1 MB': () => csv(text('"', '""', MB).toString()),
  'CSV of quotation marks that are not closed, 2 MB': () => csv('"x,'.repeat(MB * 2 / 3)),
  'a callback of brackets, 10 MB': () => [text('', '[', 10 * MB), callback],
  'a callback of quotation marks, 10 MB': () => [text('', '"', 10 * MB), callback],
  'a callback that is one long string, 40 MB': () => [Buffer.from(`{"a":"${'[\\\\'.repeat(13 * MB)}"}`), callback],
  'the answer of a conversion of brackets, 1 MB': () => [text('', '[', MB), conversion],
  'the answer of a conversion of elements that are not closed, 1 MB': () => [text('<FileResult>', '<Error>', MB), conversion],
  'the answer of a conversion of entities, 1 MB': () => [text('<FileResult><Error>', '&amp;&', MB), conversion]
}

let copied = 0
const concat = Buffer.concat
Buffer.concat = (list, length) => {
  const joined = concat(list, length)
  copied += joined.length
  return joined
}

let searched = 0
const arrays: Pick<unknown[], 'includes'> = Array.prototype
const { includes } = arrays
arrays.includes = function (this: unknown[], ...args) {
  searched += this.length
  return includes.apply(this, args)
}

async function costOf (title: string, [content, run]: Input): Promise<Cost> {
  let turns = 0
  let turn = setImmediate(function next () {
    turns++
    turn = setImmediate(next)
  })
  copied = searched = 0
  await takeSteps()
  const outcome = await Promise.resolve(content).then(run).then(() => 'taken', (error: Error) => error.message)
  const steps = await takeSteps() + searched
  clearImmediate(turn)
  return { title, bytes: content.length, steps, copied, turns, outcome }
}

const costs: Cost[] = []
for (const [title, input] of Object.entries(inputs)) costs.push(await costOf(title, input()))
console.log(JSON.stringify(costs))
