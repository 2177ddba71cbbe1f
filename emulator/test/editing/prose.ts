import { type Mark, Node } from 'prosemirror-model'
import { EditorState, type Transaction } from 'prosemirror-state'
import { canSplit } from 'prosemirror-transform'
import { schema } from '../../lib/text/schema.js'
import { openEditable } from '../../lib/documents/open.js'
import type { Editable, Operation } from '../../lib/documents/types.js'

const FORMATS = ['bold', 'italic', 'underline', 'strike'] as const
const WORDS = ['a', 'Zażółć', ' ', '  ', '\t', '&<>"', '日本', '🚀', 'end.', ' x ']

/** A text that one person edits. */
export interface Writer {
  readonly editable: Editable
  state: EditorState
  edit (change: (transaction: Transaction) => Transaction): Operation | null
  /** The place before a text. */
  at (text: string): number
}

export function openText (fileType: string, bytes: Uint8Array): Writer {
  const editable = openEditable(fileType, bytes)
  let version = 0
  const writer: Writer = {
    editable,
    state: EditorState.create({ doc: docOf(editable) }),
    edit (change) {
      const transaction = change(writer.state.tr)
      if (transaction.steps.length === 0) return null
      const steps = transaction.steps.map(step => step.toJSON() as object)
      const done = editable.apply({ op: 'steps', version, client: 'a', steps })
      if (done !== null) version += steps.length
      if (done !== null) writer.state = writer.state.apply(transaction)
      return done
    },
    at (text) {
      let found = -1
      writer.state.doc.descendants((node, at) => {
        const offset = node.isTextblock ? node.textBetween(0, node.content.size, '', ' ').indexOf(text) : -1
        if (found < 0 && offset >= 0) found = at + 1 + offset
      })
      return found
    }
  }
  return writer
}

/** What an editor shows; throws for a document that cannot be edited as text. */
export function docOf (editable: Editable): Node {
  const view = editable.view()
  if (view.kind !== 'prose') throw new TypeError(view.kind === 'readonly' ? view.note : view.kind)
  return Node.fromJSON(schema, view.doc)
}

/** An edit as a person makes it: typing, deleting, splitting, joining, formatting. @param below a random number */
export function randomEdit (state: EditorState, below: (limit: number) => number, isPlain = false): Transaction {
  const { tr } = state
  const blocks: Array<{ readonly node: Node, readonly at: number }> = []
  state.doc.descendants((node, at) => { if (node.isTextblock) blocks.push({ node, at }) })
  const { node, at } = blocks[below(blocks.length)]!
  const text = node.textBetween(0, node.content.size, '', ' ')
  const inside = () => {
    const offset = below(node.content.size + 1)
    return at + 1 + offset - (/[\uDC00-\uDFFF]/.test(text[offset] ?? '') ? 1 : 0) // not within a character
  }
  const [from, to] = [inside(), inside()].sort((one, other) => one - other) as [number, number]
  switch (below(isPlain ? 5 : 6)) {
    case 0:
    case 1: return tr.insertText(WORDS[below(WORDS.length)]!, from)
    case 2: return to - from > 8 ? tr : tr.delete(from, to)
    case 3: return canSplit(tr.doc, from) ? tr.split(from) : tr
    case 4: return tr.doc.resolve(at).nodeBefore?.isTextblock === true ? tr.join(at) : tr
    default: {
      const mark = schema.marks[FORMATS[below(FORMATS.length)]!]!
      return below(2) === 0 ? tr.addMark(from, to, mark.create()) : tr.removeMark(from, to, mark)
    }
  }
}

/** What a person sees: the blocks with their texts and formats, such as `1|Title` and `|a [b]b `. */
export function seen (doc: Node): string[] {
  const lines: string[] = []
  doc.descendants(node => {
    const { level, list } = node.attrs as { readonly level?: number | null, readonly list?: string | null }
    if (node.isTextblock) lines.push(`${level ?? ''}${list ?? ''}|${node.children.map(seenInline).join('')}`)
    else if (['table_cell', 'slide', 'kept_block'].includes(node.type.name)) lines.push(node.type.name)
    return !node.isTextblock
  })
  return lines
}

/** Each character with the first letters of its formats: runs may be cut differently. */
function seenInline (node: Node): string {
  const formats = FORMATS.filter(format => node.marks.some(({ type }: Mark) => type.name === format))
  const marked = formats.length === 0 ? '' : `[${formats.map(format => format[0]).join('')}]`
  return [...(node.text ?? `{${node.type.name}}`)].map(character => character + marked).join('')
}
