// The page that embeds the editor and runs api.js.

const origin = new URLSearchParams(location.search).get('parentOrigin') ?? ''
/** @type {string[]} */
let handled = []

/**
 * Sends an event to the embedding page, with the name and data of the real editor's event.
 * @param {string} event
 * @param {unknown} [data]
 */
export function emit (event, data) {
  if (origin !== '') parent.postMessage({ type: 'editor', event, data }, origin)
}

/** Sets the events that the embedding page listens to. @param {string[]} events */
export function setHandled (events) {
  handled = events
}

/** @param {string} event */
export function isHandled (event) {
  return handled.includes(event)
}

/** @param {Record<string, (detail: any) => void>} commands commands of the embedding page */
export function listen (commands) {
  addEventListener('message', message => {
    if (message.source !== parent || message.origin !== origin || message.data?.type !== 'page') return
    const { command, ...detail } = message.data
    if (Object.hasOwn(commands, command)) commands[command]?.(detail)
  })
}
