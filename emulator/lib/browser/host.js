/** The page that embeds the editor: api.js runs there. */
const origin = new URLSearchParams(location.search).get('parentOrigin') ?? ''
/** @type {string[]} */
let handled = []

/** Tells the host page of an event, under the name and with the data of the editor's own. @param {string} event @param {unknown} [data] */
export function emit (event, data) {
  if (origin !== '') parent.postMessage({ type: 'editor', event, data }, origin)
}

/** Which events the host page listens to. @param {string[]} events */
export function setHandled (events) {
  handled = events
}

/** @param {string} event */
export function isHandled (event) {
  return handled.includes(event)
}

/** @param {Record<string, (detail: any) => void>} commands what the host page may ask for */
export function listen (commands) {
  addEventListener('message', message => {
    if (message.source !== parent || message.origin !== origin || message.data?.type !== 'host') return
    const { command, ...detail } = message.data
    if (Object.hasOwn(commands, command)) commands[command]?.(detail)
  })
}
