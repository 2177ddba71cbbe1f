/** @import { ServerMessage } from './protocol.js' */

/** Delays between attempts. The document server waits 5 s for a lost connection before it saves. */
const RETRY_MS = [500, 1000, 2000, 4000, 5000]

/**
 * The page's connection to the document server. After a failure it reconnects as the same participant.
 *
 * @param {object} config
 * @param {{ message: (message: ServerMessage) => void, cut: () => void, since: () => object | undefined }} handlers
 *   `cut`: the connection was lost; it will be retried; `since`: what the page already has
 */
export function connect (config, handlers) {
  const url = new URL('../../../../doc/socket', location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  /** @type {WebSocket} */
  let socket
  /** @type {string | undefined} */
  let connectionId
  let attempts = 0
  let timer = 0
  let ended = false
  start()
  addEventListener('online', retryNow)

  function start () {
    const opening = socket = new WebSocket(url)
    opening.addEventListener('open', () => send({ type: 'open', config, connectionId, since: handlers.since() }))
    opening.addEventListener('message', ({ data }) => {
      if (opening === socket && !ended) receive(JSON.parse(data))
    })
    opening.addEventListener('close', () => {
      if (ended || opening !== socket) return
      handlers.cut()
      timer = setTimeout(start, RETRY_MS[Math.min(attempts++, RETRY_MS.length - 1)])
    })
  }

  /** @param {ServerMessage} message */
  function receive (message) {
    if (message.type === 'opened') {
      connectionId = message.connectionId
      attempts = 0
    }
    if (message.type === 'refused' || message.type === 'closed') end()
    handlers.message(message)
  }

  function retryNow () {
    if (ended || socket.readyState !== WebSocket.CLOSED) return
    clearTimeout(timer)
    start()
  }

  /** Returns false when there is no connection. @param {object} message */
  function send (message) {
    if (ended || socket.readyState !== WebSocket.OPEN) return false
    socket.send(JSON.stringify(message))
    return true
  }

  function end () {
    ended = true
    clearTimeout(timer)
    removeEventListener('online', retryNow)
  }

  return { send, retryNow, end, isOpen: () => socket.readyState === WebSocket.OPEN }
}
