import { toggleMark } from 'prosemirror-commands'
import { schema } from '../../../text/schema.js'
import { setParagraphs } from './keys.js'
/** @import { MarkType } from 'prosemirror-model' */
/** @import { Command, EditorState } from 'prosemirror-state' */
/** @import { EditorView } from 'prosemirror-view' */
/** @import { TextContent } from '../protocol.js' */

const FORMATS = /** @type {const} */ ([
  ['bold', 'B', 'Bold (Ctrl+B)'],
  ['italic', 'I', 'Italic (Ctrl+I)'],
  ['underline', 'U', 'Underline (Ctrl+U)'],
  ['strike', 'S', 'Strikethrough']
])
const LISTS = /** @type {Record<string, [sign: string, name: string]>} */ ({
  bullet: ['•', 'Bulleted list'],
  number: ['1.', 'Numbered list']
})
const NO_HEADING = 'text'

/**
 * The formats that the text and its paragraphs can have.
 *
 * @param {TextContent} content
 * @param {() => EditorView} view
 */
export function toolbar ({ levels, lists }, view) {
  const element = document.createElement('div')
  element.className = 'formats'
  element.setAttribute('role', 'toolbar')
  element.setAttribute('aria-label', 'Formats')
  /** @param {Command} command */
  const run = command => {
    command(view().state, view().dispatch)
    view().focus()
  }
  const toggles = [
    ...FORMATS.map(([format, sign, title]) => ({
      button: toggle(sign, title, format, () => run(toggleMark(schema.marks[format]))),
      isOn: (/** @type {EditorState} */ state) => hasMark(state, schema.marks[format])
    })),
    ...lists.map(list => ({
      button: toggle(...LISTS[list] ?? [list, list], list, () => run(toggleList(list))),
      isOn: (/** @type {EditorState} */ state) => state.selection.$from.parent.attrs.list === list
    }))
  ]
  const styles = document.createElement('select')
  styles.setAttribute('aria-label', 'Paragraph style')
  styles.append(new Option('Text', NO_HEADING), ...levels.map(level => new Option(nameOf(level), String(level))))
  styles.addEventListener('change', () => {
    const level = styles.value === NO_HEADING ? null : Number(styles.value)
    run(setParagraphs(() => ({ level })))
  })
  element.append(...levels.length > 0 ? [styles] : [], ...toggles.map(({ button }) => button))

  return {
    element,
    /** @param {EditorState} state */
    update (state) {
      for (const { button, isOn } of toggles) button.setAttribute('aria-pressed', String(isOn(state)))
      const { level } = state.selection.$from.parent.attrs
      styles.value = levels.includes(level) ? String(level) : NO_HEADING
    }
  }
}

/** @param {string} sign @param {string} title @param {string} name @param {() => void} click */
function toggle (sign, title, name, click) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.dataset.format = name
  button.dataset.sign = sign
  button.title = title
  button.setAttribute('aria-label', title.replace(/ \(.*/, ''))
  button.addEventListener('mousedown', event => event.preventDefault()) // keeps the selection in the text
  button.addEventListener('click', click)
  return button
}

/** @param {number} level */
function nameOf (level) {
  return level === 0 ? 'Title' : `Heading ${level}`
}

/** @param {EditorState} state @param {MarkType} mark */
function hasMark ({ doc, storedMarks, selection: { empty, $from, from, to } }, mark) {
  return empty ? mark.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, mark)
}

/** @param {string} list @returns {Command} */
function toggleList (list) {
  return (state, dispatch) => {
    const isList = state.selection.$from.parent.attrs.list === list
    return setParagraphs(({ attrs: { depth } }) => isList ? { list: null, depth: 0 } : { list, depth })(state, dispatch)
  }
}
