// Requests of a page to the handler: each answer brings fresh tokens, and the token is renewed also while the user only
// types. A page that was asleep for longer than that is told at its next request.
import { ActionError } from './errors.js'
import { updateFragment } from './fragment.js'
import { stateOf } from './registry.js'

/** @import { EditorPage, Fresh } from './fragment.js' */

/** Longer than the application's own time limits: it then says what went wrong. */
const TIME_LIMIT_MS = 180_000

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
    throw new ActionError(
      status,
      String(answer?.code ?? ''),
      `The action ${action} answered ${status}: ${answer?.message ?? ''}`
    )
  }
  if (typeof answer !== 'object' || answer === null) {
    throw new ActionError(0, '', `Something else answered in the place of the action ${action}`)
  }
  return answer
}

/**
 * Whether a request was answered at another path: an application that has logged out the user may lead to a page for
 * logging in, which must not pass for an answer.
 * @param {Response} response
 * @param {string} requested URL
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

/** Their answers have a token that says something else than before. */
const CHANGING = ['config', 'favorite', 'rename']

/**
 * Asks for an action. The fragment has the fresh tokens then.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {string} action
 * @param {object} body
 * @returns {Promise<any>} The answer without the tokens: it may be for the editor, which they are no business of.
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
 * Asks for a fresh configuration of the page's document. The fragment has it then.
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

/** A request that failed is made again after this part of the usual time. */
const SOONER = 10

/**
 * Renews the token of a fragment for as long as the fragment is in the page, whether its editor is mounted or not.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page Of the latest mount.
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
 * Not that the application refuses it: the user may log in again before the token has expired.
 * @param {unknown} error
 */
function isTransient (error) {
  return !(error instanceof ActionError) || error.status === 0 || error.status === 429 || error.status >= 500
}
