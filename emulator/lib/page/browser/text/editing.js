import { collab, getVersion, receiveTransaction, sendableSteps } from 'prosemirror-collab'
import { history, redo, undo } from 'prosemirror-history'
import { Node } from 'prosemirror-model'
import { EditorState } from 'prosemirror-state'
import { Step } from 'prosemirror-transform'
import { createBatches } from '../batches.js'
import { keys } from './keys.js'
import { places } from './places.js'
import { schema } from '../../../text/schema.js'
import { tables } from './tables.js'
/** @import { Transaction } from 'prosemirror-state' */
/** @import { ShowText, Steps, TextContent, TextView } from '../protocol.js' */

const PAUSE_MS = 250

/**
 * Sends the steps of this page after a short delay, and applies those of others. Without a connection they wait.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {ShowText} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty called when there are unsent changes, and when all have arrived
 */
export function createTextEditing ({ send, show, dirty }) {
  /** @type {EditorState} */ let state
  /** @type {TextView | null} */ let view = null
  let epoch = ''
  let connectionId = ''
  let isSending = false
  let sentVersion = 0

  const batches = createBatches({
    send,
    dirty,
    pause: PAUSE_MS,
    replica: {
      isSending: () => isSending,
      isUnsent: () => isSending || sendableSteps(state) !== null,
      take () {
        const sendable = sendableSteps(state)
        if (sendable === null) return []
        isSending = true
        const { version, steps } = sendable
        sentVersion = version
        return [{ op: 'steps', version, steps: steps.map(step => step.toJSON()), client: connectionId }]
      },
      /** Neither these steps nor others have come: the document server will never take them. */
      received () {
        isSending = false
        return getVersion(state) > sentVersion
      }
    }
  })

  /** @param {TextContent} content */
  function start (content) {
    epoch = content.epoch
    isSending = false
    state = EditorState.create({
      doc: Node.fromJSON(schema, content.doc),
      plugins: [
        collab({ version: content.version, clientID: connectionId }),
        history(),
        ...keys(content),
        tables(),
        places()
      ]
    })
    view = show(content, state, dispatch)
  }

  /** @param {Transaction} transaction */
  function dispatch (transaction) {
    const { doc } = state
    update(transaction)
    if (state.doc !== doc) batches.edited()
  }

  /** @param {Transaction} transaction */
  function update (transaction) {
    state = state.apply(transaction)
    view?.update(state)
  }

  /** @param {{ steps: object[], clients: string[] }} made */
  function receive ({ steps, clients }) {
    const known = steps.map(step => Step.fromJSON(schema, step))
    update(receiveTransaction(state, known, clients, { mapSelectionBackward: true }))
  }

  return {
    push: batches.push,
    undo: () => { undo(state, dispatch) },
    redo: () => { redo(state, dispatch) },
    view: () => view,
    /** What the page has, for the next connection. */
    since: () => ({ epoch, version: getVersion(state) }),
    /** @param {TextContent} content @param {string} id of the connection */
    opened (content, id) {
      connectionId = id
      batches.setOnline(true)
      if (view !== null && content.epoch === epoch && content.missed !== undefined) {
        isSending = false
        receive(content.missed)
      } else {
        start(content)
      }
      batches.push()
    },
    /** Unless it is a later state of the same document, whose steps come. @param {TextContent} content */
    replaced (content) {
      if (content.epoch === epoch) return
      start(content)
      batches.push()
    },
    cut: () => batches.setOnline(false),
    /** @param {Steps} operation */
    apply ({ steps, client }) {
      if (batches.isOnline()) receive({ steps, clients: steps.map(() => client) })
    },
    received: batches.received,
    whenSent: batches.whenSent,
    isTyped: batches.isTyped,
    hold: batches.hold,
    isUnsent: () => isSending || sendableSteps(state) !== null
  }
}
