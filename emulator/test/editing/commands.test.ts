import type { Node } from 'prosemirror-model'
import { type Command, EditorState, TextSelection } from 'prosemirror-state'
import t from 'tap'
import { keys } from '../../lib/page/browser/text/keys.js'
import { schema } from '../../lib/text/schema.js'
import { tables } from '../../lib/page/browser/text/tables.js'

type Attrs = Record<string, unknown>

const p = (text: string, attrs: Attrs = {}) => schema.node('paragraph', attrs, text === '' ? [] : [schema.text(text)])
const cell = (text: string, attrs: Attrs = {}) => schema.node('table_cell', attrs, [p(text)])
const row = (...cells: Node[]) => schema.node('table_row', null, cells)
const table = () => schema.node('table', { ref: 't' }, [row(cell('x'), cell('y')), row(cell('zw', { colspan: 2 }))])

/** A document with the selection from the first of some characters to the last. */
function stateOf (content: Node[], from: string, to = from, plain = false): EditorState {
  const doc = schema.node('doc', null, content)
  const places: number[] = []
  for (const text of [from, to]) {
    doc.descendants((node, position) => {
      if (node.isText && node.text!.includes(text)) places.push(position + node.text!.indexOf(text))
    })
  }
  const selection = TextSelection.create(doc, places[0]!, from === to ? places[0]! : places[1]! + to.length)
  return EditorState.create({ doc, selection, plugins: [...keys({ plain }), tables()] })
}

/** What a key makes of a state; `null` if it leaves it to the browser. */
function press (state: EditorState, key: string): EditorState | null {
  let result: EditorState | null = null
  const view = {
    state,
    dispatch: (transaction: Parameters<NonNullable<Parameters<Command>[1]>>[0]) => { result = state.apply(transaction) },
    endOfTextblock: () => true
  }
  const [name, ...modifiers] = key.split('+').reverse()
  const event = { key: name, keyCode: 0, shiftKey: modifiers.includes('Shift'), ctrlKey: modifiers.includes('Control'), altKey: false, metaKey: false }
  const isHandled = state.plugins.some(({ props: { handleKeyDown } }) =>
    handleKeyDown?.call({} as never, view as never, event as never) === true
  )
  return isHandled ? result ?? state : null
}

function shown (state: EditorState | null): unknown {
  return state?.doc.children.map(({ textContent, attrs: { level, list, depth, ref } }) => [textContent, { level, list, depth, ref }])
}

t.test('Enter: an ordinary paragraph follows a heading, everything else is like what it was split from', async t => {
  const plain = { level: null, list: null, depth: 0, ref: null }
  const heading = { ...plain, level: 1, ref: 'p0' }
  const item = { ...plain, list: 'bullet', depth: 1, ref: 'p1' }
  t.strictSame(shown(press(stateOf([p('Head', heading)], 'ad'), 'Enter')), [['He', heading], ['ad', heading]])
  const atEnd = stateOf([p('Head', heading)], 'Head')
  const moved = atEnd.apply(atEnd.tr.setSelection(TextSelection.create(atEnd.doc, 5)))
  const split = press(moved, 'Enter')
  t.strictSame(shown(split), [['Head', heading], ['', plain]])
  t.strictSame(shown(press(stateOf([p('item', item)], 'em'), 'Enter')), [['it', item], ['em', item]])
  t.strictSame(shown(press(stateOf([p('line', { ref: 'l' })], 'ne', 'ne', true), 'Shift+Enter')), [['li', { ...plain, ref: 'l' }], ['ne', { ...plain, ref: 'l' }]])
  t.equal(press(stateOf([p('line')], 'ne'), 'Shift+Enter')!.doc.firstChild!.textContent, 'li\nne')
})

t.test('a table keeps its shape: of a selection of several cells the text goes; a whole table can go', async t => {
  for (const [from, to, left] of [['x', 'y', '||zw'], ['y', 'z', 'x||w'], ['fore', 'x', '|y|zw']] as const) {
    const state = press(stateOf([p('before'), table(), p('after')], from, to), 'Delete')!
    const texts: string[] = []
    state.doc.descendants(node => { if (node.type.name === 'table_cell') texts.push(node.textContent) })
    t.equal(texts.join('|'), left)
  }
  const state = stateOf([p('before'), table(), p('after')], 'fore', 'af')
  t.equal(press(state, 'Delete')!.doc.textContent, 'beter')
  const cut = (from: string, to: string) => {
    const selected = stateOf([p('before'), table(), p('after')], from, to)
    return selected.apply(selected.tr.deleteSelection()).doc.eq(selected.doc)
  }
  t.ok(cut('x', 'y'), 'a row would be narrower than the other')
})
