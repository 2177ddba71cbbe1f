import { closeButton, copyButton, reloadButton, retryButton, saveButton, showState, showToast, unsent } from './frame.js'
import { emit, isHandled, listen, setHandled } from './host.js'
import { connection, editing, leave, open } from './session.js'

function requestClose () {
  editing.push()
  if (isHandled('onRequestClose')) emit('onRequestClose')
  else leave()
}

function save () {
  showState('saving')
  editing.whenSent(() => {
    showState('saving')
    connection?.send({ type: 'forceSave' })
  })
}

listen({
  open ({ config, events }) {
    setHandled(events)
    emit('onAppReady')
    open(config)
  },
  leave,
  downloadAs: ({ format }) => editing.whenSent(() => connection?.send({ type: 'download', format })),
  requestClose,
  showMessage: ({ message }) => showToast(String(message))
})

addEventListener('pagehide', leave)
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
addEventListener('beforeunload', event => {
  editing.push()
  if (editing.isUnsent() && !connection?.isOpen()) event.preventDefault()
})
addEventListener('blur', editing.push)
addEventListener('focusout', editing.push)
addEventListener('keydown', event => {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  if (!saveButton.disabled) save()
})
saveButton.addEventListener('click', save)
closeButton.addEventListener('click', requestClose)
retryButton.addEventListener('click', () => connection?.retryNow())
reloadButton.addEventListener('click', () => emit('reload'))
copyButton.addEventListener('click', async () => {
  unsent.select()
  await navigator.clipboard.writeText(unsent.value)
  showToast('Copied')
})
emit('ready')
