/** @import { Operation, ServerMessage } from './protocol.js' */

const PAUSE_MS = 250

/**
 * The page's connection to the document server. Edits wait a moment, the last one for each paragraph is sent.
 *
 * @param {{ message: (message: ServerMessage) => void, lost: () => void, editing: () => void }} handlers
 */
export function connect (handlers) {
  const address = new URL('../../../../doc/socket', location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(address)
  /** @type {Operation[]} */
  let pending = []
  let timer = 0
  let unanswered = 0
  let closing = false

  socket.addEventListener('message', ({ data }) => {
    /** @type {ServerMessage} */
    const message = JSON.parse(data)
    if (message.type !== 'received') return handlers.message(message)
    unanswered--
    if (unanswered === 0 && pending.length === 0) handlers.message(message)
  })
  socket.addEventListener('close', () => { if (!closing) handlers.lost() })

  /** @param {object} message */
  function send (message) {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  function flush () {
    clearTimeout(timer)
    const operations = pending
    pending = []
    for (const [index, operation] of operations.entries()) {
      const last = index === operations.length - 1
      if (last) unanswered++
      send({ type: 'edit', operation, last })
    }
  }

  return {
    flush,
    /** @param {object} config */
    open (config) {
      if (socket.readyState === WebSocket.OPEN) send({ type: 'open', config })
      else socket.addEventListener('open', () => send({ type: 'open', config }), { once: true })
    },
    /** @param {Operation} operation */
    queue (operation) {
      const previous = pending.at(-1)
      if (previous !== undefined && isSameTarget(previous, operation)) pending.pop()
      pending.push(operation)
      handlers.editing()
      clearTimeout(timer)
      timer = setTimeout(flush, PAUSE_MS)
    },
    forceSave () {
      flush()
      send({ type: 'forceSave' })
    },
    /** @param {string} format */
    download (format) {
      flush()
      send({ type: 'download', format })
    },
    /** Sends what is pending and leaves; nothing is lost when the page goes right after. */
    leave () {
      if (closing) return
      closing = true
      flush()
      send({ type: 'close' })
    }
  }
}

/**
 * @param {Operation} a
 * @param {Operation} b
 */
function isSameTarget (a, b) {
  return (a.op === 'text' && b.op === 'text') || (a.op === 'set' && b.op === 'set' && a.id === b.id)
}
