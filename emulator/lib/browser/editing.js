import { createReplica } from './replica.js'
/** @import { Content, Operation, Outbox, View } from './protocol.js' */

const PAUSE_MS = 250

/**
 * Sends what is typed, a moment later and one batch at a time, and takes in what others type. Without a connection it
 * waits.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: Content, outbox: Outbox) => View | null} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty told whenever something is not at the document server yet, or all is
 */
export function createEditing ({ send, show, dirty }) {
  const replica = createReplica()
  /** @type {Array<() => void>} */
  const waiting = []
  /** @type {View | null} */
  let view = null
  let connectionId = ''
  let online = false
  let batch = 0
  let added = 0
  let timer = 0

  /** @type {Outbox} */
  const outbox = {
    changed (id, text) {
      replica.changed(id, text)
      edited()
    },
    inserted (id, after, text) {
      replica.inserted(id, after, text)
      edited()
    },
    removed (id) {
      replica.removed(id)
      edited()
    },
    newId: () => `${connectionId}-${++added}`
  }

  function edited () {
    dirty(true)
    timer ||= setTimeout(push, PAUSE_MS)
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

  /** @param {Content} content */
  function render (content) {
    const restoreCaret = view?.caret()
    view = show(content, outbox)
    if (view === null) return
    replica.attach(content, view)
    restoreCaret?.()
  }

  return {
    push,
    view: () => view,
    /** @param {Content} content @param {string} id of the connection @param {number} lastBatch that arrived */
    opened (content, id, lastBatch) {
      online = true
      connectionId = id
      render(view === null ? content : replica.resync(content, lastBatch === batch))
      push()
    },
    /** The document was replaced. @param {Content} content */
    replaced (content) {
      render(view === null ? content : replica.resync(content, false))
      push()
    },
    cut () {
      online = false
    },
    /** @param {Operation} operation @param {boolean} own */
    apply (operation, own) {
      if (online) replica.apply(operation, own)
    },
    /** @param {number} number of the batch */
    received (number) {
      if (number !== batch) return
      replica.received()
      push()
    },
    /** Once everything typed so far has arrived. @param {() => void} action */
    whenSent (action) {
      waiting.push(action)
      push()
    },
    /** Everything at once: there is no time left to wait for an answer. */
    sendAll: sendBatch,
    isUnsent: replica.isUnsent,
    unsentTexts: replica.unsentTexts
  }
}
