import { closeButton, content, reloadButton, retryButton, saveButton, showToast, tools } from './frame.js'
import { showWatermark, useTheme } from './appearance.js'
import { emit, listen, setHandled } from './embedding-page.js'
import { hostCommands, requestClose, showHostItems } from './host/features.js'
import { connection, download, editing, focusDocument, leave, open, openAgain, save } from './session.js'
import { toolbar } from './toolbar.js'

/** What a key with Ctrl does, whatever has the focus. @type {Record<string, (event: KeyboardEvent) => void>} */
const KEYS = {
  s: () => { if (!saveButton.disabled) save() },
  z: ({ shiftKey }) => shiftKey ? editing.redo() : editing.undo(),
  y: () => editing.redo()
}

const toTools = toolbar(tools, focusDocument).focus

// The page is served at two paths, one for each layout.
document.documentElement.dataset.type = location.pathname.split('/').at(-2)

listen({
  open ({ config, events }) {
    useTheme(config)
    setHandled(events)
    emit('onAppReady')
    showHostItems(config)
    showWatermark(config)
    open(config)
  },
  async downloadAs ({ format }) {
    const file = await download(format)
    if (file !== null) emit('onDownloadAs', file)
  },
  requestClose,
  showMessage: ({ message }) => showToast(String(message)),
  ...hostCommands
})

addEventListener('pagehide', () => leave())
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
addEventListener('beforeunload', event => { if (editing.isTyped() || editing.isUnsent()) event.preventDefault() })
addEventListener('keydown', event => {
  const isInDocument = event.target instanceof Node && content.contains(event.target)
  if (event.key === 'Escape' && isInDocument && !event.isComposing) return toTools()
  const action = event.ctrlKey || event.metaKey ? KEYS[event.key.toLowerCase()] : undefined
  if (action === undefined || event.altKey || isField(event.target)) return
  event.preventDefault()
  action(event)
})
// The browser's own undo, for example in its menu, does not know the edits of others.
addEventListener('beforeinput', event => {
  if ((event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') || isField(event.target)) return
  event.preventDefault()
  if (event.inputType === 'historyUndo') editing.undo()
  else editing.redo()
})
saveButton.addEventListener('click', ({ detail }) => {
  save()
  if (detail === 0) focusDocument() // pressed by a key: it is disabled now, and has lost the focus
})
closeButton.addEventListener('click', requestClose)
retryButton.addEventListener('click', () => connection?.retryNow())
reloadButton.addEventListener('click', openAgain)
emit('ready')

/** Whether it is a field outside the document, with an undo of its own. @param {EventTarget | null} target */
function isField (target) {
  return target instanceof Element && target.closest('dialog') !== null
}
