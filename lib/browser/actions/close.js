import { firstMounted } from '../fragment.js'
import { wayBack } from '../links.js'

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
