import { createBatches } from '../batches.js'
import { createGridHistory } from './history.js'
import { idOf } from './places.js'
import { createGridReplica } from './replica.js'
/** @import { CellOperation, GridContent, GridOutbox, GridView } from './protocol.js' */

const PAUSE_MS = 50

/**
 * Sends changed cells, one batch at a time, and applies the changes of others. Without a connection it waits.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: GridContent, outbox: GridOutbox) => GridView} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty called when there are unsent changes, and when all have arrived
 * @param {(canUndo: boolean, canRedo: boolean) => void} parts.undoable
 * @param {(id: string, value: string) => boolean} [parts.takesLink] whether a value is a link to another file, whose
 *   value comes later
 */
export function createGridEditing ({ send, show, dirty, undoable, takesLink = () => false }) {
  const replica = createGridReplica()
  const history = createGridHistory()
  const batches = createBatches({ send, dirty, replica, pause: PAUSE_MS })
  /** @type {GridView | null} */
  let view = null

  /** @type {GridOutbox} */
  const outbox = {
    changed (all) {
      const changes = all.filter(([id, value]) => !takesLink(id, value))
      const step = changes.map(([id, after]) => ({ id, before: replica.valueOf(id), after })).filter((
        { before, after }
      ) => before !== after)
      if (step.length === 0) return
      history.record(step)
      make(step.map(({ id, after }) => [id, after]))
    },
    undo: () => goBack('undo'),
    redo: () => goBack('redo')
  }

  /** @param {'undo' | 'redo'} direction */
  function goBack (direction) {
    const changes = history.take(direction)
    if (changes[0] === undefined) return
    make(changes)
    view?.select(changes[0][0])
  }

  /** @param {Array<[id: string, value: string]>} changes */
  function make (changes) {
    for (const [id, value] of changes) replica.changed(id, value)
    tellUndoable()
    batches.edited()
  }

  function tellUndoable () {
    undoable(history.has('undo'), history.has('redo'))
  }

  /** @param {GridContent} content @param {boolean} arrived */
  function render (content, arrived) {
    const state = view?.state()
    view = show(replica.resync(content, arrived), outbox)
    replica.attach(view)
    history.check(replica.valueOf)
    tellUndoable()
    if (state !== undefined) view.restore(state)
    batches.push()
  }

  return {
    push: batches.push,
    undo: outbox.undo,
    redo: outbox.redo,
    view: () => view,
    /** @param {GridContent} content @param {string} id @param {number} lastBatch the last batch that arrived */
    opened (content, id, lastBatch) {
      batches.setOnline(true)
      render(content, batches.isLast(lastBatch))
    },
    /** The document was replaced. @param {GridContent} content */
    replaced: content => render(content, false),
    cut: () => batches.setOnline(false),
    /** @param {CellOperation} operation @param {boolean} own */
    apply (operation, own) {
      if (!batches.isOnline()) return
      const id = `${operation.sheet}!${operation.cell}`
      if (own) history.settled(id, operation.value)
      else history.overtaken(id)
      replica.apply(operation, own)
      tellUndoable()
    },
    received: batches.received,
    /** @param {() => void} action */
    whenSent (action) {
      view?.commit()
      batches.whenSent(action)
    },
    sendAll () {
      view?.commit()
      batches.sendAll()
    },
    /** Only the editor knows of an open cell, until the user leaves it. */
    isTyped: () => view?.isOpen() === true || batches.isTyped(),
    /** Leaves an open cell as it was. */
    cancel: () => view?.cancel(),
    hold: batches.hold,
    /** The id of the cell where the user is. */
    cell () {
      const state = view?.state()
      return state === undefined ? null : idOf(state.sheet, state.position)
    },
    /** @param {string} id @param {string} value */
    setCell: (id, value) => outbox.changed([[id, value]]),
    isUnsent: replica.isUnsent,
    unsentTexts () {
      view?.commit()
      return replica.unsentTexts()
    }
  }
}
