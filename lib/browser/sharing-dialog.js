// A dialog with those who may use the document.
import { DIALOG, openDialog } from './dialog.js'
import { element, styleSheet } from './elements.js'
import { pageUrl } from './links.js'

/** @import { Messages } from './messages.js' */
/** @typedef {{ user: string, permissions: string, isLink?: boolean }} SharingSetting */

/**
 * @param {HTMLElement} fragment
 * @param {{ messages: Messages, settings?: SharingSetting[], url?: string }} content `url`: of a page where that is changed.
 * @returns {Promise<void>} resolves when it is closed
 */
export async function showSharing (fragment, { messages, settings, url }) {
  useStyle()
  const list = element('ul', 'onlyoffice-dialog-list')
  list.tabIndex = 0 // it may be long: the keyboard scrolls it
  list.append(...(settings ?? []).map(setting => itemOf(setting, messages)))
  /** @type {HTMLElement[]} */
  const parts = settings === undefined ? [] : settings.length > 0 ? [list] : [element('p', 'onlyoffice-dialog-status', messages.sharedWithNobody)]
  const page = pageUrl(url)
  if (page !== null) parts.push(linkTo(page, messages.changeSharing))
  const { dialog, closed } = openDialog(fragment, { title: messages.sharing, parts, list, close: messages.dismiss })
  /** @type {HTMLElement | null} */
  const first = dialog.querySelector('a, button')
  first?.focus()
  await closed
}

/** @param {SharingSetting} setting @param {Messages} messages */
function itemOf ({ user, permissions, isLink }, messages) {
  const item = element('li', 'onlyoffice-dialog-sharing')
  item.append(element('span', 'onlyoffice-dialog-user', isLink ? `${user} (${messages.sharedByLink})` : user), ' ', element('span', 'onlyoffice-dialog-rights', permissions))
  return item
}

/** In another tab: the document stays open. @param {string} url @param {string} text */
function linkTo (url, text) {
  const link = element('a', 'onlyoffice-dialog-link', text)
  link.href = url
  link.target = '_blank'
  link.rel = 'noopener'
  return link
}

const useStyle = styleSheet(`
${DIALOG} .onlyoffice-dialog-sharing { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .375rem 0 }
${DIALOG} .onlyoffice-dialog-rights { opacity: .8 }
${DIALOG} .onlyoffice-dialog-link { align-self: flex-start; color: LinkText }
`)
