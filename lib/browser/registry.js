// The state of each fragment, shared by all copies of this module in a page: the one that the handler serves, and one
// in a bundle.

/** @import { DocEditor } from '@onlyoffice/doceditor-types' */
/** @import { MountedEditor } from './create-editor.js' */
/** @import { EditorPage } from './fragment.js' */
/** @import { Opening } from './opening.js' */

/**
 * @typedef {object} FragmentState
 * @property {Promise<DocEditor | null>} [mount] The latest mount, unless it has failed.
 * @property {MountedEditor} [editor]
 * @property {Opening} [opening]
 * @property {Promise<void>} [unmount] Set while it waits for the editor.
 * @property {EditorPage} [page] The page data of the latest mount.
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
