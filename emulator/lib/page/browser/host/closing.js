import { emit } from '../embedding-page.js'
import { editing, hold, undoUnsent } from '../session.js'
import { askUser } from './dialog.js'

export const closing = {
  /**
   * Raises the event. Asks first if something was typed and not sent; nothing is sent meanwhile. OK undoes it, and has
   * the focus.
   */
  async requestClose () {
    if (editing.isTyped()) {
      hold(true)
      const answer = await askUser({ title: 'Warning', text: 'All unsaved changes will be lost', focusesOk: true })
      if (answer !== null) undoUnsent()
      hold(false)
      if (answer === null) return
    }
    if (editing.isUnsent()) editing.whenSent(close)
    else close()
  }
}

function close () {
  emit('onRequestClose')
}
