import { showClose, showFixed, showSavable, showUndoable } from './buttons.js'
import { afterComposing } from './composing.js'
import { connect } from './connection.js'
import { createEditors } from './editors.js'
import { showCut, showNote, showScreen, showState, showTitle, showToast } from './frame.js'
import { emit, isHandled } from './embedding-page.js'
import { watchPlace } from './writing/place.js'
import { showMarks, showPresence } from './presence.js'
import { closing, editorCode, refusal } from './messages.js'
import { showContent, showGrid } from './views.js'
/** @import { Opened, ServerMessage, User } from './protocol.js' */

const SAVED_MEANWHILE = 4008

/** @type {ReturnType<typeof connect> | null} */ export let connection = null
/** @type {Opened | null} */ let opened = null
/** @type {User[]} */ let users = []
let isLeaving = false
let isEnded = false
let isDirty = false

export const editing = createEditors({
  send: message => connection?.send(message) ?? false,
  show: (shown, outbox) => showContent(shown, outbox, opened),
  showGrid: (shown, outbox) => showGrid(shown, outbox, opened),
  dirty,
  undoable: showUndoable
})
const place = watchPlace(() => editing.view()?.place() ?? null, at => connection?.send({ type: 'place', place: at }))

/** @param {boolean} value */
function dirty (value) {
  if (value) showState('editing')
  else if (isDirty) showState('received')
  if (isDirty === value) return
  isDirty = value
  showSavable({ dirty: value })
  emit('onDocumentStateChange', value)
}

export function save () {
  showSavable({ saving: true })
  showState('saving')
  editing.whenSent(() => {
    showState('saving')
    connection?.send({ type: 'forceSave' })
  })
}

/** @param {Opened} message */
function start (message) {
  const isFirst = opened === null
  opened = message
  showCut(false)
  showTitle(opened.title)
  showState(isFixed() ? 'viewing' : isDirty ? 'editing' : opened.unsaved ? 'received' : isFirst ? 'ready' : 'stored')
  if (opened.outdated) showNote('This version of the document has just been saved and is read-only. Reopen the document to continue editing.')
  showFixed(isFixed())
  showSavable({ unsaved: opened.unsaved, saving: false })
  editing.opened(opened.content, opened.connectionId, opened.batch)
  showUsers(opened.users)
  place.forget()
  if (!isFirst) return
  emit('onInfo', { mode: opened.viewOnly ? 'view' : 'edit' })
  emit('onDocumentReady')
  if (opened.outdated) emit('onOutdatedVersion')
}

/** Somebody changed the document: there is something to save. */
function changed () {
  showSavable({ unsaved: true })
  if (!isDirty && !isFixed()) showState('received')
}

function isFixed () {
  return opened === null || opened.viewOnly || opened.content.kind === 'readonly'
}

/** @param {User[]} present */
function showUsers (present) {
  users = present
  showPresence(users, editing.view())
}

/** @param {string} title @param {string} text @param {string[]} [unsent] typed text that did not arrive */
function end (title, text, unsent = []) {
  isEnded = true
  showCut(false)
  showState('closed')
  showScreen(title, text, unsent)
  if (!isHandled('onRequestClose')) showClose({ visible: false }) // there is nothing left to close
}

/** @param {number} code @param {string} description */
function refuse (code, description) {
  if (code === SAVED_MEANWHILE && opened !== null) {
    end('The connection was lost for too long', 'The document server has ended this session and keeps the changes it received. Reload the page to continue editing.', editing.unsentTexts())
    return emit('onOutdatedVersion')
  }
  const text = refusal(code, description)
  end('The document cannot be opened', `${text} (${code})`)
  showState('refused')
  emit('onError', { errorCode: editorCode(code), errorDescription: text })
}

/** @param {ServerMessage} message */
function receive (message) {
  switch (message.type) {
    case 'opened': return start(message)
    case 'refused': return refuse(message.code, message.message)
    case 'users': return showUsers(message.users)
    case 'operation':
      editing.apply(message.operation, message.by === opened?.connectionId)
      changed()
      return showMarks(users, editing.view())
    case 'content':
      editing.replaced(message.content)
      changed()
      return showMarks(users, editing.view())
    case 'received': return editing.received(message.batch)
    case 'renamed':
      showTitle(message.title)
      return emit('onMetaChange', { title: message.title })
    case 'saved':
    case 'forceSaved':
      showSavable({ unsaved: message.unsaved })
      return isDirty ? undefined : showState(message.accepted ? 'stored' : 'error')
    case 'forceSaveDone': return forceSaved(message)
    case 'warning':
      showToast(message.message)
      return emit('onWarning', { warningCode: message.code ?? -1, warningDescription: message.message })
    case 'failed':
      showSavable({ saving: false })
      return fail(-1, message.message)
    case 'downloadAs':
      if (message.error !== undefined) return fail(-3, message.error)
      return emit('onDownloadAs', { fileType: message.fileType, url: message.url })
    case 'dropped':
      leave()
      return end('You were disconnected', 'The application ended this editing session.')
    case 'closed':
      if (!isEnded) end('Document closed', closing(message))
      return emit('gone')
  }
}

/** @param {number} errorCode @param {string} errorDescription */
function fail (errorCode, errorDescription) {
  showToast(errorDescription)
  emit('onError', { errorCode, errorDescription })
}

/** @param {{ nothing: boolean, accepted: boolean, answer: unknown, unsaved: boolean }} result */
function forceSaved ({ nothing, accepted, answer, unsaved }) {
  showSavable({ unsaved, saving: false })
  if (nothing) {
    showState('received')
    return showToast('There is nothing new to save')
  }
  if (accepted) return
  showToast('The application refused the save. The changes are kept and will be sent again when the document is closed.')
  emit('onWarning', { warningCode: -1, warningDescription: `The application refused the save: ${JSON.stringify(answer)}` })
}

/** The connection was lost. It is retried unless the editor is closing. */
function cut () {
  editing.cut()
  showSavable({ saving: false })
  if (!isLeaving) {
    showState('reconnecting')
    return showCut(true)
  }
  connection?.end()
  if (!isEnded) end('The connection was lost while closing', 'The changes that the document server received are saved.', editing.unsentTexts())
  emit('gone')
}

/** @param {object & { editorConfig?: { customization?: { close?: { visible?: boolean, text?: string } } } }} config */
export function open (config) {
  showClose(config.editorConfig?.customization?.close)
  connection = connect(config, { message: afterComposing(receive), cut })
}

/** Sends what is left and leaves. The editor then shows a closed screen; the embedding page removes it with `destroyEditor()`. */
export function leave () {
  if (isEnded || connection === null) return emit('gone')
  if (isLeaving) return
  isLeaving = true
  editing.sendAll()
  showState('saving')
  if (!connection.send({ type: 'close' })) cut()
}
