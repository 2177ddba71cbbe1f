// Requests of a page to the handler. Each answer brings fresh tokens, and the token is also renewed while the user only
// types. A page that was asleep for longer learns at its next request that its token has expired.
import { ActionError } from './errors.js'
import { stateOf, updateFragment } from './fragment.js'

/** @import { EditorPage, Fresh } from './fragment.js' */

/** Longer than the application's own time limits, so that its answer can say what went wrong. */
const TIME_LIMIT_MS = 180_000

/** The application's hook `inspect` has rejected the content. */
const REJECTED = 'FST_EDITOR_REJECTED'

/**
 * @param {Pick<EditorPage, 'handler' | 'pageToken'>} page
 * @param {string} action
 * @param {object} body
 * @returns {Promise<any>} The answer. Rejects with an `ActionError`.
 */
async function post ({ handler, pageToken }, action, body) {
  const { status, ok, answer } = await answerOf(`${handler}/actions/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIME_LIMIT_MS)
  })
  if (!ok) {
    const code = String(answer?.code ?? '')
    const message = String(answer?.message ?? '')
    const forUser = code === REJECTED ? message : ''
    throw new ActionError(status, code, `The action ${action} answered ${status}: ${message}`, { forUser })
  }
  if (typeof answer !== 'object' || answer === null) {
    throw new ActionError(0, '', `Another server answered instead of the action ${action}`)
  }
  return answer
}

/**
 * Whether a request was answered at another path: an application that has logged out the user may lead to a page for
 * logging in, which must not pass for an answer.
 * @param {Response} response
 * @param {string} requested URL of the request.
 */
export function wasLedElsewhere ({ redirected, url }, requested) {
  return redirected && new URL(url).pathname !== new URL(requested, document.baseURI).pathname
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function answerOf (url, init) {
  try {
    const response = await fetch(url, init)
    if (wasLedElsewhere(response, url)) return { status: 401, ok: false, answer: null }
    const { status, ok } = response
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status, ok, answer: isJson ? await response.json() : null }
  } catch (cause) {
    throw new ActionError(0, '', 'The application did not answer', { cause })
  }
}

/** The tokens in the answers to these actions differ in content from earlier ones. */
const CHANGING = ['config', 'favorite', 'rename']

/**
 * Asks for an action, and puts the fresh tokens into the fragment.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {string} action
 * @param {object} body
 * @returns {Promise<any>} The answer without the tokens: it may be passed to the editor, which must not get them.
 */
export async function ask (fragment, page, action, body) {
  const { pageToken: sent } = page
  const { pageToken, proxyToken, ...answer } = await post(page, action, body)
  // Another answer may have brought a newer token meanwhile, such as that of a renamed document.
  if (typeof pageToken === 'string' && (page.pageToken === sent || CHANGING.includes(action))) {
    updateFragment(fragment, page, { pageToken, proxyToken })
  }
  return answer
}

/**
 * Asks for a fresh configuration of the page's document, and puts it into the fragment.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {{ purpose: 'refresh' | 'edit' | 'reopen' | 'retry', actionLink?: object, key?: string }} request
 * @returns {Promise<Fresh>}
 */
export async function askFresh (fragment, page, request) {
  /** @type {Fresh} */
  const fresh = await ask(fragment, page, 'config', request)
  updateFragment(fragment, page, fresh)
  return fresh
}

/** A failed request is repeated after the usual time divided by this number. */
const SOONER = 10

/**
 * Renews the token of a fragment for as long as the fragment is in the page, whether its editor is mounted or not.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page The page data of the latest mount.
 */
export function keepTokenValid (fragment, page) {
  const state = stateOf(fragment)
  state.page = page
  if (page.pageToken !== '' && page.renewAfter > 0) state.renewal ??= setTimeout(renew, page.renewAfter, fragment)
}

/** @param {HTMLElement} fragment */
async function renew (fragment) {
  const state = stateOf(fragment)
  if (!fragment.isConnected || !state.page) return delete state.renewal
  const { renewAfter } = state.page
  let wait = renewAfter
  try {
    await ask(fragment, state.page, 'renew', {})
  } catch (error) {
    if (isTransient(error)) wait /= SOONER
    console.warn(error)
  }
  state.renewal = setTimeout(renew, wait, fragment)
}

/**
 * Whether a retry may soon succeed. A refusal is not transient: the user may log in again before the token expires.
 * @param {unknown} error
 */
export function isTransient (error) {
  return !(error instanceof ActionError) || error.status === 0 || error.status === 429 || error.status >= 500
}
