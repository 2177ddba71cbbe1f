// Uploads by button and by dropping files, each with its own progress. A failure stays until the user closes it.
import { NOT_REACHABLE } from '../shared/api.js'
import { button, element, find } from '../shared/page.js'
import { show } from './actions.js'
import { refresh } from './live.js'

const SHOWN_MS = 6000

const input = /** @type {HTMLInputElement} */ (find('[data-upload]'))
const panel = find('[data-uploads]')
const list = find('ul', panel)
const status = find('[data-status]')
const drop = find('[data-drop]')
/** @type {Promise<void>} */
let uploading = Promise.resolve()

export function acceptUploads () {
  input.addEventListener('change', () => {
    upload([...input.files ?? []])
    input.value = ''
  })
  addEventListener('dragover', event => {
    event.preventDefault()
    drop.hidden = !event.dataTransfer?.types.includes('Files')
  })
  addEventListener('dragleave', event => { if (event.relatedTarget === null) drop.hidden = true })
  addEventListener('drop', event => {
    event.preventDefault()
    drop.hidden = true
    upload([...event.dataTransfer?.files ?? []])
  })
  find('[data-uploads-clear]').addEventListener('click', () => {
    for (const item of list.querySelectorAll('.done, .failed')) item.remove()
    hideIfEmpty()
    find('[data-new]').focus()
  })
}

/**
 * One after the other, also those that are chosen meanwhile.
 * @param {File[]} files
 */
function upload (files) {
  for (const file of files) {
    const item = createItem(file)
    uploading = uploading.then(() => uploadOne(file, item))
  }
}

/**
 * @param {File} file
 * @param {ReturnType<typeof createItem>} item
 */
async function uploadOne (file, item) {
  status.textContent = `Uploading ${file.name}`
  try {
    const { id, name } = await send(file, item.progress)
    item.done()
    status.textContent = `${name} was uploaded`
    await refresh()
    const hasFocusElsewhere = document.activeElement !== document.body && document.activeElement !== input
    if (hasFocusElsewhere) return
    show(id)
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    item.failed(message)
    status.textContent = `${file.name} was not uploaded: ${message}`
  }
}

/** @param {File} file */
function createItem (file) {
  const item = element('li', 'waiting')
  const bar = element('progress')
  const note = element('span', 'note', 'Waiting')
  bar.max = 1
  bar.value = 0
  bar.setAttribute('aria-label', `Upload of ${file.name}`)
  item.append(element('span', 'name', file.name), bar, note)
  list.append(item)
  panel.hidden = false

  return {
    /** @param {number} share */
    progress (share) {
      item.className = ''
      bar.value = share
      note.textContent = share < 1 ? `${Math.floor(share * 100)} %` : 'Checking'
    },
    done () {
      item.className = 'done'
      bar.remove()
      note.textContent = 'Uploaded'
      setTimeout(remove, SHOWN_MS)
    },
    /** @param {string} message */
    failed (message) {
      item.className = 'failed'
      bar.remove()
      note.textContent = message
      item.append(
        button('action', 'Try again', () => {
          remove()
          upload([file])
        }),
        button('action', 'Close', remove)
      )
      for (const action of item.querySelectorAll('button')) {
        action.setAttribute('aria-label', `${action.textContent}: ${file.name}`)
      }
    }
  }

  function remove () {
    const hadFocus = item.contains(document.activeElement)
    item.remove()
    hideIfEmpty()
    if (hadFocus) find('[data-new]').focus()
  }
}

function hideIfEmpty () {
  panel.hidden = list.children.length === 0
}

/**
 * With `XMLHttpRequest`, because `fetch` does not tell how much was sent.
 * @param {File} file
 * @param {(share: number) => void} onProgress
 * @returns {Promise<{ id: string, name: string }>}
 */
function send (file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/documents?name=${encodeURIComponent(file.name)}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () => {
      if (request.status === 201) resolve(request.response)
      else reject(new Error(request.response?.message ?? 'That did not work. Try again.'))
    }
    request.onerror = () => reject(new Error(NOT_REACHABLE))
    onProgress(0)
    request.send(file)
  })
}
