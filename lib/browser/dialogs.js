// Dialogs over the page while the editor exists: for choosing files, and for showing who may use the document.
import { BORDER, controls, HOVER, LINE } from './colors.js'
import { element, pageUrl, styleSheet } from './page.js'

/** @import { Messages } from './messages.js' */

/**
 * @param {HTMLElement} fragment
 * @param {{ title: string, parts: HTMLElement[], list: HTMLElement, close: HTMLButtonElement }} content `list` is the
 *   part that the title describes.
 * @returns {{ dialog: HTMLDialogElement, closed: Promise<void> }} The dialog is shown, and in the page until it is
 *   closed.
 */
function openDialog (fragment, { title, parts, list, close }) {
  useStyle()
  const id = `onlyoffice-dialog-${Math.random().toString(36).slice(2)}`
  const dialog = element('dialog', 'onlyoffice-dialog', '', { dir: 'auto' })
  for (const labelled of [dialog, list]) labelled.setAttribute('aria-labelledby', id)
  dialog.append(
    element('h2', 'onlyoffice-dialog-title', title, { id }),
    ...parts,
    Object.assign(close, { type: 'button', onclick: () => dialog.close() })
  )
  const focused = document.activeElement
  /** @type {Promise<void>} */
  const closed = new Promise(resolve => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (focused instanceof HTMLElement) focused.focus() // browsers do not give the focus back to a frame
      resolve()
    })
  })
  fragment.append(dialog)
  dialog.showModal()
  return { dialog, closed }
}

/** As with a notice, only elements after the script of a fragment get this style. */
const DIALOG = ':where([data-onlyoffice-editor] > script) ~ .onlyoffice-dialog'
const BUTTON = 'onlyoffice-dialog-close'

/** Formats by the color of their icons. */
const KINDS = {
  word: /^(do[ct]|odt|ott|fodt|rtf|txt|html?|mht|md|epub|fb2|hwp|pages)/i,
  cell: /^(xl|et|ods|ots|fods|csv|tsv|numbers)/i,
  slide: /^(pp[st]|pot|dps|odp|otp|fodp|odg|key)/i,
  pdf: /^(pdf|djvu|o?xps)/i,
  image: /^(png|jpe?g|gif|bmp|svg|webp|tiff?|hei[cf])/i
}
/** White text is readable on each. @type {Record<keyof typeof KINDS, string>} */
const COLORS = { word: '#2f5fb3', cell: '#1d7a45', slide: '#b4530f', pdf: '#b3312c', image: '#6b4fb3' }
const useStyle = styleSheet(`
${DIALOG}[open] {
  box-sizing: border-box; display: flex; flex-direction: column; gap: .75rem;
  width: min(34rem, 100% - 2rem); max-height: min(40rem, 100% - 2rem);
  padding: 1.25rem; border: 1px solid ${BORDER}; border-radius: .625rem; background: Canvas; color: CanvasText;
  box-shadow: 0 .5rem 2rem rgb(0 0 0 / .3); font: 15px/1.4 system-ui, sans-serif; overflow-wrap: anywhere;
}
${DIALOG}::backdrop { background: rgb(0 0 0 / .45) }
${DIALOG} .onlyoffice-dialog-title { margin: 0; font-size: 1.125rem; font-weight: 600; line-height: 1.3 }
${DIALOG} .onlyoffice-dialog-status { margin: 0 }
${DIALOG} .onlyoffice-dialog-status:empty { display: none }
${DIALOG} .onlyoffice-dialog-list { flex: 1 1 auto; margin: 0 -.25rem; padding: .25rem; overflow: auto; list-style: none }
${controls(DIALOG, BUTTON)}
${DIALOG} .${BUTTON} { align-self: flex-end }
${DIALOG} .onlyoffice-dialog-label { display: flex; flex-direction: column; gap: .25rem; font-size: .875rem }
${DIALOG} .onlyoffice-dialog-search {
  box-sizing: border-box; width: 100%; padding: .5rem .625rem;
  border: 1px solid color-mix(in srgb, CanvasText 50%, Canvas); border-radius: .375rem;
  background: Canvas; color: CanvasText; font: inherit; font-size: 1rem;
}
${DIALOG} .onlyoffice-dialog-search:focus-visible { border-color: ${LINE}; outline-offset: -2px }
${DIALOG} .onlyoffice-dialog-button {
  display: flex; align-items: center; gap: .75rem; width: 100%; margin: 0; padding: .5rem;
  border: 0; border-radius: .375rem;
  background: transparent; color: CanvasText; font: inherit; text-align: start; cursor: pointer;
}
${DIALOG} .onlyoffice-dialog-button:hover { background: ${HOVER} }
${DIALOG} .onlyoffice-dialog-picture {
  flex: none; width: 2.75rem; height: 2.75rem; border-radius: .25rem; background: ${HOVER}; object-fit: cover;
}
${DIALOG} .onlyoffice-dialog-type {
  --color: #586374; display: grid; place-items: end center; flex: none; box-sizing: border-box;
  width: 2.25rem; height: 2.75rem; margin: 0 .25rem; padding-bottom: .375rem; border-radius: .25rem;
  clip-path: polygon(0 0, 68% 0, 100% 26%, 100% 100%, 0 100%);
  background: linear-gradient(rgb(255 255 255 / .45)) top right / 32% 26% no-repeat, var(--color); color: #fff;
  font-size: .625rem; font-weight: 700; line-height: 1.2; text-transform: uppercase; forced-color-adjust: none;
}
${Object.entries(COLORS).map(([kind, color]) => `${DIALOG} .onlyoffice-dialog-type-${kind} { --color: ${color} }`).join('')}
${DIALOG} .onlyoffice-dialog-sharing {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .375rem 0
}
${DIALOG} .onlyoffice-dialog-rights { opacity: .8 }
${DIALOG} .onlyoffice-dialog-link { align-self: flex-start; color: ${LINE} }
`)

/**
 * @typedef {object} Choice
 * @property {string} title
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
  const search = element('input', 'onlyoffice-dialog-search', '', {
    type: 'search',
    maxLength: 200,
    autocomplete: 'off'
  })
  const label = element('label', 'onlyoffice-dialog-label', messages.search)
  const status = element('p', 'onlyoffice-dialog-status')
  const list = element('ul', 'onlyoffice-dialog-list')
  label.append(search)
  status.setAttribute('role', 'status')
  const close = element('button', `${BUTTON} ${BUTTON}-secondary`, messages.cancel)
  const { dialog, closed } = openDialog(fragment, { title, parts: [label, status, list], list, close })

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
    closed.then(() => {
      clearTimeout(timer)
      latest = -1
      resolve(null)
    })
    search.focus()
    look()
  })
}

/**
 * @param {Choice} choice
 * @param {() => void} take
 */
function itemOf ({ title, fileType, thumbnail }, take) {
  const item = element('li', 'onlyoffice-dialog-item')
  const button = element('button', 'onlyoffice-dialog-button', '', { type: 'button', onclick: take })
  button.append(pictureOf(thumbnail, fileType), element('span', 'onlyoffice-dialog-name', title))
  item.append(button)
  return item
}

/**
 * A picture of the file, or the icon of its type if there is none or the page's Content-Security-Policy blocks it.
 * @param {string} [url]
 * @param {string} [fileType]
 */
function pictureOf (url, fileType = '') {
  const kind = Object.entries(KINDS).find(([, types]) => types.test(fileType))?.[0]
  const icon = element('span', `onlyoffice-dialog-type onlyoffice-dialog-type-${kind ?? 'other'}`, fileType)
  icon.setAttribute('aria-hidden', 'true')
  if (!url) return icon
  const onerror = () => picture.replaceWith(icon)
  const picture = element('img', 'onlyoffice-dialog-picture', '', { alt: '', loading: 'lazy', onerror, src: url })
  return picture
}

/** @typedef {{ user: string, permissions: string, isLink?: boolean }} SharingSetting */

/**
 * @param {HTMLElement} fragment
 * @param {{ messages: Messages, settings?: SharingSetting[], url?: string }} content `url` is a page where sharing
 *   is changed.
 * @returns {Promise<void>} Resolves when the dialog is closed.
 */
export async function showSharing (fragment, { messages, settings, url }) {
  const list = element('ul', 'onlyoffice-dialog-list', '', { tabIndex: 0 }) // it may be long: the keyboard scrolls it
  list.append(...(settings ?? []).map(setting => sharedItemOf(setting, messages)))
  /** @type {HTMLElement[]} */
  const parts = settings === undefined
    ? []
    : settings.length > 0 ? [list] : [element('p', 'onlyoffice-dialog-status', messages.sharedWithNobody)]
  const page = pageUrl(url)
  if (page !== null) {
    // In another tab, so that the document stays open.
    const link = { href: page, target: '_blank', rel: 'noopener' }
    parts.push(element('a', 'onlyoffice-dialog-link', messages.changeSharing, link))
  }
  const close = element('button', BUTTON, messages.dismiss)
  const { dialog, closed } = openDialog(fragment, { title: messages.sharing, parts, list, close })
  /** @type {HTMLElement | null} */
  const first = dialog.querySelector('a, button')
  first?.focus()
  await closed
}

/** @param {SharingSetting} setting @param {Messages} messages */
function sharedItemOf ({ user, permissions, isLink }, messages) {
  const item = element('li', 'onlyoffice-dialog-sharing')
  item.append(
    element('span', 'onlyoffice-dialog-user', isLink ? `${user} (${messages.sharedByLink})` : user),
    ' ',
    element('span', 'onlyoffice-dialog-rights', permissions)
  )
  return item
}
