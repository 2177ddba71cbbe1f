import { connect } from './connection.js'
import { createEditing } from './editing.js'
import { content, saveButton, showCut, showNote, showScreen, showState, showTitle, showToast } from './frame.js'
import { emit } from './host.js'
import { paragraphsView } from './paragraphs-view.js'
import { announcePlace } from './place.js'
import { showMarks, showPresence } from './presence.js'
import { readingView } from './reading-view.js'
import { closing, refusal } from './reasons.js'
import { textView } from './text-view.js'
/** @import { Content, Opened, Outbox, ServerMessage, User } from './protocol.js' */

const SAVED_MEANWHILE = 4008

/** @type {ReturnType<typeof connect> | null} */ export let connection = null
/** @type {Opened | null} */ let opened = null
/** @type {User[]} */ let users = []
let isLeaving = false
let isEnded = false
let isDirty = false

export const editing = createEditing({ send: message => connection?.send(message) ?? false, show, dirty })
const place = announcePlace(() => editing.view()?.place() ?? null, at => connection?.send({ type: 'place', place: at }))

/** @param {boolean} value */
function dirty (value) {
  if (value) showState('editing')
  else if (isDirty) showState('received')
  if (isDirty === value) return
  isDirty = value
  emit('onDocumentStateChange', value)
}

/** @param {Content} shown @param {Outbox} outbox */
function show (shown, outbox) {
  content.setAttribute('aria-busy', 'false')
  const viewOnly = opened?.viewOnly ?? true
  if (shown.kind === 'text') return textView(content, shown.text, viewOnly, outbox)
  if (shown.kind === 'paragraphs') return paragraphsView(content, shown.paragraphs, viewOnly, outbox)
  showNote(shown.note)
  readingView(content, shown.paragraphs, opened?.fileType ?? '')
  return null
}

/** @param {Opened} message */
function start (message) {
  const isFirst = opened === null
  opened = message
  const isFixed = opened.viewOnly || opened.content.kind === 'readonly'
  showCut(false)
  showTitle(opened.title)
  showState(isFixed ? 'viewing' : isFirst ? 'ready' : isDirty ? 'editing' : 'received')
  if (opened.outdated) showNote('This version of the document was saved a moment ago and is shown for reading only: reopen it to go on editing.')
  saveButton.disabled = saveButton.hidden = isFixed
  editing.opened(opened.content, opened.connectionId, opened.batch)
  showUsers(opened.users)
  place.forget()
  if (!isFirst) return
  emit('onDocumentReady')
  emit('onInfo', { mode: opened.viewOnly ? 'view' : 'edit' })
  if (opened.outdated) emit('onOutdatedVersion')
}

/** @param {User[]} present */
function showUsers (present) {
  users = present
  showPresence(users, editing.view())
}

/** @param {string} title @param {string} text @param {string[]} [unsent] what did not arrive */
function end (title, text, unsent = []) {
  isEnded = true
  showCut(false)
  showState('closed')
  showScreen(title, text, unsent)
}

/** @param {number} code @param {string} description */
function refuse (code, description) {
  if (code === SAVED_MEANWHILE && opened !== null) {
    end('The connection was lost for too long', 'The document server has ended this session meanwhile, with what had arrived. Reload the page to go on editing.', editing.unsentTexts())
    return emit('onOutdatedVersion')
  }
  const text = refusal(code, description)
  end('The document cannot be opened', `${text} (${code})`)
  showState('refused')
  emit('onError', { errorCode: code, errorDescription: text })
}

/** @param {ServerMessage} message */
function receive (message) {
  switch (message.type) {
    case 'opened': return start(message)
    case 'refused': return refuse(message.code, message.message)
    case 'users': return showUsers(message.users)
    case 'operation':
      editing.apply(message.operation, message.by === opened?.connectionId)
      return showMarks(users, editing.view())
    case 'content':
      editing.replaced(message.content)
      return showMarks(users, editing.view())
    case 'received': return editing.received(message.batch)
    case 'renamed':
      showTitle(message.title)
      return emit('onMetaChange', { title: message.title })
    case 'saved':
    case 'forceSaved': return isDirty ? undefined : showState(message.accepted ? 'stored' : 'error')
    case 'forceSaveDone': return forceSaved(message)
    case 'warning':
      showToast(message.message)
      return emit('onWarning', { warningCode: message.code ?? -1, warningDescription: message.message })
    case 'failed': return fail(-1, message.message)
    case 'downloadAs':
      if (message.error !== undefined) return fail(-3, message.error)
      return emit('onDownloadAs', { fileType: message.fileType, url: message.url })
    case 'dropped':
      leave()
      return end('You were disconnected', 'The host ended this editing session.')
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

/** @param {{ nothing: boolean, accepted: boolean, answer: unknown }} result */
function forceSaved ({ nothing, accepted, answer }) {
  if (nothing) {
    showState('received')
    return showToast('There is nothing new to save')
  }
  if (accepted) return
  showToast('The host refused the save; the changes are kept and sent again when the document is closed')
  emit('onWarning', { warningCode: -1, warningDescription: `The host refused the save: ${JSON.stringify(answer)}` })
}

/** The connection was lost and is tried again, unless nobody wants it any more. */
function cut () {
  editing.cut()
  if (!isLeaving) {
    showState('reconnecting')
    return showCut(true)
  }
  connection?.end()
  if (!isEnded) end('The connection was lost while closing', 'What the document server had received is saved.', editing.unsentTexts())
  emit('gone')
}

/** @param {object} config */
export function open (config) {
  connection = connect(config, { message: receive, cut })
}

/** Sends what is left and leaves. The editor stays as a closed screen: a host that wants it gone calls `destroyEditor()`. */
export function leave () {
  if (isEnded || connection === null) return emit('gone')
  if (isLeaving) return
  isLeaving = true
  editing.sendAll()
  showState('saving')
  if (!connection.send({ type: 'close' })) cut()
}
