// Requests of a page to the handler's actions.
import { ActionError } from './errors.js'

/** @import { EditorPage } from './fragment.js' */

/** Longer than the application's own time limits: it then says what went wrong. */
const TIME_LIMIT_MS = 180_000

/**
 * @param {Pick<EditorPage, 'handler' | 'pageToken'>} page
 * @param {string} action
 * @param {object} body
 * @returns {Promise<any>} The answer. Rejects with an `ActionError`.
 */
export async function post ({ handler, pageToken }, action, body) {
  const { status, ok, answer } = await answerOf(`${handler}/actions/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-editor-page-token': pageToken },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIME_LIMIT_MS)
  })
  if (!ok) throw new ActionError(status, String(answer?.code ?? ''), `The action ${action} answered ${status}: ${answer?.message ?? ''}`)
  if (typeof answer !== 'object' || answer === null) throw new ActionError(0, '', `Something else answered in the place of the action ${action}`)
  return answer
}

/**
 * Whether a request was answered at another path: an application that has logged out the user may lead to a page for logging in, which
 * must not pass for an answer.
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
