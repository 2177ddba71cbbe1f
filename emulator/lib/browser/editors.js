import { createEditing } from './writing/editing.js'
import { createGridEditing } from './grid/editing.js'
/** @import { CellOperation, GridContent, GridOutbox, GridView } from './grid/protocol.js' */
/** @import { Content, Operation, Outbox, View } from './protocol.js' */

/**
 * Edits text or sheets, depending on the document.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: Content, outbox: Outbox) => View | null} parts.show
 * @param {(content: GridContent, outbox: GridOutbox) => GridView} parts.showGrid
 * @param {(isDirty: boolean) => void} parts.dirty
 * @param {(canUndo: boolean, canRedo: boolean) => void} parts.undoable
 * @param {(id: string, value: string) => boolean} parts.takesLink whether a value for a cell is a link to another file
 */
export function createEditors ({ send, show, showGrid, dirty, undoable, takesLink }) {
  let texts = createEditing({ send, show, dirty, undoable })
  /** @type {ReturnType<typeof createGridEditing> | null} */
  let grid = null
  let connectionId = ''
  let isEmpty = true
  const current = () => grid ?? texts

  /**
   * @param {Content | GridContent} content
   * @param {string} id of the connection
   * @param {number} lastBatch the last batch that arrived
   */
  function opened (content, id, lastBatch) {
    connectionId = id
    isEmpty = false
    if (content.kind === 'grid') {
      grid ??= createGridEditing({ send, show: showGrid, dirty, undoable, takesLink })
      return grid.opened(content, id, lastBatch)
    }
    if (grid !== null) texts = createEditing({ send, show, dirty, undoable })
    grid = null
    texts.opened(content, id, lastBatch)
  }

  return {
    opened,
    push: () => current().push(),
    undo: () => current().undo(),
    redo: () => current().redo(),
    view: () => current().view(),
    /** The document was replaced, perhaps by one of another kind. @param {Content | GridContent} content */
    replaced (content) {
      if (isEmpty) opened(content, connectionId, -1)
      else if (content.kind === 'grid' && grid !== null) grid.replaced(content)
      else if (content.kind !== 'grid' && grid === null) texts.replaced(content)
      else opened(content, connectionId, -1)
    },
    cut: () => current().cut(),
    /** @param {Operation | CellOperation} operation @param {boolean} own */
    apply (operation, own) {
      if (operation.op === 'cell') grid?.apply(operation, own)
      else if (grid === null) texts.apply(operation, own)
    },
    /** @param {number} number of the batch */
    received: number => current().received(number),
    /** Runs an action once everything typed so far has arrived. @param {() => void} action */
    whenSent: action => current().whenSent(action),
    sendAll: () => current().sendAll(),
    /** Whether something was typed that is not on its way to the document server. */
    isTyped: () => current().isTyped(),
    /** Sends nothing for a while. @param {boolean} value */
    hold: value => current().hold(value),
    /** Forgets the document, with everything that was not sent. The next content is shown as it comes. */
    forget () {
      current().cut()
      texts = createEditing({ send, show, dirty, undoable })
      grid = null
      isEmpty = true
      undoable(false, false)
    },
    cell: () => grid?.cell() ?? null,
    /** @param {string} id @param {string} value */
    setCell: (id, value) => grid?.setCell(id, value),
    isUnsent: () => current().isUnsent(),
    unsentTexts: () => current().unsentTexts()
  }
}
