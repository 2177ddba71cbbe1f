// Closing: by the editor's own button, and by elements of the page.
import { firstMounted, readFragment, stateOf } from '../fragment.js'
import { pageUrl, wayBack } from '../page.js'

/** @typedef {import('./index.js').ActionContext} ActionContext */

/** Strict co-editing only sends on saving: waiting longer is useless, unless the user has just saved. */
const STRICT_LIMIT_MS = 3000

/** @type {import('./index.js').ActionGroup} */
export function close (context) {
  return {
    async onRequestClose () {
      // The editor itself has already asked about unsent changes.
      if (!await closeEditor(context, { isQuiet: true })) return
      const back = wayBack({ ...context.page, isOnly: firstMounted() === null })
      if (back !== null) location.assign(back)
    }
  }
}

/**
 * Closes the editor when everything is sent, and leaves a cover in its place. If something cannot be sent, the user
 * decides.
 * @param {ActionContext} context
 * @param {{ force?: boolean, isQuiet?: boolean }} [options]
 * @returns {Promise<boolean>} `false` if the user keeps the editor open
 */
export async function closeEditor (context, options = {}) {
  const { changes, isStrict, messages, tell, unmount } = context
  tell.busy(messages.closing)
  try {
    await unmount({ ...isStrict && { timeout: STRICT_LIMIT_MS }, ...options })
  } catch (error) {
    const { reason } = /** @type {{ reason?: string }} */ (error)
    if (reason === 'continued') return false
    if (reason === 'unanswered' || changes.isUnsent()) return await decided(context, reason)
    console.error(error)
  }
  showClosed(context)
  return true
}

/**
 * @param {ActionContext} context
 * @param {string} [reason] Of the `UnsentChangesError`.
 * @returns {Promise<boolean>}
 */
function decided (context, reason) {
  const { isStrict, messages, tell } = context
  const mustSave = isStrict || reason === 'unanswered'
  return new Promise(resolve => {
    tell.ask({
      title: messages.unsent,
      advice: mustSave ? messages.unsavedAdvice : messages.unsentAdvice,
      buttons: [
        { label: messages.keepOpen, run: () => resolve(false) },
        { label: messages.closeAnyway, run: () => resolve(closeEditor(context, { force: true })) }
      ]
    })
  })
}

/** Also shown to users who come back to this page. @param {ActionContext} context */
function showClosed ({ askFresh, messages, notice, remount }) {
  const buttons = [{ label: messages.openAgain, run: openAgain }]
  notice.show({ place: 'cover', role: 'status', title: messages.closed, buttons })
  notice.focus()

  /** Reloads the page if there is no fresh configuration: the page itself has one. */
  async function openAgain () {
    try {
      await askFresh({ purpose: 'reopen' })
      await remount()
    } catch (error) {
      console.error(error)
      location.reload()
    }
  }
}

// Elements with which the user closes the page. The editor's own close button loses what was typed just before.

const ELEMENT = '[data-onlyoffice-close]'
const SAME_TAB = ['_self', '_parent', '_top']
let isFollowing = false

export const hasCloseElement = () => document.querySelector(ELEMENT) !== null

/**
 * From now on such an element closes the editors of the page when everything is sent. Then it does its usual task: it
 * opens its `href`, submits its form, or opens `closeUrl`.
 */
export function followCloseElements () {
  if (isFollowing) return
  isFollowing = true
  document.addEventListener('click', clicked)
}

/** @param {MouseEvent} event */
async function clicked (event) {
  const element = event.target instanceof Element ? event.target.closest(ELEMENT) : null
  if (element === null || event.defaultPrevented || opensElsewhere(event, element)) return
  const fragments = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-onlyoffice-editor]')]).filter(
    readFragment
  )
  if (fragments.length === 0) return
  event.preventDefault()
  const closed = await Promise.all(fragments.map(fragment => stateOf(fragment).editor?.close() ?? true))
  if (closed.includes(false)) return
  if (element instanceof HTMLButtonElement && element.type === 'submit' && element.form) {
    return element.form.requestSubmit(element)
  }
  const closeUrl = fragments.map(({ dataset }) => dataset.closeUrl).find(Boolean) ?? ''
  const url = pageUrl(element.getAttribute('href')) ?? wayBack({ closeUrl, isOnly: true })
  if (url !== null) window.open(url, targetOf(element))
}

/** Whether another tab or a download opens and this page stays. @param {MouseEvent} event @param {Element} element */
function opensElsewhere ({ ctrlKey, metaKey, shiftKey, altKey }, element) {
  return ctrlKey || metaKey || shiftKey || altKey || element.hasAttribute('download') ||
    !SAME_TAB.includes(targetOf(element))
}

/** @param {Element} element */
function targetOf (element) {
  return element.getAttribute('target')?.toLowerCase() || '_self'
}
