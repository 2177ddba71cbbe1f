import { strToU8, unzipSync, zipSync } from 'fflate'
import { joinBackward } from 'prosemirror-commands'
import { TextSelection } from 'prosemirror-state'
import t from 'tap'
import { schema } from '../../lib/text/schema.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'
import { docOf, openText, seen, type Writer } from './prose.js'

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const original = fixture('report.docx')
const mainPart = (bytes: Uint8Array) => Buffer.from(unzipSync(bytes)['word/document.xml']!).toString()
const run = (text: string, properties = '') => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`

const colored = (color: string) => `<w:rPr><w:color w:val="${color}"/></w:rPr>`
const STYLES = `<w:styles xmlns:w="${WORD}"><w:docDefaults><w:rPrDefault>${colored('333333')}</w:rPrDefault></w:docDefaults>
<w:style w:type="character" w:default="1" w:styleId="DefaultFont">${colored('FF0000')}</w:style>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal">${colored('404040')}</w:style>
<w:style w:type="character" w:styleId="Strong"><w:rPr><w:b/><w:color w:val="C00000"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Loud"><w:basedOn w:val="Strong"/><w:rPr><w:u w:val="single"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>${colored('1F2A44')}</w:style>
<w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Aufz"><w:name w:val="List"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`
const LINKS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r7" Type="${RELATIONSHIPS}/hyperlink" Target="https://example.org/?a=1&amp;b=2" TargetMode="External"/></Relationships>`
const NUMBERING = `<w:numbering xmlns:w="${WORD}"><w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="3"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="4"/></w:num></w:numbering>`

/** A document with this body. */
function bodyOf (...blocks: string[]): Writer {
  const xml = `<w:document xmlns:w="${WORD}" xmlns:r="${RELATIONSHIPS}"><w:body>${blocks.join('')}<w:sectPr/></w:body></w:document>`
  return openText('docx', zipSync({
    'word/document.xml': strToU8(xml),
    'word/styles.xml': strToU8(STYLES),
    'word/numbering.xml': strToU8(NUMBERING),
    'word/_rels/document.xml.rels': strToU8(LINKS)
  }))
}

/** The body after the edits. */
function bodyAfter ({ editable }: Writer): string {
  return /<w:body>(.*)<w:sectPr\/><\/w:body>/.exec(mainPart(editable.bytes()))?.[1] ?? ''
}

t.test('a .docx opens with its headings, tables, lists, formats and links', async t => {
  const { editable, state } = openText('docx', original)
  t.match(editable.view(), { kind: 'prose', version: 0, plain: false, levels: { 1: null, 2: null } })
  const [title, text, , table] = state.doc.children
  t.match(title!.attrs, { level: 1, list: null })
  t.match(text!.textContent, /^Zażółć gęślą jaźń.*日本語, العربية, emoji 🚀\..* a link\.$/)
  t.match(seen(state.doc)[1], /b\[b\]o\[b\]l\[b\]d\[b\], i\[i\]/)
  const linked = text!.children.find(({ marks }) => marks.some(({ type }) => type.name === 'link'))
  t.match(linked!.marks.find(({ type }) => type.name === 'link')!.attrs.href, /^https?:/)
  t.equal(table!.type.name, 'table')
  t.strictSame([table!.childCount, table!.child(1).child(2).textContent], [4, '48,160.00'])
  t.match(state.doc.lastChild!.attrs, { list: 'number', depth: 0 })
})

t.test('an edit changes its own paragraph only: formatting, links and all other parts stay', async t => {
  const writer = openText('docx', original)
  const at = writer.at('bold')
  writer.edit(tr => tr.insertText(' & <strong> 𝒳', at + 4))
  const bytes = writer.editable.bytes()
  const [before, after] = [unzipSync(original), unzipSync(bytes)]
  t.strictSame(Object.keys(after), Object.keys(before), 'parts in their order')
  for (const part of Object.keys(before).filter(name => name !== 'word/document.xml')) t.strictSame(after[part], before[part], part)
  t.match(mainPart(bytes), '<w:rPr><w:b/></w:rPr><w:t>bold &amp; &lt;strong&gt; 𝒳</w:t>')
  t.match(mainPart(bytes), /<w:hyperlink r:id="rId2"><w:r><w:rPr><w:rStyle w:val="InternetLink"\/><\/w:rPr><w:t>link<\/w:t>/)
  const paragraphs = (xml: string) => xml.replaceAll('<w:rPr></w:rPr>', '<w:rPr/>').replaceAll('<w:trPr></w:trPr>', '<w:trPr/>').split('</w:p>')
  const [old, now] = [paragraphs(mainPart(original)), paragraphs(mainPart(bytes))]
  t.strictSame(now.filter(text => !old.includes(text)).length, 1, 'one paragraph differs')
  t.equal(now.length, old.length)
  t.strictSame(seen(docOf(openEditable('docx', bytes))), seen(writer.state.doc))
})

t.test('an edit without a change leaves the file unchanged', async t => {
  const writer = openText('docx', original)
  writer.edit(tr => tr.insertText('x', 1))
  writer.edit(tr => tr.delete(1, 2))
  t.equal(writer.editable.bytes(), original)
})

t.test('formats come from the run and from styles, and are set as the run needs it', async t => {
  const formats = ['<w:b/>', '<w:b w:val="0"/>', '<w:i w:val="true"/>', '<w:u w:val="single"/>', '<w:u w:val="none"/>', '<w:strike/>', '<w:rStyle w:val="Loud"/>',
    '<w:rStyle w:val="Loud"/><w:b w:val="false"/>']
  const writer = bodyOf(`<w:p>${formats.map(properties => run('x', `<w:rPr>${properties}</w:rPr>`)).join('')}</w:p>`)
  t.strictSame(seen(writer.state.doc), ['|x[b]xx[i]x[u]xx[s]x[bu]x[u]'])
  writer.edit(tr => tr.removeMark(7, 8, schema.marks.bold).addMark(8, 9, schema.marks.bold!.create()).addMark(5, 6, schema.marks.italic!.create()))
  t.strictSame(seen(docOf(openEditable('docx', writer.editable.bytes()))), ['|x[b]xx[i]x[u]x[i]x[s]x[u]x[bu]'])
  t.match(bodyAfter(writer), '<w:rStyle w:val="Loud"/><w:b w:val="0"/></w:rPr><w:t>x</w:t>')
})

t.test('properties are written in the order that Word requires', async t => {
  const look = '<w:rPr><w:rFonts/><w:caps/><w:color w:val="00FF00"/><w:sz w:val="40"/><w:lang/></w:rPr>'
  const writer = bodyOf(`<w:p><w:pPr><w:pStyle w:val="X"/><w:keepNext/><w:spacing/></w:pPr>${run('x', look)}</w:p>`)
  writer.edit(tr => {
    for (const name of ['underline', 'strike', 'italic', 'bold']) tr.addMark(1, 2, schema.mark(name))
    return tr
  })
  t.match(bodyAfter(writer), '<w:rPr><w:rFonts/><w:b/><w:i/><w:caps/><w:strike/><w:color w:val="00FF00"/><w:sz w:val="40"/><w:u w:val="single"/><w:lang/></w:rPr>')
})

t.test('what is typed into a suggested paragraph is no suggestion', async t => {
  const writer = bodyOf('<w:p><w:pPr><w:rPr><w:ins w:id="1"/><w:sz w:val="40"/></w:rPr></w:pPr></w:p>')
  writer.edit(tr => tr.insertText('x', 1))
  t.match(bodyAfter(writer), '</w:pPr><w:r><w:rPr><w:sz w:val="40"/></w:rPr><w:t>x</w:t></w:r></w:p>')
})

t.test('the look of a run stays with its text; new text in an empty paragraph has that of its end', async t => {
  const green = '<w:rPr><w:color w:val="00FF00"/><w:sz w:val="40"/></w:rPr>'
  const writer = bodyOf(`<w:p>${run('green', green)}${run(' plain')}</w:p>`, `<w:p><w:pPr>${green}</w:pPr></w:p>`)
  t.match(writer.state.doc.child(0).firstChild!.marks[0]!.attrs.css, 'color: #00FF00; font-size: 20pt')
  writer.edit(tr => tr.insertText('er', writer.at('green') + 5))
  writer.edit(tr => tr.insertText('new', tr.doc.content.size - 1))
  t.equal(bodyAfter(writer), `<w:p>${run('greener', green).replace(' xml:space="preserve"', '')}${run(' plain')}</w:p>` +
    `<w:p><w:pPr>${green}</w:pPr><w:r>${green}<w:t>new</w:t></w:r></w:p>`)
})

t.test('text has the colour of its run, or else by the styles; cells have their shading; all of it stays in the file', async t => {
  const styled = (style: string, text: string) => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`
  const looks = ['<w:rStyle w:val="Loud"/>', '<w:rStyle w:val="Loud"/><w:color w:val="000000"/>', '<w:color w:val="auto"/>', '<w:sz w:val="40"/>']
  const runs = looks.map((look, index) => run(`run ${index}`, `<w:rPr>${look}</w:rPr>`)).join('')
  const cell = (text: string, shading: string) => `<w:tc><w:tcPr>${shading}</w:tcPr><w:p>${run(text)}</w:p></w:tc>`
  const fills = ['<w:shd w:val="clear" w:color="auto" w:fill="F1E4D3"/>', '<w:shd w:val="clear" w:fill="auto"/>', '<w:vAlign/>']
  const table = `<w:tbl><w:tr>${fills.map((fill, index) => cell(`cell ${index}`, fill)).join('')}</w:tr></w:tbl>`
  const texts = styled('berschrift1', 'Heading') + styled('Sub', 'part') + styled('Aufz', 'item') + styled('Unknown', 'other')
  const body = `${texts}<w:p>${runs}</w:p>${table}`
  const writer = bodyOf(body)
  const { doc } = writer.state
  t.strictSame(
    [doc, ...doc.children.slice(0, 5)].map(({ attrs }) => attrs.color),
    ['#404040', '#1F2A44', '#1F2A44', '#333333', '#404040', '#404040']
  )
  t.strictSame(
    doc.child(4).children.map(({ marks }) => marks.find(({ type }) => type.name === 'look')!.attrs.css),
    ['color: #C00000', 'color: #000000', 'color: CanvasText', 'font-size: 20pt']
  )
  t.strictSame(doc.child(5).firstChild!.children.map(({ attrs }) => attrs.fill), ['#F1E4D3', null, null])
  for (const text of ['Heading', 'cell 0']) writer.edit(tr => tr.insertText('+', writer.at(text) + text.length))
  t.equal(bodyAfter(writer), body.replace(/ xml:space="preserve">(Heading|cell 0)</g, '>$1+<'))
})

t.test('headings and lists are recognised by the English names of styles, and can be made where the file has them', async t => {
  const styled = (style: string) => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run('x')}</w:p>`
  const writer = bodyOf(styled('berschrift1'), styled('Aufz'), `<w:p>${run('plain')}</w:p>`)
  t.match(writer.editable.view(), { levels: { 1: '#1F2A44' } })
  t.strictSame(seen(writer.state.doc), ['1|x', 'bullet|x', '|plain'])
  writer.edit(tr => tr.setNodeAttribute(writer.at('plain') - 1, 'level', 1).setNodeAttribute(0, 'level', null))
  t.strictSame(seen(docOf(openEditable('docx', writer.editable.bytes()))), ['|x', 'bullet|x', '1|plain'])
  t.match(bodyAfter(writer), '<w:pStyle w:val="berschrift1"/></w:pPr>')
})

t.test('what the editor does not know stays where it is, and goes only if it is deleted', async t => {
  const field = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
  const tracked = '<w:del w:id="5"><w:r><w:delText>gone</w:delText></w:r></w:del>'
  const writer = bodyOf(`<w:p>${run('Page ')}${field}${run(' of ')}${tracked}${run('all')}</w:p>`)
  t.match(writer.state.doc.firstChild!.children.map(({ text, attrs }) => text ?? attrs.text), ['Page ', '7', ' of ', 'gone', 'all'])
  writer.edit(tr => tr.insertText('Seite', 1, 5))
  t.equal(bodyAfter(writer), `<w:p>${run('Seite ')}${field}${run(' of ')}${tracked}${run('all').replace(' xml:space="preserve"', '')}</w:p>`)
  writer.edit(tr => tr.delete(writer.at('Seite') + 6, writer.at('Seite') + 7))
  t.notMatch(bodyAfter(writer), 'fldChar')
})

t.test('bookmarks stay in an edited paragraph', async t => {
  const bookmark = '<w:bookmarkStart w:id="1" w:name="b"/>'
  const writer = bodyOf(`<w:p>${run('one')}${bookmark}${run('two')}<w:bookmarkEnd w:id="1"/></w:p>`)
  writer.edit(tr => tr.insertText('!', writer.at('two')))
  t.equal(bodyAfter(writer), `<w:p>${bookmark}<w:bookmarkEnd w:id="1"/><w:r><w:t>one!two</w:t></w:r></w:p>`)
})

t.test('merged cells and content controls are edited inside, a table of contents is shown', async t => {
  const cell = (text: string, properties = '') => `<w:tc>${properties === '' ? '' : `<w:tcPr>${properties}</w:tcPr>`}${text === '' ? '<w:p/>' : `<w:p>${run(text)}</w:p>`}</w:tc>`
  const table = `<w:tbl><w:tr>${cell('a', '<w:vMerge w:val="restart"/>')}${cell('b', '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('c')}${cell('d')}</w:tr></w:tbl>`
  const control = (properties: string, text: string) => `<w:sdt><w:sdtPr><w:id/>${properties}</w:sdtPr><w:sdtContent><w:p>${run(text)}</w:p></w:sdtContent></w:sdt>`
  const writer = bodyOf(table, control('<w:docPartObj/>', 'Contents'), control('', 'inside'), '<w:p/>')
  const [shown, contents, section] = writer.state.doc.children
  t.match(shown!.children.map(row => row.children.map(({ attrs, textContent }) => [textContent, attrs.colspan, attrs.rowspan])), [[['a', 1, 2], ['b', 2, 1]], [['c', 1, 1], ['d', 1, 1]]])
  t.match([contents!.type.name, contents!.attrs.text, section!.type.name], ['kept_block', 'Contents', 'section'])
  writer.edit(tr => tr.insertText('!', writer.at('d') + 1))
  writer.edit(tr => tr.split(writer.at('inside') + 2))
  t.equal(bodyAfter(writer), table.replace('>d<', '>d!<').replace(' xml:space="preserve">d!', '>d!') + control('<w:docPartObj/>', 'Contents') +
    control('', 'in').replace('</w:sdtContent>', `<w:p>${run('side')}</w:p></w:sdtContent>`).replaceAll(/ xml:space="preserve">(in|side)/g, '>$1') + '<w:p/>')
})

t.test('the end of a section stays when its paragraph is deleted, and is not copied when it is split', async t => {
  const section = '<w:pPr><w:jc w:val="center"/><w:sectPr><w:type w:val="nextPage"/></w:sectPr></w:pPr>'
  const writer = bodyOf(`<w:p>${section}${run('first')}</w:p>`, `<w:p>${run('second')}</w:p>`)
  writer.edit(tr => tr.split(3))
  t.equal(bodyAfter(writer).match(/sectPr>/g)!.length, 2, 'once, with its end tag')
  t.match(bodyAfter(writer), /<w:p><w:pPr><w:jc w:val="center"\/><\/w:pPr><w:r><w:t>rst</)
  writer.edit(tr => tr.delete(0, tr.doc.child(0).nodeSize + tr.doc.child(1).nodeSize))
  t.match(bodyAfter(writer), `<w:p>${section}</w:p><w:p>`)
})

t.test('text replaces the whole document, one paragraph per line', async t => {
  const { editable } = openText('docx', original)
  t.match(editable.replaceText('Title\n\nThird'), { op: 'steps', version: 0, client: '' })
  t.equal(editable.replaceText('Title\n\nThird\n'), false)
  t.strictSame(seen(docOf(openEditable('docx', editable.bytes()))), ['1|Title', '|', '2|Third'])
  t.match(mainPart(editable.bytes()), '<w:sectPr')
})

t.test('characters that XML cannot contain are not written', async t => {
  const writer = bodyOf('<w:p/>')
  writer.edit(tr => tr.insertText(' \u0000a\uFFFE\u001F\t\u2011b ', 1))
  t.equal(bodyAfter(writer), '<w:p><w:r><w:t xml:space="preserve"> a</w:t><w:tab/><w:noBreakHyphen/><w:t xml:space="preserve">b </w:t></w:r></w:p>')
})

t.test('steps that do not fit, or that make what a text cannot contain, change nothing', async t => {
  const { editable } = openText('docx', original)
  const insert = (node: object) => ({ stepType: 'replace', from: 1, to: 1, slice: { content: [node] } })
  for (const step of [
    {}, { stepType: 'x' }, { stepType: 'replace', from: 'a', to: 1 }, { stepType: 'replace', from: 1e9, to: 1e9 }, { stepType: 'replace', from: 0, to: 5 },
    insert({ type: 'x' }), insert({ type: 'text', text: '' }), insert({ type: 'slide' }),
    insert({ type: 'text', text: 'x', marks: [{ type: 'link', attrs: { href: 'javascript:alert(1)' } }] }),
    insert({ type: 'text', text: 'x', marks: [{ type: 'look', attrs: { ref: 'a', css: 'background: url(//x)' } }] }),
    insert({ type: 'image', attrs: { src: 'https://example.org/x.png' } }),
    { stepType: 'addMark', from: 1, to: 3, mark: { type: 'link', attrs: { href: 'javascript:alert(1)' } } },
    { stepType: 'attr', pos: 0, attr: 'align', value: 'x; background: red' },
    { stepType: 'attr', pos: 0, attr: 'constructor', value: 1 }
  ]) t.equal(editable.apply({ op: 'steps', version: 0, client: 'a', steps: [step] }), null, JSON.stringify(step))
  t.equal(editable.bytes(), original)
  t.equal(editable.apply({ op: 'steps', version: 1, client: 'a', steps: [insert({ type: 'text', text: 'x' })] }), null, 'a version to come')
  t.equal(editable.apply({ op: 'steps', version: -1, client: 'a', steps: [insert({ type: 'text', text: 'x' })] }), null)
})

t.test('steps are judged by what they make: those of a page whose slice is incomplete fit, too deep ones do not', async t => {
  const writer = bodyOf(`<w:sdt><w:sdtContent><w:p>${run('one')}</w:p><w:p>${run('two')}</w:p></w:sdtContent></w:sdt>`)
  writer.state = writer.state.apply(writer.state.tr.setSelection(TextSelection.create(writer.state.doc, 2)))
  t.ok(joinBackward(writer.state, transaction => t.ok(writer.edit(() => transaction), 'lifted out of the content control')))
  const wrap = { stepType: 'replaceAround', from: 0, to: 5, gapFrom: 0, gapTo: 5, insert: 1, slice: { content: [{ type: 'section' }] } }
  const { editable } = bodyOf(`<w:p>${run('one')}</w:p>`)
  for (let depth = 0; depth < 100; depth++) {
    const step = { ...wrap, to: 5 + 2 * depth, gapTo: 5 + 2 * depth }
    t.equal(editable.apply({ op: 'steps', version: Math.min(depth, 64), client: 'a', steps: [step] }) === null, depth >= 64)
  }
  const [wrong, other] = [{ ...wrap, slice: { content: [{ type: 'section', attrs: { fill: 'x' } }] } }, { stepType: 'attr', pos: 0, attr: 'fill', value: 'x' }]
  for (const step of [wrong, other]) {
    t.equal(editable.apply({ op: 'steps', version: 64, client: 'a', steps: [step] }), null)
  }
})

t.test('a page gets the steps that it missed; its own that had arrived are not applied again', async t => {
  const { editable } = openText('docx', original)
  const { epoch } = editable.view() as { readonly epoch: string }
  const typed = (text: string) => ({ stepType: 'replace', from: 1, to: 1, slice: { content: [{ type: 'text', text }] } })
  t.ok(editable.apply({ op: 'steps', version: 0, client: 'a', steps: [typed('1')] }))
  t.ok(editable.apply({ op: 'steps', version: 0, client: 'a', steps: [typed('1'), typed('2')] }), 'the first is there already')
  t.equal(editable.apply({ op: 'steps', version: 0, client: 'b', steps: [typed('3')] }), null, 'b has to see them first')
  t.match(docOf(editable).textContent, /^21Quarterly/)
  t.match(editable.view({ epoch, version: 1 }), { version: 2, missed: { clients: ['a'], steps: { length: 1 } } })
  t.equal((editable.view({ epoch: 'x', version: 1 }) as { missed?: object }).missed, undefined)
  t.equal((editable.view({ epoch, version: 4 }) as { missed?: object }).missed, undefined)
})

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const GIF = Buffer.from('R0lGODlhvAIeAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64')
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b08001e02bc01011100ffd9', 'hex')

t.test('PNG, JPEG and GIF pictures are appended in a form that opens again; nothing else is taken for a picture', async t => {
  const { editable } = openText('docx', original)
  for (const bytes of [PNG, JPEG, GIF]) t.match(editable.appendImage!(bytes), { op: 'steps' })
  for (const bytes of [Buffer.from(''), Buffer.from('<svg/>'), Buffer.from([0xff, 0xd8]), PNG.subarray(0, 20)]) {
    t.throws(() => editable.appendImage!(bytes), { message: 'The file is no PNG, JPEG or GIF image' })
  }
  const bytes = editable.bytes()
  t.strictSame(Object.keys(unzipSync(bytes)).filter(name => name.startsWith('word/media/')), [
    'word/media/inserted1.png', 'word/media/inserted2.jpeg', 'word/media/inserted3.gif'
  ])
  t.match(mainPart(bytes), `cx="${600 * 9525}" cy="${26 * 9525}"`, 'not wider than a page')
  const again = openEditable('docx', bytes)
  t.match(docOf(again).children.slice(-3).map(({ firstChild }) => firstChild?.attrs), [
    { width: 1, height: 1, src: `data:image/png;base64,${PNG.toString('base64')}` }, { width: 600, height: 26, src: /^data:image\/jpeg/ }, { width: 600, height: 26 }
  ])
  again.appendImage!(PNG)
  const relations = Buffer.from(unzipSync(again.bytes())['word/_rels/document.xml.rels']!).toString()
  const ids = Array.from(relations.matchAll(/Id="([^"]+)"/g), ([, id]) => id)
  t.equal(new Set(ids).size, ids.length, 'every relation has an id of its own')
})
