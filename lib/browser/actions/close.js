import { wayBack } from '../links.js'
import { firstMounted } from '../registry.js'

/** @type {import('./index.js').ActionGroup} */
export function close ({ askFresh, changes, messages, notice, page, remount, tell, unmount }) {
  return { onRequestClose: () => closeEditor({ isQuiet: true }) } // the editor has asked about unsent changes itself

  /** @param {{ force?: boolean, isQuiet?: boolean }} options */
  async function closeEditor (options) {
    if (changes.isUnsent()) tell.busy(messages.closing)
    try {
      await unmount(options)
    } catch (error) {
      if (changes.isUnsent()) return offerChoice()
      console.error(error)
    }
    leave()
  }

  function offerChoice () {
    tell.ask({
      title: messages.unsent,
      advice: messages.unsentAdvice,
      buttons: [
        { label: messages.keepOpen, run: () => {} },
        { label: messages.closeAnyway, run: () => closeEditor({ force: true }) }
      ]
    })
  }

  function leave () {
    const back = wayBack({ ...page, isOnly: firstMounted() === null })
    if (back !== null) return location.assign(back)
    notice.show({ place: 'cover', role: 'status', title: messages.closed, buttons: [{ label: messages.openAgain, run: openAgain }] })
    notice.focus()
  }

  /** Without a fresh configuration: the page itself has one. */
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
