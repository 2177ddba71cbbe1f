import { closeButton } from '../frame.js'
import { isHandled } from '../embedding-page.js'
import { menuItem, menus } from '../menus.js'
import { getConfig, whenOpened } from '../session.js'
import { naming } from './naming.js'
import { closing } from './closing.js'
import { documents } from './documents.js'
import { history } from './history.js'
import { links } from './links.js'
import { pages } from './pages.js'
import { reference } from './reference.js'
import { sharing } from './sharing.js'
import { users } from './users.js'
/** @import { Config, Opened } from '../protocol.js' */

/**
 * @typedef {object} HostItem Something that the embedding page does.
 * @property {string} name
 * @property {string} event shown only if the page handles it
 * @property {keyof typeof menus} [menu] default: `file`
 * @property {(opened: Opened, config: Config) => boolean} [when] shown only then
 * @property {() => void} click
 * @property {(item: HTMLButtonElement, config: Config) => void} [prepare]
 * @typedef {{ items: HostItem[], commands?: Record<string, (detail: any) => void> }} Feature
 */

/** @type {Feature[]} */
const features = [history, naming, documents, reference, users, links, sharing, pages]

/** The methods of the editor that answer events. */
export const hostCommands = Object.assign({}, ...features.map(({ commands = {} }) => commands))
export const { requestClose } = closing

/** Shows a menu item for each event that the page handles. @param {Config} config */
export function showHostItems (config) {
  const { visible = false, text } = config.editorConfig?.customization?.close ?? {}
  closeButton.hidden = !visible || !isHandled('onRequestClose')
  if (text) closeButton.textContent = text
  const shown = features.flatMap(({ items }) => items).filter(({ event }) => isHandled(event)).map(item => ({
    ...item,
    element: menuItem(item.name, item.click, { hidden: true })
  }))
  for (const { element, prepare } of shown) prepare?.(element, config)
  for (const [name, { fill }] of Object.entries(menus)) {
    fill(shown.filter(({ menu = 'file' }) => menu === name).map(({ element }) => element))
  }
  whenOpened(opened => {
    for (const { element, when = () => true } of shown) element.hidden = !when(opened, getConfig())
    for (const { update } of Object.values(menus)) update()
  })
}
