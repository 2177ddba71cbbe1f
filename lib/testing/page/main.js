import { connect } from './connection.js'
import { closeButton, content, saveButton, showNote, showScreen, showState, showTitle, showToast, showUsers } from './frame.js'
import { paragraphsView } from './paragraphs-view.js'
import { textView } from './text-view.js'
/** @import { Content, Opened, ServerMessage, View } from './protocol.js' */

const REASONS = /** @type {Record<number, string>} */ ({
  4004: 'Access denied: what the token signs is not what the page asks for (permissions differ, or the token holds url, key or payload at its top level).',
  4005: 'The token of the configuration has expired: reload the page.',
  4006: 'The token of the configuration is missing or wrong: it must be signed with the secret of the document server and hold document.key, document.url and, where the configuration has them, document.permissions, editorConfig.callbackUrl and editorConfig.mode.'
})

const parentOrigin = new URLSearchParams(location.search).get('parentOrigin') ?? ''
/** @type {ReturnType<typeof connect> | null} */
let connection = null
/** @type {View | null} */
let view = null
/** @type {string[]} */
let handledEvents = []
let connectionId = ''
let added = 0
let viewOnly = true
let ended = false
let dirty = false

/** @param {string} event @param {unknown} [data] */
function emit (event, data) {
  if (parentOrigin !== '') parent.postMessage({ type: 'editor', event, data }, parentOrigin)
}

const outbox = {
  /** @param {import('./protocol.js').Operation} operation */
  queue: operation => connection?.queue(operation),
  newId: () => `${connectionId}-${++added}`
}

/** @param {boolean} value */
function setDirty (value) {
  if (dirty === value) return
  dirty = value
  emit('onDocumentStateChange', dirty)
}

/** @param {Content} shown */
function show (shown) {
  content.setAttribute('aria-busy', 'false')
  if (shown.kind === 'readonly') showNote(shown.note)
  view = shown.kind === 'text'
    ? textView(content, shown.text, viewOnly, outbox)
    : paragraphsView(content, shown.paragraphs, viewOnly || shown.kind === 'readonly', outbox)
}

/** @param {Opened} opened */
function start (opened) {
  connectionId = opened.connectionId
  viewOnly = opened.viewOnly
  const fixed = viewOnly || opened.content.kind === 'readonly'
  showTitle(opened.title)
  showUsers(opened.users)
  showState(fixed ? 'viewing' : 'ready')
  if (opened.outdated) showNote('This version of the document was saved a moment ago and is shown for reading only: reopen it to go on editing.')
  saveButton.disabled = saveButton.hidden = fixed
  show(opened.content)
  emit('onDocumentReady')
  emit('onInfo', { mode: viewOnly ? 'view' : 'edit' })
  if (opened.outdated) emit('onOutdatedVersion')
}

/** @param {string} title @param {string} text */
function end (title, text) {
  ended = true
  showState('closed')
  showScreen(title, text)
}

/** @param {number} code @param {string} description */
function refuse (code, description) {
  const text = [REASONS[code], description].filter(Boolean).join(' — ')
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
    case 'operation': return view?.apply(message.operation)
    case 'content': return show(message.content)
    case 'received':
      showState('received')
      return setDirty(false)
    case 'saved': return showState(message.accepted ? 'stored' : 'error')
    case 'forceSaved':
      if (message.nothing) {
        showState('received')
        return showToast('There is nothing new to save')
      }
      showState(message.accepted ? 'stored' : 'error')
      if (message.accepted) return
      showToast('The host refused the save; the changes are kept and sent again when the document is closed')
      return emit('onWarning', { warningCode: -1, warningDescription: `The host refused the save: ${JSON.stringify(message.answer)}` })
    case 'downloadAs':
      if (message.error === undefined) return emit('onDownloadAs', { fileType: message.fileType, url: message.url })
      showToast(message.error)
      return emit('onError', { errorCode: -3, errorDescription: message.error })
    case 'dropped':
      connection?.leave()
      return end('You were disconnected', 'The host ended this editing session.')
    case 'closed':
      if (!ended) end('Document closed', message.accepted ? closedText(message.status) : 'The host refused to save it: the document server keeps it.')
      return emit('gone')
  }
}

/** @param {number | null} status */
function closedText (status) {
  return status === 2 ? 'Your changes were saved.' : 'There was nothing to save.'
}

function requestClose () {
  connection?.flush()
  if (handledEvents.includes('onRequestClose')) return emit('onRequestClose')
  leave()
}

/** The editor stays as a closed screen: a host that wants it gone calls `destroyEditor()`. */
function leave () {
  if (ended || connection === null) return
  showState('saving')
  connection.leave()
}

/** @param {object} config */
function open (config) {
  emit('onAppReady')
  connection = connect({
    message: receive,
    lost () { if (!ended) end('Connection lost', 'The document server closed the connection. What it had received is saved.') },
    editing () {
      showState('editing')
      setDirty(true)
    }
  })
  connection.open(config)
}

addEventListener('message', message => {
  if (message.source !== parent || message.origin !== parentOrigin || message.data?.type !== 'host') return
  const { command, ...detail } = message.data
  switch (command) {
    case 'open':
      handledEvents = detail.events
      return open(detail.config)
    case 'leave':
      return ended || connection === null ? emit('gone') : connection.leave()
    case 'downloadAs': return connection?.download(detail.format)
    case 'requestClose': return requestClose()
    case 'showMessage': return showToast(String(detail.message))
  }
})

addEventListener('pagehide', () => connection?.leave())
addEventListener('blur', () => connection?.flush())
addEventListener('focusout', () => connection?.flush())
addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  if (!saveButton.disabled) saveButton.click()
})
saveButton.addEventListener('click', () => {
  connection?.forceSave()
  showState('saving')
})
closeButton.addEventListener('click', requestClose)
emit('ready')
