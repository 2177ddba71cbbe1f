// A dialog in which the user chooses one of the application's files.
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
  const heading = element('h2', 'onlyoffice-choice-title', title)
  const search = element('input', 'onlyoffice-choice-search')
  const label = element('label', 'onlyoffice-choice-label', messages.search)
  const status = element('p', 'onlyoffice-choice-status')
  const list = element('ul', 'onlyoffice-choice-list')
  const cancel = element('button', 'onlyoffice-choice-cancel', messages.cancel)
  const dialog = element('dialog', 'onlyoffice-choice')
  heading.id = `onlyoffice-choice-${Math.random().toString(36).slice(2)}`
  dialog.setAttribute('aria-labelledby', heading.id)
  search.type = 'search'
  search.maxLength = 200
  search.autocomplete = 'off'
  label.append(search)
  status.setAttribute('role', 'status')
  list.setAttribute('aria-labelledby', heading.id)
  cancel.type = 'button'
  dialog.append(heading, label, status, list, cancel)

  const focused = document.activeElement
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
    dialog.addEventListener('close', () => {
      clearTimeout(timer)
      latest = -1
      dialog.remove()
      if (focused instanceof HTMLElement) focused.focus() // browsers do not give it back to a frame
      resolve(null)
    })
    cancel.addEventListener('click', () => end(null))
    fragment.append(dialog)
    dialog.showModal()
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
  const item = element('li', 'onlyoffice-choice-item')
  const button = element('button', 'onlyoffice-choice-button')
  button.type = 'button'
  button.addEventListener('click', take)
  button.append(pictureOf(thumbnail, fileType), element('span', 'onlyoffice-choice-name', name))
  item.append(button)
  return item
}

/**
 * The type of the file in its place if there is no picture, or the page's Content-Security-Policy has none.
 * @param {string} [url]
 * @param {string} [fileType]
 */
function pictureOf (url, fileType = '') {
  const picture = element('span', 'onlyoffice-choice-picture', url ? '' : fileType)
  picture.setAttribute('aria-hidden', 'true')
  if (!url) return picture
  const image = element('img', 'onlyoffice-choice-image')
  image.alt = ''
  image.loading = 'lazy'
  image.addEventListener('error', () => { picture.textContent = fileType })
  image.src = url
  picture.append(image)
  return picture
}

/** As with a notice, only what follows the script of a fragment gets this style. System colors follow the page's color scheme. */
const DIALOG = ':where([data-onlyoffice-editor] > script) ~ .onlyoffice-choice'
const BORDER = 'color-mix(in srgb, CanvasText 35%, Canvas)'
const useStyle = styleSheet(`
${DIALOG}[open] {
  box-sizing: border-box; display: flex; flex-direction: column; gap: .75rem; width: min(34rem, 100% - 2rem); max-height: min(40rem, 100% - 2rem);
  padding: 1.25rem; border: 1px solid ${BORDER}; border-radius: .625rem; background: Canvas; color: CanvasText;
  box-shadow: 0 .5rem 2rem rgb(0 0 0 / .3); font: 15px/1.4 system-ui, sans-serif; overflow-wrap: anywhere;
}
${DIALOG}::backdrop { background: rgb(0 0 0 / .45) }
${DIALOG} .onlyoffice-choice-title { margin: 0; font-size: 1.125rem; font-weight: 600; line-height: 1.3 }
${DIALOG} .onlyoffice-choice-label { display: flex; flex-direction: column; gap: .25rem; font-size: .875rem }
${DIALOG} .onlyoffice-choice-search {
  box-sizing: border-box; width: 100%; padding: .5rem .625rem; border: 1px solid color-mix(in srgb, CanvasText 55%, Canvas); border-radius: .375rem;
  background: Canvas; color: CanvasText; font: inherit; font-size: 1rem;
}
${DIALOG} .onlyoffice-choice-status { margin: 0 }
${DIALOG} .onlyoffice-choice-status:empty { display: none }
${DIALOG} .onlyoffice-choice-list { flex: 1 1 auto; margin: 0; padding: 2px; overflow: auto; list-style: none }
${DIALOG} .onlyoffice-choice-button {
  display: flex; align-items: center; gap: .75rem; width: 100%; margin: 0; padding: .5rem; border: 0; border-radius: .375rem;
  background: transparent; color: CanvasText; font: inherit; text-align: start; cursor: pointer;
}
${DIALOG} .onlyoffice-choice-button:hover { background: color-mix(in srgb, CanvasText 10%, Canvas) }
${DIALOG} .onlyoffice-choice-button:focus-visible, ${DIALOG} .onlyoffice-choice-cancel:focus-visible, ${DIALOG} .onlyoffice-choice-search:focus-visible {
  outline: 2px solid color-mix(in srgb, #2f5fb3 65%, CanvasText); outline-offset: 0;
}
${DIALOG} .onlyoffice-choice-picture {
  display: grid; place-items: center; flex: none; width: 2.75rem; height: 2.75rem; overflow: hidden; border: 1px solid ${BORDER}; border-radius: .25rem;
  font-size: .6875rem; text-transform: uppercase;
}
${DIALOG} .onlyoffice-choice-image { width: 100%; height: 100%; object-fit: cover }
${DIALOG} .onlyoffice-choice-cancel {
  align-self: flex-end; padding: .5rem 1.125rem; border: 1px solid ${BORDER}; border-radius: .375rem;
  background: Canvas; color: CanvasText; font: inherit; font-weight: 600; cursor: pointer;
}
${DIALOG} .onlyoffice-choice-cancel:hover { background: color-mix(in srgb, CanvasText 10%, Canvas) }
`)
