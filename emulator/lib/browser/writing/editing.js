import { createBatches } from '../batches.js'
import { WHOLE_TEXT } from './content.js'
import { createHistory } from './history.js'
import { createReplica } from './replica.js'
import { anchorsOf, revert } from './undoing.js'
/** @import { Content, Operation, Outbox, View } from '../protocol.js' */

const PAUSE_MS = 250

/**
 * Sends typed text after a short delay, one batch at a time, and applies the edits of others. Without a connection it
 * waits.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: Content, outbox: Outbox) => View | null} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty called when there are unsent changes, and when all have arrived
 * @param {(canUndo: boolean, canRedo: boolean) => void} [parts.undoable]
 */
export function createEditing ({ send, show, dirty, undoable = () => {} }) {
  const replica = createReplica()
  const history = createHistory()
  const batches = createBatches({ send, dirty, replica, pause: PAUSE_MS })
  /** @type {View | null} */
  let view = null
  let connectionId = ''
  let added = 0

  /** @type {Outbox} */
  const outbox = {
    changed (id, text, joins) {
      history.changed(id, stateOf(id), text, joins)
      replica.changed(id, text, joins === undefined ? undefined : { joins })
      edited()
    },
    inserted (id, after, text, splits) {
      history.inserted(id, text, splits)
      replica.inserted(id, after, text, splits === undefined ? undefined : { splits })
      edited()
    },
    removed (id) {
      history.removed(id, stateOf(id), view === null ? [] : anchorsOf(id, view))
      replica.removed(id)
      edited()
    },
    formatted (id, formatting) {
      history.formatted(id, stateOf(id), formatting)
      replica.formatted(id, formatting)
      edited()
    },
    together: history.together,
    newId: () => `${connectionId}-${++added}`
  }

  /** The state before the edit that is being reported. @param {string} id */
  function stateOf (id) {
    return { text: replica.textOf(id) ?? '', marks: view?.marks(id) ?? [] }
  }

  /** @param {'undo' | 'redo'} direction */
  function goBack (direction) {
    if (view === null) return
    for (let step = history.take(direction); step !== undefined; step = history.take(direction)) {
      if (!revert(step, history, replica, view)) continue
      history.put(direction === 'undo' ? 'redo' : 'undo', step)
      return edited()
    }
    undoable(history.has('undo'), history.has('redo'))
  }

  function edited () {
    undoable(history.has('undo'), history.has('redo'))
    batches.edited()
  }

  /** @param {Content} content */
  function render (content) {
    const restoreCaret = view?.caret()
    view = show(content, outbox)
    if (view === null) return
    replica.attach(content, view)
    history.resumed(replica.textOf)
    restoreCaret?.()
  }

  return {
    push: batches.push,
    undo: () => goBack('undo'),
    redo: () => goBack('redo'),
    view: () => view,
    /**
     * @param {Content} content
     * @param {string} id of the connection
     * @param {number} lastBatch the last batch that arrived
     */
    opened (content, id, lastBatch) {
      batches.setOnline(true)
      connectionId = id
      render(view === null ? content : replica.resync(content, batches.isLast(lastBatch)))
      batches.push()
    },
    /** The document was replaced. @param {Content} content */
    replaced (content) {
      render(view === null ? content : replica.resync(content, false))
      if (content.kind !== 'text') history.clear() // the paragraphs have new ids
      undoable(history.has('undo'), history.has('redo'))
      batches.push()
    },
    cut: () => batches.setOnline(false),
    /** @param {Operation} operation @param {boolean} own */
    apply (operation, own) {
      if (!batches.isOnline()) return
      const id = 'id' in operation ? operation.id : WHOLE_TEXT
      const made = replica.apply(operation, own)
      history.merged(id, replica.textOf(id) ?? '', made)
      if (operation.op === 'set' || operation.op === 'insert') view?.format(id, operation.text, operation.marks ?? [])
    },
    received: batches.received,
    whenSent: batches.whenSent,
    sendAll: batches.sendAll,
    isTyped: batches.isTyped,
    hold: batches.hold,
    isUnsent: replica.isUnsent,
    unsentTexts: replica.unsentTexts
  }
}
