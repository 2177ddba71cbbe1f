import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { getDocumentProxy } from 'unpdf'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'

const FORM = fixture('leave-request.pdf')
const open = (bytes: Uint8Array = FORM) => openEditable('pdf', bytes)
type Form = ReturnType<typeof open>
const fieldsOf = (form: Form) => {
  const view = form.view()
  return view.kind === 'form' ? view.fields : []
}
const fill = (form: Form, field: string, value: string | boolean) => form.apply({ op: 'field', field, value })

/** What another reader finds. */
async function readValues (bytes: Uint8Array): Promise<Record<string, unknown>> {
  const pdf = await getDocumentProxy(Uint8Array.from(bytes))
  const pages = await Promise.all(Array.from({ length: pdf.numPages }, async (_, index) => await (await pdf.getPage(index + 1)).getAnnotations()))
  return Object.fromEntries((pages.flat() as Array<Record<string, unknown>>).filter(({ fieldType }) => fieldType).map(
    ({ fieldName, fieldValue }) => [fieldName, Array.isArray(fieldValue) ? fieldValue[0] : fieldValue]
  ))
}

t.test('the fields of a PDF form are filled in: the file has an update, which other readers find', async t => {
  const form = open()
  t.strictSame(fieldsOf(form).map(({ key, type, value, options }) => [key, type, value, options]), [
    ['Name', 'text', '', undefined],
    ['From', 'text', '', undefined],
    ['To', 'text', '', undefined],
    ['Kind', 'comboBox', 'Holiday', ['Holiday', 'Parental leave', 'Training']],
    ['Paid', 'radio', '', ['yes', 'no']],
    ['Agreed', 'checkBox', false, undefined],
    ['Remarks', 'text', '', undefined]
  ])
  t.equal(form.bytes(), FORM, 'nothing was changed')
  const values = { Name: 'Zażółć (gęślą) \\ <jaźń>', Kind: 'Training', Paid: 'no', Agreed: true, Remarks: 'two\nlines' }
  for (const [field, value] of Object.entries(values)) t.strictSame(fill(form, field, value), { op: 'field', field, value })
  t.equal(fill(form, 'Agreed', true), null, 'it is so already')
  const filled = form.bytes()
  t.ok(Buffer.from(filled).subarray(0, FORM.length).equals(FORM), 'the original stays as it is')
  t.match(await readValues(filled), { ...values, Agreed: /^(?!Off)/ })
  t.strictSame(Object.fromEntries(fieldsOf(open(filled)).map(({ key, value }) => [key, value])), { ...values, From: '', To: '' })
  t.strictSame((form.formData!() as object[])[4], { key: 'Paid', tag: '', value: 'no', type: 'radio' })
  const again = open(filled)
  t.ok(fill(again, 'Agreed', false))
  t.ok(fill(again, 'Paid', ''))
  t.match(await readValues(again.bytes()), { Name: values.Name, Agreed: 'Off', Paid: 'Off' })
})

t.test('a value that a field cannot have changes nothing', async t => {
  const form = open()
  for (const [field, value] of [['Nobody', 'x'], ['Name', true], ['Name', 'x'.repeat(10_001)], ['Kind', 'Sabbatical'], ['Paid', 'maybe'], ['Agreed', 'yes'], ['__proto__', 'x']] as const) {
    t.equal(fill(form, field, value), null, `${field}: ${String(value).slice(0, 20)}`)
  }
  t.equal(form.bytes(), FORM)
  t.throws(() => form.replaceText('x'), TypeError)
})

t.test('fields in a compressed stream of objects are found, and one in another', async t => {
  const objects = ['<</Fields [6 0 R]>>', '<</T (Address) /FT /Tx /Kids [7 0 R]>>', '<</T (Town) /Parent 6 0 R /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /V (L\\363dz) /P 3 0 R>>']
  let at = 0
  const header = objects.map((object, index) => {
    const entry = `${index + 5} ${at}`
    at += object.length + 1
    return entry
  }).join(' ')
  const packed = deflateSync(`${header} ${objects.join(' ')}`)
  const text = (head: string) => Buffer.from(head, 'latin1')
  const pdf = Buffer.concat([
    text('%PDF-1.5\n1 0 obj <</Type /Catalog /Pages 2 0 R /AcroForm 5 0 R>> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots [7 0 R]>> endobj\n'),
    text(`4 0 obj <</Type /ObjStm /N 3 /First ${header.length + 1} /Filter /FlateDecode /Length ${packed.length}>>\nstream\n`),
    packed,
    text('\nendstream endobj\ntrailer <</Root 1 0 R /Size 8>>\nstartxref\n0\n%%EOF\n')
  ])
  const form = open(pdf)
  t.strictSame(fieldsOf(form), [{ key: 'Address.Town', label: 'Address.Town', type: 'text', value: 'Lódz' }])
  t.ok(fill(form, 'Address.Town', 'Łódź'))
  t.strictSame(fieldsOf(open(form.bytes())).map(({ value }) => value), ['Łódź'])
  t.equal(open(Buffer.from(pdf.toString('latin1').replace('/Size', '/Encrypt 9 0 R /Size'), 'latin1')).view().kind, 'readonly', 'an encrypted form')
})

t.test('a PDF without fields, a damaged one and a hostile one are shown, and never stop the server', async t => {
  const hostile = {
    cycle: '1 0 obj <</AcroForm <</Fields [2 0 R]>>>> endobj 2 0 obj <</T (a) /FT /Tx /Kids [2 0 R]>> endobj trailer <</Root 1 0 R>>',
    deep: `1 0 obj ${'['.repeat(200_000)} endobj trailer <</Root 1 0 R>>`,
    strings: `${'1 0 obj ('.repeat(50_000)} trailer <</Root 1 0 R>>`,
    bomb: Buffer.concat([Buffer.from('1 0 obj <</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode>> stream\n'), deflateSync(Buffer.alloc(100 * 1024 ** 2))]),
    numbers: '1 0 obj <</Type /ObjStm /N -1 /First 99999999999 /Filter /FlateDecode /Length -5>> stream\n trailer <</Root 1 0 R>>',
    nothing: ''
  }
  for (const [what, bytes] of Object.entries(hostile)) t.match(open(Buffer.from(bytes)).view().kind, /^(readonly|form)$/, what)
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(FORM.length - 1), fc.nat(255)), { maxLength: 30 }), changes => {
    const damaged = Buffer.from(FORM)
    for (const [at, byte] of changes) damaged[at] = byte
    const form = open(damaged)
    for (const { key } of fieldsOf(form)) fill(form, key, 'x')
    return form.bytes().length >= FORM.length
  }), { numRuns: 20 })
})
