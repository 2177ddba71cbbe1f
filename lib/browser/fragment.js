// The data that `control.render()` wrote into a fragment. A fresh configuration replaces them for the next mount.

/** @import { Config } from '@onlyoffice/doceditor-types' */
/** @import { Messages } from './messages.js' */

/**
 * @typedef {object} EditorPage
 * @property {string} api URL of the document server's api.js.
 * @property {string} handler Path of the handler.
 * @property {string} fileId The stored document; empty if the page shows none.
 * @property {string} proxyToken Credential for the proxy action.
 * @property {string} pageToken Credential for the other actions; empty without them.
 * @property {number} renewAfter Milliseconds after which the page's token is renewed; `0` without one.
 * @property {string | undefined} lockReason Why the document opens for viewing only; empty without a reason.
 * @property {string[]} actions Requests that the page may send to the application.
 * @property {string[]} events Names of the events that the page requests.
 * @property {string} closeUrl The page to open after the editor was closed.
 * @property {Messages} messages The texts of the page.
 * @property {Config} config
 * @property {string} placeholderId ID of the element that becomes the editor.
 */

/**
 * @typedef {{ config: Config, actions?: string, lockReason?: string }} Fresh An answer of the action `config`, without
 *   its tokens.
 */

/**
 * @param {HTMLElement} fragment
 * @returns {EditorPage | null} `null` if there is no document to mount.
 */
export function readFragment (fragment) {
  const { api, handler, lockReason } = fragment.dataset
  const { fileId = '', proxyToken = '', pageToken = '', closeUrl = '', renewAfter = '0' } = fragment.dataset
  const [data, placeholder] = fragment.children
  // Only a script element counts: sanitized HTML of a user may contain these attributes, but no script element.
  if (!(data instanceof HTMLScriptElement)) return null
  const config = JSON.parse(data.textContent ?? 'null')
  if (config === null || !placeholder || !api || !handler) return null
  const texts = { api, handler, lockReason, fileId, proxyToken, pageToken, closeUrl }
  return {
    ...texts,
    config,
    messages: JSON.parse(fragment.dataset.messages ?? '{}'),
    renewAfter: Number(renewAfter),
    actions: words(fragment.dataset.actions),
    events: words(fragment.dataset.events),
    placeholderId: placeholder.id
  }
}

/**
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {Partial<Fresh> & { pageToken?: string, proxyToken?: string }} fresh
 */
export function updateFragment (
  fragment, page,
  { config, lockReason, pageToken = page.pageToken, proxyToken = page.proxyToken, actions = page.actions.join(' ') }
) {
  Object.assign(page, { pageToken, proxyToken, actions: words(actions) })
  Object.assign(fragment.dataset, { pageToken, proxyToken, actions })
  if (config === undefined) return
  Object.assign(page, { config, lockReason })
  if (lockReason === undefined) delete fragment.dataset.lockReason
  else fragment.dataset.lockReason = lockReason
  const [data] = fragment.children
  if (data instanceof HTMLScriptElement) data.textContent = JSON.stringify(config)
}

/** @param {string} [list] */
function words (list = '') {
  return list.split(/\s+/).filter(Boolean)
}

// The state of each fragment, shared by all copies of this module in a page: the one that the handler serves, and one
// in a bundle.

/** @import { DocEditor } from '@onlyoffice/doceditor-types' */
/** @import { MountedEditor } from './create-editor.js' */
/** @import { EditorPage } from './fragment.js' */
/** @import { Notice } from './notice.js' */
/** @import { Opening } from './opening.js' */

/**
 * @typedef {object} FragmentState
 * @property {Promise<DocEditor | null>} [mount] The latest mount, unless it has failed.
 * @property {MountedEditor} [editor]
 * @property {Opening} [opening]
 * @property {Notice} [notice]
 * @property {Promise<void>} [unmount] Set while it waits for the editor.
 * @property {EditorPage} [page] The page data of the latest mount.
 * @property {string} [refusedKey] The document key of a session whose latest save was refused.
 * @property {ReturnType<typeof setTimeout>} [renewal] Timer of the next renewal of the page's token.
 */

const REGISTER = Symbol.for('fastify-onlyoffice.fragments')
const shared = /** @type {{ [REGISTER]?: WeakMap<Element, FragmentState> }} */ (globalThis)
const states = shared[REGISTER] ??= new WeakMap()

/**
 * @param {Element} fragment
 * @returns {FragmentState}
 */
export function stateOf (fragment) {
  const state = states.get(fragment) ?? {}
  states.set(fragment, state)
  return state
}

/** A user's HTML in the page may have the attribute, but never an editor. */
export function firstMounted () {
  return Array.from(document.querySelectorAll('[data-onlyoffice-editor]')).find(fragment => stateOf(fragment).editor) ??
    null
}
