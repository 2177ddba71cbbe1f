// Requests to the application, each of which also brings fresh tokens: a page in use does not expire.
import { updateFragment } from './fragment.js'
import { post } from './request.js'

/** @import { EditorPage, Fresh } from './fragment.js' */

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
  if (typeof pageToken === 'string' && (page.pageToken === sent || CHANGING.includes(action))) updateFragment(fragment, page, { pageToken, proxyToken })
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
