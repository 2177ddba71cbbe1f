import { strToU8, unzipSync, zipSync } from 'fflate'
import t from 'tap'
import { openPackage } from '../../lib/documents/office/package.js'
import { fixture } from '../support.js'

t.test('an edited package keeps its other parts as they were packed, in their order', async t => {
  for (const name of ['report.docx', 'orders.xlsx', 'deck.pptx', 'report.odt']) {
    const source = fixture(name)
    const office = openPackage(source)
    const [first, ...others] = [...office.parts.keys()]
    const changed = Buffer.from(office.withPart(others.at(-1)!, 'changed'))
    t.ok(changed.subarray(0, 30 + first!.length).includes(first!), 'the first stays the first')
    const parts = unzipSync(changed)
    t.strictSame(Object.keys(parts), [...office.parts.keys()])
    for (const part of others.slice(0, -1)) t.ok(Buffer.from(parts[part]!).equals(office.parts.get(part)!), part)
    t.equal(Buffer.from(parts[others.at(-1)!]!).toString(), 'changed')
  }
})

t.test('a stored part stays stored, a new one is added last', async t => {
  const office = openPackage(zipSync({ mimetype: [strToU8('a/b'), { level: 0 }], 'content.xml': strToU8('<a/>') }))
  const changed = Buffer.from(office.withParts(new Map([['mimetype', 'c/d'], ['new.xml', '<new/>']])))
  t.equal(changed.subarray(30, 41).toString(), 'mimetypec/d')
  t.strictSame(Object.keys(unzipSync(changed)), ['mimetype', 'content.xml', 'new.xml'])
  t.equal(openPackage(changed).text('new.xml'), '<new/>')
  t.equal(openPackage(changed).text('content.xml'), '<a/>')
})

t.test('a damaged part affects only itself', async t => {
  const zip = Buffer.from(zipSync({ 'a.bin': [strToU8('aaaa'), { level: 0 }], 'b.xml': strToU8('<b/>') }))
  zip.write('x', zip.indexOf('aaaa'))
  const office = openPackage(zip)
  t.throws(() => office.parts.get('a.bin'), { message: 'a.bin is damaged' })
  t.equal(office.text('b.xml'), '<b/>')
  t.equal(openPackage(office.withPart('b.xml', '<c/>')).text('b.xml'), '<c/>')
})

t.test('sizes may be stored in ZIP64 fields', async t => {
  const zip = Buffer.from(zipSync({ 'a.xml': [strToU8('<a/>'), { level: 0, extra: { 1: new Uint8Array(16) } }] }))
  const entry = zip.lastIndexOf(Buffer.from('504b0102', 'hex'))
  const field = zip.indexOf(Buffer.from('01001000', 'hex'), entry)
  zip.writeBigUInt64LE(4n, field + 4)
  zip.writeBigUInt64LE(4n, field + 12)
  zip.fill(0xFF, entry + 20, entry + 28)
  t.equal(openPackage(zip).text('a.xml'), '<a/>')
})

t.test('a name of thousands of folders is a name like others', async t => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}/`.repeat(15_000))
  const zip = zipSync(Object.fromEntries(names.map(name => [name, strToU8('<a/>')])))
  t.strictSame([...openPackage(zip).parts.keys()], names)
})

t.test('a part that becomes empty is empty, and names keep their letters', async t => {
  const office = openPackage(zipSync({ 'größe.xml': strToU8('<a/>'), 'b.xml': strToU8('<b/>') }))
  const changed = openPackage(office.withParts(new Map([['größe.xml', ''], ['b.xml', '<c/>']])))
  t.equal(changed.text('größe.xml'), '')
  t.equal(changed.text('b.xml'), '<c/>')
})
