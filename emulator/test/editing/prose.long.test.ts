import { strToU8, unzipSync, zipSync } from 'fflate'
import { AllSelection, EditorState, type Transaction } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import t from 'tap'
import { blankDocument } from '../../../lib/blank/blank-document.js'
import { schema } from '../../lib/text/schema.js'
import { tables } from '../../lib/page/browser/text/tables.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'
import { docOf, openText, randomEdit, seen } from './prose.js'
import { randomNumbers } from './pages.js'

for (const name of ['report.docx', 'deck.pptx', 'notes.txt']) {
  t.test(`${name}: after 200 random edits the file shows what the editor shows`, async t => {
    const fileType = name.split('.').at(-1)!
    for (const seed of [1, 2]) {
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

t.test('the shapes of all slides stay, whatever is deleted', async t => {
  const writer = openText('pptx', fixture('deck.pptx'))
  const { doc } = writer.state
  const plugins = tables()
  const state = EditorState.create({ doc, plugins: [plugins] })
  const all = state.apply(state.tr.setSelection(new AllSelection(doc)))
  t.ok(plugins.props.handleTextInput!.call(plugins, { state: all, dispatch: (tr: Transaction) => writer.edit(() => tr) } as unknown as EditorView, 0, 0, 'new', () => all.tr))
  t.strictSame(writer.state.doc.textContent, 'new')
  t.strictSame(seen(docOf(openEditable('pptx', writer.editable.bytes()))), seen(writer.state.doc))
  t.equal(state.apply(state.tr.delete(0, doc.content.size)).doc, doc, 'a page refuses to remove them')
  t.equal(writer.edit(tr => tr.delete(0, tr.doc.content.size)), null, 'and so does the server')
  t.throws(() => writer.editable.replaceText('x'), TypeError)
  t.notOk(writer.editable.appendLines)
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

for (const format of ['docx', 'pptx', 'txt', 'md']) {
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
