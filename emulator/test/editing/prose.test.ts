import { strToU8, unzipSync, zipSync } from 'fflate'
import { lift } from 'prosemirror-commands'
import { AllSelection, EditorState, TextSelection, type Transaction } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import t from 'tap'
import { blankDocument } from '../../../lib/blank/blank-document.js'
import { schema } from '../../lib/text/schema.js'
import { tables } from '../../lib/page/browser/text/tables.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'
import { docOf, openText, randomEdit, seen } from './prose.js'
import { randomNumbers } from './pages.js'

for (const name of ['report.docx', 'report.odt', 'deck.odp', 'deck.pptx', 'notes.txt']) {
  t.test(`${name}: after 200 random edits the file shows what the editor shows`, async t => {
    const fileType = name.split('.').at(-1)!
    for (const seed of [1, 2, 3]) {
      const writer = openText(fileType, fixture(name))
      const below = randomNumbers(seed)
      for (let edits = 0; edits < 200; edits++) writer.edit(() => randomEdit(writer.state, below, fileType === 'txt'))
      t.strictSame(seen(docOf(openEditable(fileType, writer.editable.bytes()))), seen(writer.state.doc), `seed ${seed}`)
    }
  })
}

t.test('an edit of a slide changes this slide only', async t => {
  const original = fixture('deck.pptx')
  const writer = openText('pptx', original)
  t.match(seen(writer.state.doc), ['slide', '|Title slide', 'slide', '|Second slide'])
  writer.edit(tr => tr.insertText('!', writer.at('Second') + 6))
  writer.edit(tr => tr.addMark(writer.at('slide'), writer.at('slide') + 5, schema.marks.bold!.create()))
  const [before, after] = [unzipSync(original), unzipSync(writer.editable.bytes())]
  for (const [part, content] of Object.entries(before)) {
    if (!/slides\/slide[12].xml$/.test(part)) t.strictSame(after[part], content, part)
  }
  const slide = Buffer.from(after['ppt/slides/slide2.xml']!).toString()
  t.match(slide, /<a:rPr b="0" lang="en-US" sz="1800"[^>]*>.*<a:t>Second! slide<\/a:t>.*<a:endParaRPr/)
  t.match(Buffer.from(after['ppt/slides/slide1.xml']!).toString(), /b="1"[^>]*>.{1,200}<a:t>slide</)
})

for (const format of ['pptx', 'odp']) {
  t.test(`.${format}: the shapes of all slides stay, whatever is deleted`, async t => {
    const writer = openText(format, fixture(`deck.${format}`))
    const { doc } = writer.state
    const plugins = tables()
    const state = EditorState.create({ doc, plugins: [plugins] })
    const all = state.apply(state.tr.setSelection(new AllSelection(doc)))
    t.ok(plugins.props.handleTextInput!.call(plugins, { state: all, dispatch: (tr: Transaction) => writer.edit(() => tr) } as unknown as EditorView, 0, 0, 'new', () => all.tr))
    t.strictSame(writer.state.doc.textContent, 'new')
    t.strictSame(seen(docOf(openEditable(format, writer.editable.bytes()))), seen(writer.state.doc))
    t.equal(state.apply(state.tr.delete(0, doc.content.size)).doc, doc, 'a page refuses to remove them')
    t.equal(writer.edit(tr => tr.delete(0, tr.doc.content.size)), null, 'and so does the server')
    t.throws(() => writer.editable.replaceText('x'), TypeError)
    t.notOk(writer.editable.appendLines)
  })
}

t.test('a link that is copied to another slide is none there: it would need a relation', async t => {
  const parts = unzipSync(fixture('deck.pptx'))
  const linked = Buffer.from(parts['ppt/slides/slide2.xml']!).toString()
    .replace(/<a:rPr[^>]*>.*?<\/a:rPr>/, '<a:rPr xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><a:hlinkClick r:id="own"/></a:rPr>')
  const relations = Buffer.from(parts['ppt/slides/_rels/slide2.xml.rels']!).toString()
    .replace('</Relationships>', '<Relationship Id="own" Type="x" Target="https://example.org/" TargetMode="External"/></Relationships>')
  const writer = openText('pptx', zipSync({ ...parts, 'ppt/slides/slide2.xml': strToU8(linked), 'ppt/slides/_rels/slide2.xml.rels': strToU8(relations) }))
  const slice = writer.state.doc.slice(writer.at('Second'), writer.at('Second') + 6)
  writer.edit(tr => tr.replace(writer.at('Title'), writer.at('Title'), slice).insertText('!', tr.mapping.map(writer.at('Second') + 6)))
  const after = unzipSync(writer.editable.bytes())
  t.notMatch(Buffer.from(after['ppt/slides/slide1.xml']!).toString(), 'hlinkClick')
  t.match(Buffer.from(after['ppt/slides/slide2.xml']!).toString(), 'hlinkClick r:id="own"')
})

t.test('a presentation without slides is read-only', async t => {
  const empty = zipSync({ 'ppt/presentation.xml': strToU8('<p:presentation xmlns:p="p"/>') })
  t.match(openEditable('pptx', empty).view(), { kind: 'readonly', note: /no slides/ })
})

t.test('shapes in groups, and tables, are edited where they are; deleted text leaves an empty shape', async t => {
  const a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
  const text = (content: string) => `<p:sp><p:txBody><a:p><a:r><a:t>${content}</a:t></a:r></a:p></p:txBody></p:sp>`
  const table = '<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>'
  const tree = `<p:grpSpPr/><p:grpSp>${text('grouped')}</p:grpSp>${text('plain')}${table}`
  const deck = zipSync({
    'ppt/presentation.xml': strToU8(`<p:presentation ${a}><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`),
    'ppt/_rels/presentation.xml.rels': strToU8('<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>'),
    'ppt/slides/slide1.xml': strToU8(`<p:sld ${a}><p:cSld><p:spTree>${tree}</p:spTree></p:cSld></p:sld>`)
  })
  const writer = openText('pptx', deck)
  t.strictSame(seen(writer.state.doc), ['slide', '|grouped', '|plain', 'table_cell', '|cell'])
  for (const word of ['grouped', 'plain', 'cell']) writer.edit(tr => tr.insertText('!', writer.at(word) + word.length))
  const slide = () => /<p:spTree>(.*)<\/p:spTree>/.exec(Buffer.from(unzipSync(writer.editable.bytes())['ppt/slides/slide1.xml']!).toString())![1]!.replaceAll('<a:rPr/>', '')
  t.equal(slide(), tree.replaceAll('</a:t>', '!</a:t>'))
  writer.edit(tr => tr.delete(writer.at('plain!'), writer.at('plain!') + 6))
  t.equal(slide(), tree.replaceAll('</a:t>', '!</a:t>').replace('<a:r><a:t>plain!</a:t></a:r>', '').replace('<a:p></a:p>', '<a:p/>'))
})

const OPEN = 'urn:oasis:names:tc:opendocument:xmlns'
const openText2 = (body: string, styles = '') => openText('odt', zipSync({
  'content.xml': strToU8(`<office:document-content ${['office', 'text', 'style', 'table'].map(name => `xmlns:${name}="${OPEN}:${name}:1.0"`).join(' ')} xmlns:fo="${OPEN}:xsl-fo-compatible:1.0"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`)
}))
const contentOf = (writer: ReturnType<typeof openText>) => Buffer.from(unzipSync(writer.editable.bytes())['content.xml']!).toString()

t.test('.odt: spaces, headings, lists and styles', async t => {
  const bold = '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
  const writer = openText2('<text:h text:outline-level="2">Head</text:h><text:p> a  b<text:s text:c="3"/>c<text:tab/><text:span text:style-name="B">bold</text:span><text:bookmark/> end</text:p><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>', bold)
  t.strictSame(seen(writer.state.doc), ['2|Head', '|a b   c\tb[b]o[b]l[b]d[b] end', 'bullet|item'])
  writer.edit(tr => tr.addMark(writer.at('old'), writer.at('old') + 1, schema.marks.italic!.create()))
  writer.edit(tr => tr.split(writer.at('item') + 2))
  writer.edit(tr => tr.insertText('  ', writer.at('end')))
  const content = contentOf(writer)
  t.match(content, '<style:text-properties fo:font-weight="bold" fo:font-style="italic"/>')
  t.match(content, '<text:list><text:list-item><text:p>it</text:p></text:list-item><text:list-item><text:p>em</text:p></text:list-item></text:list>')
  t.match(content, /bookmark\/><text:s text:c="3"\/>end</)
  t.strictSame(seen(docOf(openEditable('odt', writer.editable.bytes()))), seen(writer.state.doc))
})

t.test('.odt: lists consist of items, in the order of the text', async t => {
  const item = (...content: string[]) => `<text:list-item>${content.map(text => `<text:p>${text}</text:p>`).join('')}</text:list-item>`
  const listOf = (writer: ReturnType<typeof openText>) => /<office:text>(.*)<\/office:text>/.exec(contentOf(writer))![1]!
  const nested = openText2(`<text:list><text:list-item><text:p>one</text:p><text:list>${item('a')}</text:list></text:list-item></text:list>`)
  nested.edit(tr => tr.split(nested.at('one') + 1))
  t.equal(listOf(nested), `<text:list>${item('o')}<text:list-item><text:p>ne</text:p><text:list>${item('a')}</text:list></text:list-item></text:list>`)

  const lifted = openText2(`<text:list xml:id="l1">${item('one')}${item('two', 'more')}${item('three')}</text:list>`)
  lifted.state = lifted.state.apply(lifted.state.tr.setSelection(TextSelection.create(lifted.state.doc, lifted.at('two'))))
  lift(lifted.state, transaction => lifted.edit(() => transaction))
  t.equal(listOf(lifted), `<text:list xml:id="l1">${item('one')}${item('two')}${item('more')}${item('three')}</text:list>`)
  lifted.state = lifted.state.apply(lifted.state.tr.setSelection(TextSelection.create(lifted.state.doc, lifted.at('two'))))
  lift(lifted.state, transaction => lifted.edit(() => transaction))
  t.equal(listOf(lifted), `<text:list xml:id="l1">${item('one')}</text:list><text:p>two</text:p><text:list>${item('more')}${item('three')}</text:list>`)

  const moved = openText2(`<text:list>${item('one')}</text:list>`)
  const [list] = moved.state.doc.children
  moved.edit(tr => tr.insert(0, list!.firstChild!).insert(tr.doc.content.size, list!).split(tr.doc.content.size - 4))
  t.equal(listOf(moved), `<text:p>one</text:p><text:list>${item('one')}</text:list><text:list>${item('on')}${item('e')}</text:list>`)
})

t.test('.odt: a table that is copied is written as one, in a list as its text; a row can be moved into another table', async t => {
  const row = (text: string) => `<table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row>`
  const columns = '<table:table-column table:number-columns-repeated="1"/>'
  const open = () => openText2(`<table:table>${row('one')}${row('two')}</table:table><text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>`)
  const writer = open()
  writer.edit(tr => tr.insert(tr.doc.content.size - 2, tr.doc.child(0)).insert(tr.doc.content.size, tr.doc.child(0)))
  t.match(contentOf(writer), `<office:text><table:table>${row('one')}${row('two')}</table:table><text:list><text:list-item><text:p>item</text:p></text:list-item>` +
    '<text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>' +
    `<table:table>${columns}${row('one')}${row('two')}</table:table></office:text>`)
  const moved = open()
  moved.edit(tr => {
    const [table] = tr.doc.children
    const other = schema.node('table', null, [table!.child(1)])
    return tr.delete(1 + table!.child(0).nodeSize, table!.nodeSize - 1).insert(0, other)
  })
  t.match(contentOf(moved), `<office:text><table:table>${columns}${row('two')}</table:table><table:table>${row('one')}</table:table>`)
})

t.test('.odt: repeated spaces are limited, whatever the count', async t => {
  t.equal(openText2('<text:p>a<text:s text:c="1000000000"/>b<text:s text:c="-1"/>c</text:p>').state.doc.textContent, `a${' '.repeat(1000)}b c`)
})

for (const format of ['docx', 'odt', 'pptx', 'odp', 'txt', 'md']) {
  t.test(`a new .${format} can be typed into`, async t => {
    const writer = openText(format, blankDocument(format))
    const [first] = seen(writer.state.doc).filter(line => line.includes('|'))
    t.ok(first, 'it has a paragraph')
    let at = 0
    writer.state.doc.descendants((node, place) => { if (node.isTextblock && at === 0) at = place + 1 })
    t.ok(writer.edit(tr => tr.insertText('Hello', at)))
    t.match(docOf(openEditable(format, writer.editable.bytes())).textContent, 'Hello')
  })
}
