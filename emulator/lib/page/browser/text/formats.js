import { toggleMark } from 'prosemirror-commands'
import { button, element } from '../dom.js'
import { schema } from '../../../text/schema.js'
import { setParagraphs } from './keys.js'
/** @import { MarkType } from 'prosemirror-model' */
/** @import { Command, EditorState } from 'prosemirror-state' */
/** @import { EditorView } from 'prosemirror-view' */
/** @import { TextContent } from '../protocol.js' */

const FORMATS = /** @type {const} */ ([
  ['bold', 'B', 'Bold (Ctrl+B)'],
  ['italic', 'I', 'Italic (Ctrl+I)']
])
const NO_HEADING = 'text'

/**
 * The formats that the text and its paragraphs can have.
 *
 * @param {TextContent} content
 * @param {() => EditorView} view
 */
export function formatBar ({ levels }, view) {
  /** @param {Command} command */
  const run = command => {
    command(view().state, view().dispatch)
    view().focus()
  }
  const toggles = FORMATS.map(([format, sign, title]) => ({
    button: toggle(sign, title, format, () => run(toggleMark(schema.marks[format]))),
    isOn: (/** @type {EditorState} */ state) => hasMark(state, schema.marks[format])
  }))
  const styles = element('select', {
    ariaLabel: 'Paragraph style',
    onchange () {
      const level = styles.value === NO_HEADING ? null : Number(styles.value)
      run(setParagraphs(() => ({ level, color: levels[styles.value] ?? null })))
    }
  }, new Option('Text', NO_HEADING), ...Object.keys(levels).map(level => new Option(nameOf(level), level)))

  return {
    elements: [...styles.length > 1 ? [styles] : [], ...toggles.map(({ button }) => button)],
    /** @param {EditorState} state */
    update (state) {
      for (const { button, isOn } of toggles) button.setAttribute('aria-pressed', String(isOn(state)))
      const { level } = state.selection.$from.parent.attrs
      styles.value = level in levels ? level : NO_HEADING
    }
  }
}

/** @param {string} sign @param {string} title @param {string} name @param {() => void} click */
function toggle (sign, title, name, click) {
  const made = button('', click, { title, ariaLabel: title.replace(/ \(.*/, '') })
  Object.assign(made.dataset, { format: name, sign })
  made.onmousedown = event => event.preventDefault() // keeps the selection in the text
  return made
}

/** @param {string} level */
function nameOf (level) {
  return level === '0' ? 'Title' : `Heading ${level}`
}

/** @param {EditorState} state @param {MarkType} mark */
function hasMark ({ doc, storedMarks, selection: { empty, $from, from, to } }, mark) {
  return empty ? mark.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, mark)
}
