import { emit } from '../embedding-page.js'
import { editing, undoUnsent } from '../session.js'
import { askUser } from './dialog.js'

export const closing = {
  /** Raises the event. Asks first if something was typed and not sent: OK undoes it. */
  async requestClose () {
    if (editing.isTyped()) {
      editing.hold(true)
      const answer = await askUser({ title: 'Leave the document?', text: 'It has changes that are not saved. OK undoes them; Cancel stays here.' })
      if (answer !== null) undoUnsent()
      editing.hold(false)
      if (answer === null) return
    }
    if (editing.isUnsent()) editing.whenSent(close)
    else close()
  }
}

function close () {
  emit('onRequestClose')
}
