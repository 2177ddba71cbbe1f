// A fresh configuration of the page's document.
import { updateFragment } from './fragment.js'
import { post } from './request.js'

/** @import { EditorPage, Fresh } from './fragment.js' */

/**
 * Asks for one. The fragment has it then.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {{ purpose: 'refresh' | 'edit' | 'reopen' | 'retry', actionLink?: object, key?: string }} request
 * @returns {Promise<Fresh>}
 */
export async function askFresh (fragment, page, request) {
  /** @type {Fresh} */
  const fresh = await post(page, 'config', request)
  updateFragment(fragment, page, fresh)
  return fresh
}
