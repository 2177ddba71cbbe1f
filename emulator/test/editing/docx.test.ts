import { unzipSync } from 'fflate'
import t from 'tap'
import { imageOf } from '../../lib/conversions/images/render.js'
import { openEditable } from '../../lib/documents/open.js'
import type { Editable, Paragraph } from '../../lib/documents/types.js'
import { fixture } from '../support.js'
import './formatting.js'

const original = fixture('report.docx')

function paragraphs (editable: Editable): readonly Paragraph[] {
  const view = editable.view()
  return 'paragraphs' in view ? view.paragraphs : []
}

function idOf (editable: Editable, text: string): string {
  return paragraphs(editable).find(paragraph => paragraph.text.includes(text))!.id
}

const mainPart = (bytes: Uint8Array) => Buffer.from(unzipSync(bytes)['word/document.xml']!).toString()

t.test('a .docx opens as its paragraphs, headings and table cells', async t => {
  const view = (await openEditable('docx', original)).view()
  t.equal(view.kind, 'paragraphs')
  t.match(paragraphs(await openEditable('docx', original)).slice(0, 5), [
    { text: 'Quarterly report — Q3 2026', level: 1, editable: true },
    { text: /^Zażółć gęślą jaźń.*日本語, العربية, emoji 🚀\..* a link\.$/, editable: true },
    { text: 'Figures', level: 2 },
    { text: 'Region', cell: '0.0:0' },
    { text: 'Units', cell: '0.0:1' }
  ])
})

t.test('an edit changes its own paragraph only: formatting, links and all other parts stay', async t => {
  const editable = await openEditable('docx', original)
  const id = idOf(editable, 'Zażółć')
  const bold = paragraphs(editable).find(paragraph => paragraph.id === id)!.text.replace('bold', 'bold & <strong> 𝒳')
  t.match(editable.apply({ op: 'set', id, text: bold }), { op: 'set', id, text: bold })
  const text = bold.replace('emoji 🚀', 'emoji 🚁')
  editable.apply({ op: 'set', id, text })

  const before = unzipSync(original)
  const bytes = editable.bytes()
  const after = unzipSync(bytes)
  t.strictSame(Object.keys(after), Object.keys(before), 'parts in their order')
  for (const part of Object.keys(before).filter(name => name !== 'word/document.xml')) {
    t.strictSame(after[part], before[part], part)
  }
  t.match(mainPart(bytes), '<w:rPr><w:b/></w:rPr><w:t>bold &amp; &lt;strong&gt; 𝒳</w:t>')
  t.match(mainPart(bytes), /<w:hyperlink r:id="rId2">.*<w:t>link<\/w:t>/)
  t.match(mainPart(bytes), '<w:pStyle w:val="TextBody"/>')
  t.equal(paragraphs(await openEditable('docx', bytes)).find(paragraph => paragraph.id === id)!.text, text)
})

t.test('table cells are edited, and a cell always keeps one paragraph', async t => {
  const editable = await openEditable('docx', original)
  const id = idOf(editable, '48,160.00')
  editable.apply({ op: 'set', id, text: '1\t2\n3' })
  t.match(mainPart(editable.bytes()), '<w:t>1</w:t><w:tab/><w:t>2</w:t><w:br/><w:t>3</w:t>')
  t.strictSame(editable.apply({ op: 'remove', id }), { op: 'set', id, text: '' })
  t.equal(paragraphs(editable).find(paragraph => paragraph.id === id)!.text, '')
})

t.test('paragraphs are added and removed', async t => {
  const editable = await openEditable('docx', original)
  const heading = idOf(editable, 'Figures')
  const count = paragraphs(editable).length
  editable.apply({ op: 'insert', id: 'new-1', after: heading, text: ' after a heading\u0000 ' })
  t.match(mainPart(editable.bytes()), '<w:p><w:r><w:t xml:space="preserve"> after a heading </w:t></w:r></w:p>')
  t.equal(editable.apply({ op: 'insert', id: 'new-1', after: heading, text: 'again' }), null, 'an id is used once')
  t.strictSame(editable.apply({ op: 'remove', id: heading }), { op: 'remove', id: heading })
  t.equal(editable.apply({ op: 'set', id: heading, text: 'gone' }), null)
  const reopened = paragraphs(await openEditable('docx', editable.bytes()))
  t.equal(reopened.length, count)
  t.notOk(reopened.some(({ text }) => text === 'Figures'))
})

t.test('an edit without a change leaves the file unchanged', async t => {
  const editable = await openEditable('docx', original)
  const [first] = paragraphs(editable)
  t.equal(editable.apply({ op: 'set', id: first!.id, text: first!.text }), null)
  t.equal(editable.apply({ op: 'set', id: 'nowhere', text: 'x' }), null)
  t.equal(editable.bytes(), original)
})

t.test('text replaces the whole document, one paragraph per line', async t => {
  const editable = await openEditable('docx', original)
  t.equal(editable.replaceText('Title\n\nThird'), true)
  t.equal(editable.replaceText('Title\n\nThird\n'), false)
  const reopened = await openEditable('docx', editable.bytes())
  t.strictSame(paragraphs(reopened).map(({ text, level }) => [text, level]), [['Title', 1], ['', undefined], ['Third', 2]])
  t.match(mainPart(editable.bytes()), '<w:sectPr')
})

t.test('a paragraph that contains a field is not edited', async t => {
  const { zipSync, strToU8 } = await import('fflate')
  const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
  const xml =
    `<w:document xmlns:w="${word}"><w:body><w:p><w:r><w:t>Page </w:t></w:r><w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p><w:p/></w:body></w:document>`
  const editable = await openEditable('docx', zipSync({ 'word/document.xml': strToU8(xml) }))
  const [field, empty] = paragraphs(editable)
  t.match(field, { text: 'Page 1', editable: false })
  t.equal(editable.apply({ op: 'set', id: field!.id, text: 'Page 2' }), null)
  t.equal(editable.apply({ op: 'remove', id: field!.id }), null)
  t.ok(editable.apply({ op: 'set', id: empty!.id, text: 'written' }))
  t.match(mainPart(editable.bytes()), '<w:p><w:r><w:t>written</w:t></w:r></w:p>')
})

t.test('PNG, JPEG and GIF pictures are appended in a form that opens again; nothing else is taken for a picture', async t => {
  const editable = openEditable('docx', original)
  const [png, jpg, gif] = await Promise.all(
    ['png', 'jpg', 'gif'].map(async type => await imageOf({ width: 700, height: 30, content: '' }, 700, 30, type))
  )
  for (const picture of [png, jpg, gif]) editable.appendImage!(picture!)
  for (const bytes of [Buffer.from(''), Buffer.from('<svg/>'), Buffer.from([0xff, 0xd8]), png!.subarray(0, 20)]) {
    t.throws(() => editable.appendImage!(bytes), { message: 'The file is no PNG, JPEG or GIF image' })
  }
  const bytes = editable.bytes()
  const parts = unzipSync(bytes)
  t.strictSame(Object.keys(parts).filter(name => name.startsWith('word/media/')), [
    'word/media/inserted1.png',
    'word/media/inserted2.jpeg',
    'word/media/inserted3.gif'
  ])
  t.match(mainPart(bytes), `cx="${600 * 9525}" cy="${26 * 9525}"`, 'not wider than a page')
  const again = openEditable('docx', bytes)
  t.strictSame(
    paragraphs(again).slice(-3).map(({ text, editable, images }) => ({ text, editable, images })),
    Array.from({ length: 3 }, () => ({ text: '', editable: false, images: 1 }))
  )
  again.appendImage!(png!)
  const relations = Buffer.from(unzipSync(again.bytes())['word/_rels/document.xml.rels']!).toString()
  const ids = Array.from(relations.matchAll(/Id="([^"]+)"/g), ([, id]) => id)
  t.equal(new Set(ids).size, ids.length, 'every relation has an id of its own')
})
