const REFRESH_MS = 2000

const list = /** @type {HTMLElement} */ (document.querySelector('[data-documents]'))
const drop = /** @type {HTMLElement} */ (document.querySelector('[data-drop]'))
const input = /** @type {HTMLInputElement} */ (document.querySelector('[data-upload]'))
const status = /** @type {HTMLElement} */ (document.querySelector('[data-status]'))
let shown = list.innerHTML

input.addEventListener('change', () => {
  upload([...input.files ?? []])
  input.value = ''
})
addEventListener('dragover', event => {
  event.preventDefault()
  drop.classList.add('dragging')
})
addEventListener('dragleave', event => {
  if (event.relatedTarget === null) drop.classList.remove('dragging')
})
addEventListener('drop', event => {
  event.preventDefault()
  drop.classList.remove('dragging')
  upload([...event.dataTransfer?.files ?? []])
})

/** @param {File[]} files */
async function upload (files) {
  for (const file of files) {
    status.textContent = `Uploading ${file.name}…`
    try {
      const { id } = await send(file)
      await refresh()
      location.hash = `document-${id}`
      status.textContent = `${file.name} was uploaded`
    } catch (error) {
      status.textContent = `${file.name} was not uploaded: ${/** @type {Error} */ (error).message}`
      return
    }
  }
}

/**
 * @param {File} file
 * @returns {Promise<{ id: string }>}
 */
async function send (file) {
  const response = await fetch(`/documents?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}

/** Other users edit and upload as well: fetches the list and replaces it if it has changed. */
async function refresh () {
  const response = await fetch(location.href, { cache: 'no-store' })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector('[data-documents]')
  if (!fresh || fresh.innerHTML === shown) return
  shown = fresh.innerHTML
  const focused = document.activeElement?.closest('li')?.id
  const position = [...document.activeElement?.closest('li')?.querySelectorAll('a') ?? []].findIndex(link => link === document.activeElement)
  list.replaceChildren(...fresh.children)
  showLocalTimes()
  if (focused) document.getElementById(focused)?.querySelectorAll('a')[position]?.focus()
}

function showLocalTimes () {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  for (const time of list.querySelectorAll('time')) time.textContent = format.format(new Date(time.dateTime))
}

showLocalTimes()
setInterval(() => { if (!document.hidden) refresh().catch(() => {}) }, REFRESH_MS)
