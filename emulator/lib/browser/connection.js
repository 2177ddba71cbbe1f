/** @import { ServerMessage } from './protocol.js' */

/** Pauses before another attempt; the document server waits 5 s for whoever was cut off before it saves. */
const RETRY_MS = [500, 1000, 2000, 4000, 5000]

/**
 * The page's connection to the document server. One that was cut is made again, as the same participant.
 *
 * @param {object} config
 * @param {{ message: (message: ServerMessage) => void, cut: () => void }} handlers
 *   `cut`: the connection was lost and will be tried again
 */
export function connect (config, handlers) {
  const address = new URL('../../../../doc/socket', location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
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
    const opening = socket = new WebSocket(address)
    opening.addEventListener('open', () => send({ type: 'open', config, connectionId }))
    opening.addEventListener('message', ({ data }) => {
      if (opening === socket) receive(JSON.parse(data))
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

  /** False when there is no connection. @param {object} message */
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
