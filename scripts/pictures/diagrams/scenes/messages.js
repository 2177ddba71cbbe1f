// Requests in the words of the diagrams, without what differs in every run: ports, tokens, keys and times.

/** @import { Message } from '../svg/sequence.js' */
/** @typedef {{ status?: number, actions?: Array<{ type: number, userid: string }> }} Callback */

/**
 * What the application is asked for; `null` if no diagram shows it.
 * @param {string} url
 * @param {() => Callback} callbackOf What is sent with a callback.
 * @returns {Message | null}
 */
export function requestTo (url, callbackOf) {
  const { path, action } = placeOf(url)
  if (path === '/report') return { from: 'browser', to: 'application', says: 'the page', code: 'GET /report' }
  if (/\/assets\/editor-\w+\.js$/.test(path)) {
    return {
      from: 'browser',
      to: 'application',
      says: 'the module that mounts the editor',
      code: 'GET assets/editor-….js'
    }
  }
  if (action === 'download') {
    return { from: 'documentServer', to: 'application', says: 'the document', code: 'GET ?action=download' }
  }
  if (action !== 'callback') return null
  const callback = callbackOf()
  const code = `POST ?action=callback, status ${callback.status}`
  return { from: 'documentServer', to: 'application', says: meaningOf(callback), code }
}

/**
 * What the application answers.
 * @param {string} url
 * @param {unknown} payload
 * @returns {Message | null}
 */
export function answerTo (url, payload) {
  const { path, action } = placeOf(url)
  if (path === '/report') {
    return { from: 'application', to: 'browser', says: 'HTML with the signed configuration', isReply: true }
  }
  if (action === 'download') return { from: 'application', to: 'documentServer', says: 'the file', isReply: true }
  if (action !== 'callback') return null
  const code = String(payload).trim()
  const isAccepted = JSON.parse(code).error === 0
  const says = isAccepted ? 'accepted' : 'refused'
  return { from: 'application', to: 'documentServer', says, code, isReply: true, isBad: !isAccepted }
}

/** @type {ReadonlyArray<[path: RegExp, message: Message]>} */
const SERVER_REQUESTS = [
  [/\/api\.js$/, { from: 'browser', to: 'documentServer', says: 'the editor’s script', code: 'GET api.js' }],
  [/^\/web-apps\/.*\/index\.html$/, { from: 'browser', to: 'documentServer', says: 'the editor itself, in a frame' }],
  [/\/doc\/socket$/, {
    from: 'browser',
    to: 'documentServer',
    says: 'the configuration with its token',
    code: 'WebSocket'
  }],
  [/^\/cache\/files\//, {
    from: 'application',
    to: 'documentServer',
    says: 'fetch the saved file',
    code: 'GET the URL in the callback'
  }],
  [/CommandService/, {
    from: 'application',
    to: 'documentServer',
    says: 'does anybody still edit?',
    code: 'POST command'
  }]
]

/**
 * What the document server is asked for.
 * @param {string} url
 * @returns {Message | null}
 */
export function requestToServer (url) {
  const { path } = placeOf(url)
  return SERVER_REQUESTS.find(([pattern]) => pattern.test(path))?.[1] ?? null
}

/** @param {Callback} callback */
function meaningOf ({ status, actions = [] }) {
  const [action] = actions
  if (status === 1) {
    return action
      ? `${action.userid} has ${action.type === 1 ? 'joined' : 'left'}`
      : 'there are editors'
  }
  if (status === 2) return 'the last one has left: save'
  if (status === 4) return 'the last one has left, nothing has changed'
  return 'save, the session goes on'
}

/** @param {string} url */
function placeOf (url) {
  const { pathname, searchParams } = new URL(url, 'http://host')
  return { path: pathname, action: searchParams.get('action') }
}
