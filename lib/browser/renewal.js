// Keeps the page's token valid, also while the user only types. A page that was asleep for longer than that is told at its next request.
import { ActionError } from './errors.js'
import { ask } from './fresh.js'
import { stateOf } from './registry.js'

/** @import { EditorPage } from './fragment.js' */

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

/** Not that the application refuses it: the user may log in again before the token has expired. @param {unknown} error */
function isTransient (error) {
  return !(error instanceof ActionError) || error.status === 0 || error.status === 429 || error.status >= 500
}
