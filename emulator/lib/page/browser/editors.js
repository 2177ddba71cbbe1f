import { createGridEditing } from './grid/editing.js'
import { text } from './text/loading.js'
/** @import { GridCells, GridContent, GridView } from './grid/protocol.js' */
/** @import { formView } from './form-view.js' */
/** @import { Content, FixedContent, FormContent, Operation, ShowText } from './protocol.js' */

/**
 * Edits a text or sheets, or only shows the document.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {ShowText} parts.showText
 * @param {(content: GridContent, cells: GridCells) => GridView} parts.showGrid
 * @param {(content: FormContent) => ReturnType<typeof formView> | null} parts.showForm
 * @param {(content: FixedContent) => void} parts.showFixed
 * @param {(isDirty: boolean) => void} parts.dirty
 * @param {(id: string, value: string) => boolean} parts.takesLink whether a value for a cell is a link to another file
 */
export function createEditors ({ send, showText, showGrid, showForm, showFixed, dirty, takesLink }) {
  /** @type {ReturnType<typeof text.createTextEditing> | null} */ let texts = null
  /** @type {ReturnType<typeof createGridEditing> | null} */ let grid = null
  /** @type {ReturnType<typeof formView> | null} */ let form = null
  let connectionId = ''
  const current = () => texts ?? grid

  /**
   * @param {Content} content
   * @param {string} id of the connection
   * @param {number} lastBatch the last batch that arrived
   */
  function opened (content, id, lastBatch) {
    connectionId = id
    if (content.kind !== 'prose') texts = null
    if (content.kind !== 'grid') grid = null
    if (content.kind === 'prose') {
      texts ??= text.createTextEditing({ send, show: showText, dirty })
      texts.opened(content, id)
    } else if (content.kind === 'grid') {
      grid ??= createGridEditing({ send, show: showGrid, dirty, takesLink })
      grid.opened(content, id, lastBatch)
    } else if (content.kind === 'form') {
      form = showForm(content)
    } else {
      showFixed(content)
    }
  }

  return {
    opened,
    undo: () => texts?.undo(),
    redo: () => texts?.redo(),
    view: () => current()?.view(),
    /** What the page has of a text. */
    since: () => texts?.since(),
    /** The document was replaced, perhaps by one of another kind. @param {Content} content */
    replaced (content) {
      if (content.kind === 'grid' && grid !== null) grid.replaced(content)
      else if (content.kind === 'prose' && texts !== null) texts.replaced(content)
      else opened(content, connectionId, -1)
    },
    cut () {
      current()?.cut()
      form?.cut()
    },
    /** @param {Operation} operation @param {boolean} own */
    apply (operation, own) {
      if (operation.op === 'field') form?.apply(operation)
      else if (operation.op === 'steps') texts?.apply(operation)
      else grid?.apply(operation, own)
    },
    /** @param {number} number of the batch */
    received: number => current()?.received(number),
    /** Runs an action once everything typed so far has arrived. @param {() => void} action */
    whenSent (action) {
      const editing = current()
      if (editing === null) action()
      else editing.whenSent(action)
    },
    /** Whether something was typed that is not on its way to the document server. */
    isTyped: () => current()?.isTyped() ?? false,
    /** Sends nothing for a while. @param {boolean} value */
    hold: value => current()?.hold(value),
    /** Forgets the document, with everything that was not sent. The next content is shown as it comes. */
    forget () {
      current()?.cut()
      texts?.view()?.destroy()
      grid?.cancel()
      texts = grid = null
    },
    cell: () => grid?.cell() ?? null,
    caret: () => texts?.view()?.caret() ?? grid?.cell() ?? null,
    /** @param {string} id @param {string} value */
    setCell: (id, value) => grid?.setCell(id, value),
    isUnsent: () => current()?.isUnsent() ?? false
  }
}
