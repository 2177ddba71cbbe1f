import { strToU8, unzipSync, zipSync } from 'fflate'
import t from 'tap'
import { openPackage } from '../../lib/documents/office/package.js'
import { fixture } from '../support.js'

t.test('an edited package keeps its other parts as they were packed, in their order', async t => {
  for (const name of ['report.docx', 'orders.xlsx', 'deck.pptx', 'report.odt']) {
    const source = fixture(name)
    const office = openPackage(source)
    const [first, ...others] = [...office.parts.keys()]
    const changed = Buffer.from(office.withParts(new Map([[others.at(-1)!, 'changed']])))
    t.ok(changed.subarray(0, 30 + first!.length).includes(first!), 'the first stays the first')
    const parts = unzipSync(changed)
    t.strictSame(Object.keys(parts), [...office.parts.keys()])
    for (const part of others.slice(0, -1)) t.ok(Buffer.from(parts[part]!).equals(office.parts.get(part)!), part)
    t.equal(Buffer.from(parts[others.at(-1)!]!).toString(), 'changed')
  }
})

t.test('a damaged part affects only itself', async t => {
  const zip = Buffer.from(zipSync({ 'a.bin': [strToU8('aaaa'), { level: 0 }], 'b.xml': strToU8('<b/>') }))
  zip.write('x', zip.indexOf('aaaa'))
  const office = openPackage(zip)
  t.throws(() => office.parts.get('a.bin'), { message: 'a.bin is damaged' })
  t.equal(office.text('b.xml'), '<b/>')
  t.equal(openPackage(office.withParts(new Map([['b.xml', '<c/>']]))).text('b.xml'), '<c/>')
})
