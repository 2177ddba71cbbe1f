import { createGridHistory } from './history.js'
import { createGridReplica } from './replica.js'
/** @import { CellOperation, GridContent, GridOutbox, GridView } from './protocol.js' */

const PAUSE_MS = 50

/**
 * Sends the cells that are set, one batch at a time, and takes in what others set. Without a connection it waits.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: GridContent, outbox: GridOutbox) => GridView} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty told whenever something is not at the document server yet, or all is
 * @param {(canUndo: boolean, canRedo: boolean) => void} parts.undoable
 */
export function createGridEditing ({ send, show, dirty, undoable }) {
  const replica = createGridReplica()
  const history = createGridHistory()
  /** @type {Array<() => void>} */
  const waiting = []
  /** @type {GridView | null} */
  let view = null
  let online = false
  let batch = 0
  let timer = 0

  /** @type {GridOutbox} */
  const outbox = {
    changed (changes) {
      const step = changes.map(([id, after]) => ({ id, before: replica.valueOf(id), after })).filter(({ before, after }) => before !== after)
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
    dirty(true)
    tellUndoable()
    timer ||= setTimeout(push, PAUSE_MS)
  }

  function tellUndoable () {
    undoable(history.has('undo'), history.has('redo'))
  }

  function push () {
    clearTimeout(timer)
    timer = 0
    if (!online) return
    if (!replica.isSending()) sendBatch()
    if (replica.isUnsent()) return
    dirty(false)
    for (const action of waiting.splice(0)) action()
  }

  function sendBatch () {
    const operations = replica.take()
    if (operations.length > 0) send({ type: 'edit', batch: ++batch, operations })
  }

  /** @param {GridContent} content @param {boolean} arrived */
  function render (content, arrived) {
    const state = view?.state()
    view = show(replica.resync(content, arrived), outbox)
    replica.attach(view)
    history.check(replica.valueOf)
    tellUndoable()
    if (state !== undefined) view.restore(state)
    push()
  }

  return {
    push,
    undo: outbox.undo,
    redo: outbox.redo,
    view: () => view,
    /** @param {GridContent} content @param {string} id @param {number} lastBatch that arrived */
    opened (content, id, lastBatch) {
      online = true
      render(content, lastBatch === batch)
    },
    /** The document was replaced. @param {GridContent} content */
    replaced: content => render(content, false),
    cut () {
      online = false
    },
    /** @param {CellOperation} operation @param {boolean} own */
    apply (operation, own) {
      if (!online) return
      const id = `${operation.sheet}!${operation.cell}`
      if (own) history.settled(id, operation.value)
      else history.overtaken(id)
      replica.apply(operation, own)
      tellUndoable()
    },
    /** @param {number} number of the batch */
    received (number) {
      if (number !== batch) return
      replica.received()
      push()
    },
    /** Once everything typed so far has arrived. @param {() => void} action */
    whenSent (action) {
      view?.commit()
      waiting.push(action)
      push()
    },
    /** Everything at once: there is no time left to wait for an answer. */
    sendAll () {
      view?.commit()
      sendBatch()
    },
    isUnsent: replica.isUnsent,
    unsentTexts: replica.unsentTexts
  }
}
