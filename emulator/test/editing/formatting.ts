import { strToU8, unzipSync, zipSync } from 'fflate'
import t from 'tap'
import { openEditable } from '../../lib/documents/open.js'
import { type Editable, isOperation, type Paragraph } from '../../lib/documents/types.js'

function paragraphs (editable: Editable): readonly Paragraph[] {
  const view = editable.view()
  return view.kind === 'paragraphs' ? view.paragraphs : []
}

const mainPart = (bytes: Uint8Array) => Buffer.from(unzipSync(bytes)['word/document.xml']!).toString()

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const STYLES = `<w:styles xmlns:w="${WORD}"><w:style w:type="character" w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Loud"><w:basedOn w:val="Strong"/><w:rPr><w:u w:val="single"/></w:rPr></w:style></w:styles>`
const LINKS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r7" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.org/?a=1&amp;b=2" TargetMode="External"/></Relationships>'

/** A document of these paragraphs; what stands in `[]` is bold and green, in `()` a link. */
function documentOf (...texts: string[]): Editable {
  const run = (text: string, properties = '') => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`
  const part = (text: string) => {
    if (text.startsWith('[')) return run(text.slice(1, -1), '<w:rPr><w:color w:val="00FF00"/><w:b/></w:rPr>')
    return text.startsWith('(') ? `<w:hyperlink r:id="r7">${run(text.slice(1, -1))}</w:hyperlink>` : run(text)
  }
  const body = texts.map(text =>
    text.startsWith('<') ? text : `<w:p>${text.split(/(\[.*?\]|\(.*?\))/).filter(Boolean).map(part).join('')}</w:p>`
  ).join('')
  const xml =
    `<w:document xmlns:w="${WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>${body}<w:p/></w:body></w:document>`
  return openEditable(
    'docx',
    zipSync({
      'word/document.xml': strToU8(xml),
      'word/styles.xml': strToU8(STYLES),
      'word/_rels/document.xml.rels': strToU8(LINKS)
    })
  )
}

/** A paragraph with its bold parts in `[]` and its links in `()`. */
function lookOf (editable: Editable, id: string): string {
  const { text, marks = [] } = paragraphs(editable).find(paragraph => paragraph.id === id)!
  let look = ''
  let at = 0
  for (const { from, to, link } of marks) {
    look += text.slice(at, from) + (link === undefined ? `[${text.slice(from, to)}]` : `(${text.slice(from, to)})`)
    at = to
  }
  return look + text.slice(at)
}

t.test('bold, italic, underlined and struck text and links are shown, including those from character styles', async t => {
  const run = (properties: string) => `<w:r><w:rPr>${properties}</w:rPr><w:t>x</w:t></w:r>`
  const editable = documentOf(`<w:p>${['<w:b/>', '<w:b w:val="0"/>', '<w:i w:val="true"/>', '<w:u w:val="single"/>', '<w:u w:val="none"/>', '<w:strike/>',
    '<w:rStyle w:val="Loud"/>', '<w:rStyle w:val="Loud"/><w:b w:val="false"/>'].map(run).join('')}<w:hyperlink w:anchor="there">${run('')}</w:hyperlink></w:p>`, 'a (link)')
  t.strictSame(paragraphs(editable)[0]!.marks, [
    { from: 0, to: 1, bold: true },
    { from: 2, to: 3, italic: true },
    { from: 3, to: 4, underline: true },
    { from: 5, to: 6, strike: true },
    { from: 6, to: 7, bold: true, underline: true },
    { from: 7, to: 8, underline: true },
    { from: 8, to: 9, link: '#there' }
  ])
  t.strictSame(paragraphs(editable)[1]!.marks, [{ from: 2, to: 6, link: 'https://example.org/?a=1&b=2' }])
})

t.test('typed text takes the formatting of the text before it, or of the text it replaces; text typed next to a link is not part of the link', async t => {
  for (const [before, text, after] of [
    ['one [bold] two', 'one bolder two', 'one [bolder] two'],
    ['one [bold] two', 'one, bold two', 'one, [bold] two'],
    ['one [bold] two', 'one thin two', 'one [thin] two'],
    ['[bold] two', 'so bold two', '[so bold] two'],
    ['one [bold] two [bold too]', 'ONE bolder two bold to', 'ONE [bolder] two [bold to]'],
    ['a (link) here', 'a new link here', 'a new (link) here'],
    ['a (link) here', 'a links here', 'a (link)s here'],
    ['a (link) here', 'a blink here', 'a b(link) here'],
    ['a (link)', 'a link of mine', 'a (link) of mine'],
    ['(link)', 'link.', '(link).'],
    ['(link)', 'a link', 'a (link)'],
    ['a (link) here', 'a lion here', 'a (lion) here'],
    ['a (link) here', 'a page here', 'a (page) here'],
    ['a (link)[bold]', 'abold', 'a[bold]']
  ] as const) {
    const editable = documentOf(before)
    editable.apply({ op: 'set', id: 'p1', text })
    t.equal(lookOf(editable, 'p1'), after, `${before} -> ${text}`)
    t.equal(paragraphs(openEditable('docx', editable.bytes()))[0]!.text, text)
  }
})

t.test('a paragraph that is split, joined, or removed and restored keeps its formatting, including colours', async t => {
  const editable = documentOf('one [bold] (link) two', 'three [four]')
  t.match(editable.apply({ op: 'insert', id: 'n1', after: 'p1', text: 'ld link two', splits: 'p1' }), {
    after: 'p1',
    marks: [{ bold: true }, { link: /example/ }]
  })
  editable.apply({ op: 'set', id: 'p1', text: 'one bo' })
  t.strictSame(['p1', 'n1'].map(id => lookOf(editable, id)), ['one [bo]', '[ld] (link) two'])
  t.equal(mainPart(editable.bytes()).split('00FF00').length - 1, 3)

  editable.apply({ op: 'set', id: 'n1', text: 'ld link twothree four', joins: 'p2' })
  editable.apply({ op: 'remove', id: 'p2' })
  t.equal(lookOf(editable, 'n1'), '[ld] (link) twothree [four]')
  t.match(editable.apply({ op: 'insert', id: 'p2', after: 'n1', text: 'three four' }), { op: 'insert', id: 'p2', marks: [{ from: 6, to: 10, bold: true }] })
  t.equal(mainPart(editable.bytes()).split('00FF00').length - 1, 4, 'unchanged')
})

t.test('a part of the text is made bold and not bold again at the position to which other edits have moved it', async t => {
  const editable = documentOf('one two three')
  editable.apply({ op: 'set', id: 'p1', text: 'so: one two three' })
  t.strictSame(editable.apply({ op: 'format', id: 'p1', base: 'one two three', from: 4, to: 7, format: 'bold', value: true }),
    { op: 'set', id: 'p1', text: 'so: one two three', marks: [{ from: 8, to: 11, bold: true }] })
  t.match(mainPart(editable.bytes()), '<w:r><w:rPr><w:b/></w:rPr><w:t>two</w:t></w:r>')
  t.equal(editable.apply({ op: 'format', id: 'p1', base: 'so: one two three', from: 8, to: 11, format: 'bold', value: true }), null, 'it is already')
  editable.apply({ op: 'format', id: 'p1', base: 'so: one two three', from: 9, to: 17, format: 'bold', value: false })
  t.equal(lookOf(editable, 'p1'), 'so: one [t]wo three')
})

t.test('restored text keeps its formatting, and its links to targets that the document has', async t => {
  const editable = documentOf('one [bold] (link) two')
  const before = lookOf(editable, 'p1')
  const marks = paragraphs(editable)[0]!.marks!
  editable.apply({ op: 'set', id: 'p1', text: 'one  two' })
  editable.apply({ op: 'set', id: 'p1', text: 'one bold link two', marks })
  t.equal(lookOf(editable, 'p1'), before)
  t.match(mainPart(editable.bytes()), /<w:hyperlink r:id="r7"><w:r>.*?<w:t>link<\/w:t><\/w:r><\/w:hyperlink>/)
  editable.apply({ op: 'set', id: 'p1', text: 'one bold link two away', marks: [{ from: 17, to: 22, link: 'javascript:alert(1)' }] })
  t.equal(lookOf(editable, 'p1'), `${before} away`, 'no other address can be brought in')
})

t.test('operations from a page are validated before they are applied', async t => {
  for (const operation of [
    { op: 'set', id: 'p1', text: 'x', marks: [{ from: 0, to: 1, link: 'x' }], joins: 'p2' },
    { op: 'insert', id: 'n', after: 'p1', text: '', splits: 'p1' },
    { op: 'format', id: 'p1', base: '', from: 0, to: 1, format: 'italic', value: false }
  ]) t.ok(isOperation(operation), JSON.stringify(operation))
  for (const operation of [
    { op: 'set', id: 'p1', text: 'x', marks: [{ from: 1, to: 1 }] },
    { op: 'set', id: 'p1', text: 'x', marks: [{ from: 0, to: 1, link: 1 }] },
    { op: 'set', id: 'p1', text: 'x', marks: 'bold' },
    { op: 'set', id: 'p1', text: 'x', joins: 1 },
    { op: 'insert', id: 'n', after: 'p1', text: '', splits: null },
    { op: 'format', id: 'p1', base: '', from: 0, to: 1, format: 'huge', value: true },
    { op: 'format', id: 'p1', base: '', from: -1, to: 1, format: 'bold', value: true },
    { op: 'format', id: 'p1', base: '', from: 0, to: 1, format: 'bold', value: 'yes' }
  ]) t.notOk(isOperation(operation), JSON.stringify(operation))
})
