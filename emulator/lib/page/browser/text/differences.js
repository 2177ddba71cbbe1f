import { DOMSerializer } from 'prosemirror-model'
import { Decoration, DecorationSet } from 'prosemirror-view'
import { changesBetween } from './changes.js'
import { schema } from '../../../text/schema.js'
import { documentOf, showDocument } from './view.js'
/** @import { Slice } from 'prosemirror-model' */

const serializer = DOMSerializer.fromSchema(schema)

/**
 * Shows a document, with what was added and removed marked.
 *
 * @param {HTMLElement} container
 * @param {object | null} before without one, nothing is marked
 * @param {object} after
 */
export function showDifferences (container, before, after) {
  const doc = documentOf(after)
  if (before === null) return showDocument(container, doc)
  const previous = documentOf(before)
  const decorations = changesBetween(previous, doc).flatMap(({ fromA, toA, fromB, toB }) => {
    const gone = () => removed(previous.slice(fromA, toA), doc.resolve(fromB).parent.inlineContent)
    return [
      ...fromA < toA ? [Decoration.widget(fromB, gone, { side: -1 })] : [],
      ...fromB < toB ? [Decoration.inline(fromB, toB, { nodeName: 'ins' })] : []
    ]
  })
  showDocument(container, doc, DecorationSet.create(doc, decorations))
}

/** Blocks are shown as their text within a paragraph. @param {Slice} slice @param {boolean} isInline */
function removed ({ content }, isInline) {
  const element = document.createElement('del')
  const isBlock = content.firstChild?.isInline === false
  if (isBlock && isInline) element.textContent = content.textBetween(0, content.size, '\n')
  else element.append(serializer.serializeFragment(content))
  return element
}
