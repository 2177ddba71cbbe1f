import { showFixed, showSavable } from './buttons.js'
import { connect } from './connection.js'
import { createEditors } from './editors.js'
import { content, hideScreen, showCut, showNote, showScreen, showState, showTitle, showToast } from './frame.js'
import { emit, isHandled } from './embedding-page.js'
import { watchPlace } from './place.js'
import { showMarks, showPresence } from './presence.js'
import { editorCode, refusal } from './messages.js'
import { createRequests, RefusedError } from './requests.js'
import { loadText } from './text/loading.js'
import { showFixedContent, showForm, showGrid, showText } from './views.js'
/** @import { Config, Opened, ServerMessage, User } from './protocol.js' */

const SAVED_MEANWHILE = 4008
const NEEDS_PASSWORD = -90
/** The editor gives up. Source: docs/document-server-protocol.md#events-and-what-answers-them */
const CRASHED = -25
/** A file could not be made. Source: docs/document-server-protocol.md#its-order-and-its-effects */
const NOT_MADE = -83
/** Formats whose encoding or delimiter the real editor asks for. */
const ASKED_FOR = ['csv', 'txt']

/** @type {ReturnType<typeof connect> | null} */ export let connection = null
/** @type {Opened | null} */ let opened = null
/** @type {User[]} */ let users = []
/** @type {Config} */ let config = {}
let isLeaving = false
let isEnded = false
let isDirty = false
/** A fresh configuration was requested: its document is opened as it is. */
let isRefreshed = false
/** The session has ended and another key is needed. */
let isOutdated = false

/** @type {Array<(opened: Opened) => void>} */ const openedListeners = []
/** @type {Array<(users: User[]) => void>} */ const usersListeners = []
const requests = createRequests(message => connection?.send(message) ?? false)
export const { request } = requests
export const getOpened = () => opened
export const getConfig = () => config

/** @type {(id: string, value: string) => boolean} */
let takesLink = () => false

/** Sets what decides whether a value typed into a cell is a link to another file. @param {typeof takesLink} taker */
export function setLinkTaker (taker) {
  takesLink = taker
}

/** Runs an action when a document is opened or reconnected. @param {(opened: Opened) => void} action */
export function whenOpened (action) {
  openedListeners.push(action)
}

/** Runs an action when the users change. @param {(users: User[]) => void} action */
export function whenUsersChange (action) {
  usersListeners.push(action)
}

export const editing = createEditors({
  send: message => connection?.send(message) ?? false,
  showText: (shown, state, dispatch) => showText(shown, state, dispatch, opened),
  showGrid: (shown, cells) => showGrid(shown, cells, opened),
  showForm: shown => showForm(shown, opened, {
    fill: operation => connection?.send({ type: 'edit', operations: [operation], batch: 0 }),
    submit: hasSubmitButton() ? submit : null
  }),
  showFixed: shown => showFixedContent(shown, opened),
  dirty,
  takesLink: (id, value) => takesLink(id, value)
})
const place = watchPlace(
  () => editing.view()?.place() ?? null,
  () => editing.isUnsent(),
  at => connection?.send({ type: 'place', place: at })
)
/** Where the caret is, or was before the focus left the document. */
export const lastPlace = () => editing.caret()

/** @param {boolean} value */
function dirty (value) {
  if (value) showState('editing')
  else if (isDirty) showState('received')
  const isRepeated = value && users.filter(({ viewOnly }) => !viewOnly).length > 1
  if (isDirty === value && !isRepeated) return
  isDirty = value
  showSavable({ dirty: value })
  emit('onDocumentStateChange', value)
}

export function save () {
  showSavable({ saving: true })
  showState('saving')
  whenAllSent(() => {
    showState('saving')
    connection?.send({ type: 'forceSave' })
  })
}

function hasSubmitButton () {
  const { submitForm = true } = config.editorConfig?.customization ?? {}
  return typeof submitForm === 'object' ? submitForm.visible !== false : submitForm
}

async function submit () {
  showState('saving')
  try {
    const { accepted } = await request({ type: 'submit' })
    showState(accepted ? 'stored' : 'error')
    showToast(accepted ? 'The form was submitted' : 'The application refused the form. Submit it again.')
    if (accepted) emit('onSubmit')
  } catch (error) {
    showState('error')
    fail(error instanceof RefusedError ? error.code : -1, String(error instanceof Error ? error.message : error))
  }
}

/** In strict co-editing nothing is sent until the user saves. */
const isStrict = () => config.editorConfig?.coEditing?.mode === 'strict'

/** Sends everything, also in strict co-editing, and then runs an action. @param {() => void} action */
export function whenAllSent (action) {
  editing.hold(false)
  editing.whenSent(() => {
    editing.hold(isStrict())
    action()
  })
}

/** Sends nothing while a question is open. @param {boolean} value */
export function hold (value) {
  editing.hold(value || isStrict())
}

/** @param {Opened} message */
function start (message) {
  const isFirst = opened === null
  if (isFirst && message.outdated && isHandled('onRequestRefreshFile') && !isRefreshed) return requestRefresh()
  opened = message
  hideScreen()
  showCut(false)
  showTitle(opened.title)
  showState(isFixed() ? fixedState(opened) : isDirty ? 'editing' : opened.unsaved ? 'received' : isFirst ? 'ready' : 'stored')
  showNote(
    opened.outdated
      ? 'This version of the document has just been saved and is read-only. Reopen the document to continue editing.'
      : null
  )
  showFixed(isFixed())
  showSavable({ unsaved: opened.unsaved, saving: false })
  editing.opened(opened.content, opened.connectionId, opened.batch)
  editing.hold(isStrict())
  showUsers(opened.users)
  place.forget()
  if (isFirst) {
    if (ASKED_FOR.includes(opened.fileType) && !config.document?.options) emit('onUserActionRequired')
    if (document.documentElement.dataset.type !== 'mobile') focusDocument() // there it would show a keyboard
    emit('onInfo', { mode: opened.viewOnly ? 'view' : 'edit' })
    emit('onDocumentReady')
    if (opened.outdated) emit('onOutdatedVersion')
  }
  for (const action of openedListeners) action(opened)
}

/** Asks for a configuration with a new key. The page answers with `refreshFile`. */
function requestRefresh () {
  leave()
  end('This version of the document has just been saved', 'The page is asked for the new one.')
  emit('onRequestRefreshFile')
}

/** Somebody changed the document: there is something to save. */
function changed () {
  showSavable({ unsaved: true })
  if (!isDirty && !isFixed()) showState('received')
}

function changedByOther () {
  emit('onCollaborativeChanges')
  changed()
}

function isFixed () {
  return opened === null || opened.content.kind === 'readonly' || (
    opened.content.kind === 'form' ? opened.viewOnly : !opened.mayWrite
  )
}

/** @param {Opened} opened */
function fixedState ({ viewOnly, content }) {
  return viewOnly || content.kind === 'readonly' ? 'viewing' : 'commenting'
}

/** Lets the keyboard act on the document. */
export function focusDocument () {
  const view = editing.view()
  if (view) view.focus()
  else content.focus()
}

/** @param {User[]} present */
function showUsers (present) {
  users = present
  showPresence(users, editing.view())
  for (const action of usersListeners) action(users)
}

/** @param {string} title @param {string} text */
function end (title, text) {
  isEnded = true
  showCut(false)
  showState('closed')
  showScreen(title, text)
}

/** Opens a fresh document in the place of one that has ended. */
export function openAgain () {
  emit(isOutdated ? 'onRequestRefreshFile' : 'reload')
}

/** @param {number} code @param {string} description */
function refuse (code, description) {
  if (code === SAVED_MEANWHILE && opened !== null) {
    end(
      'The connection was lost for too long',
      'The document server has ended this session and keeps the changes it received. Reload the page to continue editing.'
    )
    if (!isHandled('onRequestRefreshFile')) return emit('onOutdatedVersion')
    isOutdated = true
    openAgain()
    return
  }
  if (code === NEEDS_PASSWORD) {
    emit('onUserActionRequired')
    return end('This document is protected by a password', 'The emulated editor cannot ask for it.')
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
      place.soon()
      return message.by === opened?.connectionId ? changed() : changedByOther()
    case 'content':
      editing.replaced(message.content)
      if (message.by === opened?.connectionId) changed()
      else if (!message.asked) changedByOther()
      return showMarks(users, editing.view())
    case 'received': return editing.received(message.batch)
    case 'renamed':
      if (opened !== null) opened = { ...opened, title: message.title }
      showTitle(message.title)
      return emit('onMetaChange', { title: message.title })
    case 'saved':
    case 'forceSaved':
      showSavable({ unsaved: message.unsaved })
      return isDirty ? undefined : showState(message.accepted ? 'stored' : 'error')
    case 'forceSaveDone': return forceSaved(message)
    case 'warning':
      return warn(message.code ?? -1, message.message)
    case 'failed':
      showSavable({ saving: false })
      return fail(-1, message.message)
    case 'answer': return requests.answered(message)
    case 'dropped': {
      // Like the real editor, which does not say why. Source: docs/document-server-protocol.md#drop-and-meta
      const text = opened?.viewOnly ? 'Loading the Changes' : 'The file cannot be accessed right now.'
      leave()
      return end(text, '')
    }
    case 'closed':
      if (!message.accepted) showToast('The application refused the save. The document server keeps the document.')
  }
}

/** @param {number} errorCode @param {string} errorDescription */
export function fail (errorCode, errorDescription) {
  showToast(errorDescription)
  emit('onError', { errorCode, errorDescription })
}

/** @param {number} warningCode @param {string} warningDescription */
function warn (warningCode, warningDescription) {
  showToast(warningDescription)
  emit('onWarning', { warningCode, warningDescription })
}

/** The page gave an answer that the real editor does not survive. @param {string} why */
export function crash (why) {
  leave()
  end('The editor has crashed', why)
  emit('onWarning', { warningCode: CRASHED, warningDescription: why })
}

/** @param {{ nothing: boolean, accepted: boolean, answer: unknown, unsaved: boolean }} result */
function forceSaved ({ nothing, accepted, answer, unsaved }) {
  showSavable({ unsaved, saving: false })
  if (nothing) {
    showState('received')
    return showToast('There is nothing new to save')
  }
  if (accepted) return
  showToast(
    'The application refused the save. The changes are kept and will be sent again when the document is closed.'
  )
  emit('onWarning', {
    warningCode: -1,
    warningDescription: `The application refused the save: ${JSON.stringify(answer)}`
  })
}

/** The connection was lost. It is retried unless the editor is closing. */
function cut () {
  requests.cut()
  editing.cut()
  showSavable({ saving: false })
  if (!isLeaving) {
    showState('reconnecting')
    return showCut(true)
  }
  connection?.end()
}

/** @param {Config} given */
export function open (given) {
  config = given
  let received = Promise.resolve()
  const message = (/** @type {ServerMessage} */ message) => {
    received = received.finally(async () => {
      if (needsText(message)) await loadText()
      receive(message)
    })
  }
  connection = connect(given, { message, cut, since: editing.since })
}

/** @param {ServerMessage} message */
function needsText (message) {
  if (message.type !== 'opened' && message.type !== 'content') return false
  const { content } = message
  return content.kind === 'prose' || (content.kind === 'readonly' && content.doc !== undefined)
}

/** Opens another configuration in the place of the present one. @param {Config} fresh */
export function reopen (fresh) {
  leave()
  connection?.end()
  editing.forget()
  dirty(false)
  opened = null
  isEnded = isLeaving = isOutdated = false
  isRefreshed = true
  open(fresh)
}

/** Leaves the document. What was typed and not sent is lost. */
export function leave () {
  if (isEnded || isLeaving || connection === null) return
  isLeaving = true
  if (!connection.send({ type: 'close' })) cut()
}

/** Leaves the document, and shows something else in its place. */
export function disconnect () {
  leave()
  isEnded = true
  showCut(false)
  showState('viewing')
}

/** Undoes what was typed and not sent. */
export function undoUnsent () {
  editing.forget()
  dirty(false)
  connection?.send({ type: 'content' })
}

let isDownloading = false

/**
 * Makes a file of the document, one at a time: `null` while another is made.
 * @param {string} format
 * @returns {Promise<{ fileType: string, url: string } | null>}
 */
export async function download (format) {
  if (isDownloading) return null
  isDownloading = true
  try {
    return await new Promise((resolve, reject) =>
      whenAllSent(() => request({ type: 'download', format }).then(resolve, reject))
    )
  } catch (error) {
    refused(error)
    return null
  } finally {
    isDownloading = false
  }
}

/** Tells the user and the page why the document server refused something. @param {unknown} error */
export function refused (error) {
  const code = error instanceof RefusedError ? error.code : -1
  const tellPage = code === NOT_MADE ? warn : fail
  tellPage(code, error instanceof Error ? error.message : String(error))
}
