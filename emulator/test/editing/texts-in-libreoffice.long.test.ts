import type { Node } from 'prosemirror-model'
import t from 'tap'
import { libreOffice } from '../../lib/documents/converter/libre-office.js'
import { openEditable } from '../../lib/documents/open.js'
import { fixture } from '../support.js'
import { randomNumbers } from './pages.js'
import { docOf, openText, randomEdit } from './prose.js'

const office = await libreOffice(undefined)

/** The paragraphs that are not empty. */
function texts (doc: Node): string[] {
  const found: string[] = []
  doc.descendants(node => {
    if (node.isTextblock && node.textContent !== '') found.push(node.textBetween(0, node.content.size, '', '\n'))
  })
  return found
}

for (const name of ['report.docx', 'deck.pptx']) {
  t.test(`LibreOffice opens ${name} after 500 random edits, and has the same text`, {
    skip: office === null ? 'LibreOffice is not installed' : false
  }, async t => {
    const fileType = name.split('.').at(-1)!
    const writer = openText(fileType, fixture(name))
    const below = randomNumbers(7)
    for (let edits = 0; edits < 500; edits++) writer.edit(() => randomEdit(writer.state, below))
    const converted = await office!(writer.editable.bytes(), fileType, fileType)
    t.strictSame(texts(docOf(openEditable(fileType, converted!))), texts(writer.state.doc))
  })
}
