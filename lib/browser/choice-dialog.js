// A dialog in which the user chooses one of the application's files.
import { DIALOG, openDialog } from './dialog.js'
import { element, styleSheet } from './elements.js'

/** @import { Messages } from './messages.js' */

/**
 * @typedef {object} Choice
 * @property {string} name
 * @property {string} [fileType]
 * @property {string} [thumbnail] URL
 * @property {unknown} data for the editor
 */

const TYPING_MS = 250

/**
 * @param {HTMLElement} fragment
 * @param {object} options
 * @param {string} options.title
 * @param {Messages} options.messages
 * @param {(search: string) => Promise<Choice[]>} options.find
 * @param {(error: unknown) => string} options.textOf
 * @returns {Promise<Choice | null>} `null` if the user chooses none.
 */
export function choose (fragment, { title, messages, find, textOf }) {
  useStyle()
  const search = element('input', 'onlyoffice-dialog-search')
  const label = element('label', 'onlyoffice-dialog-label', messages.search)
  const status = element('p', 'onlyoffice-dialog-status')
  const list = element('ul', 'onlyoffice-dialog-list')
  search.type = 'search'
  search.maxLength = 200
  search.autocomplete = 'off'
  label.append(search)
  status.setAttribute('role', 'status')
  const { dialog, closed } = openDialog(fragment, { title, parts: [label, status, list], list, close: messages.cancel })

  let latest = 0
  let timer = 0

  return new Promise(resolve => {
    /** @param {Choice | null} choice */
    function end (choice) {
      resolve(choice)
      dialog.close()
    }

    async function look () {
      const number = ++latest
      status.textContent = messages.searching
      try {
        const choices = await find(search.value.trim())
        if (number !== latest) return
        list.replaceChildren(...choices.map(choice => itemOf(choice, () => end(choice))))
        status.textContent = choices.length === 0 ? messages.nothingFound : ''
      } catch (error) {
        if (number !== latest) return
        list.replaceChildren()
        status.textContent = textOf(error)
      }
    }

    search.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(look, TYPING_MS)
    })
    dialog.addEventListener('keydown', moveFocus)
    closed.then(() => {
      clearTimeout(timer)
      latest = -1
      resolve(null)
    })
    search.focus()
    look()
  })

  /** The arrow keys move through the list, which the search field is above of. @param {KeyboardEvent} event */
  function moveFocus (event) {
    const { key } = event
    if (key === 'Enter' && event.target === search) return event.preventDefault()
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return
    const stops = [search, ...list.querySelectorAll('button')]
    const at = stops.findIndex(stop => stop === document.activeElement)
    const next = stops[at + (key === 'ArrowDown' ? 1 : -1)]
    if (at < 0 || !next) return
    event.preventDefault()
    next.focus()
  }
}

/**
 * @param {Choice} choice
 * @param {() => void} take
 */
function itemOf ({ name, fileType, thumbnail }, take) {
  const item = element('li', 'onlyoffice-dialog-item')
  const button = element('button', 'onlyoffice-dialog-button')
  button.type = 'button'
  button.addEventListener('click', take)
  button.append(pictureOf(thumbnail, fileType), element('span', 'onlyoffice-dialog-name', name))
  item.append(button)
  return item
}

/**
 * The type of the file in its place if there is no picture, or the page's Content-Security-Policy has none.
 * @param {string} [url]
 * @param {string} [fileType]
 */
function pictureOf (url, fileType = '') {
  const picture = element('span', 'onlyoffice-dialog-picture', url ? '' : fileType)
  picture.setAttribute('aria-hidden', 'true')
  if (!url) return picture
  const image = element('img', 'onlyoffice-dialog-image')
  image.alt = ''
  image.loading = 'lazy'
  image.addEventListener('error', () => { picture.textContent = fileType })
  image.src = url
  picture.append(image)
  return picture
}

const useStyle = styleSheet(`
${DIALOG} .onlyoffice-dialog-label { display: flex; flex-direction: column; gap: .25rem; font-size: .875rem }
${DIALOG} .onlyoffice-dialog-search {
  box-sizing: border-box; width: 100%; padding: .5rem .625rem; border: 1px solid color-mix(in srgb, CanvasText 55%, Canvas); border-radius: .375rem;
  background: Canvas; color: CanvasText; font: inherit; font-size: 1rem;
}
${DIALOG} .onlyoffice-dialog-button {
  display: flex; align-items: center; gap: .75rem; width: 100%; margin: 0; padding: .5rem; border: 0; border-radius: .375rem;
  background: transparent; color: CanvasText; font: inherit; text-align: start; cursor: pointer;
}
${DIALOG} .onlyoffice-dialog-button:hover { background: color-mix(in srgb, CanvasText 10%, Canvas) }
${DIALOG} .onlyoffice-dialog-picture {
  display: grid; place-items: center; flex: none; width: 2.75rem; height: 2.75rem; overflow: hidden; border-radius: .25rem;
  border: 1px solid color-mix(in srgb, CanvasText 35%, Canvas); font-size: .6875rem; text-transform: uppercase;
}
${DIALOG} .onlyoffice-dialog-image { width: 100%; height: 100%; object-fit: cover }
`)
