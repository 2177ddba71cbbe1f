import { button as elementFor } from '../dom.js'
import { closeButton, hostBar } from '../frame.js'
import { isHandled } from '../embedding-page.js'
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
 * @typedef {object} HostButton A button for something that the embedding page does.
 * @property {string} name
 * @property {string} event shown only if the page handles it
 * @property {(opened: Opened, config: Config) => boolean} [when] shown only then
 * @property {() => void} click
 * @property {(button: HTMLButtonElement, config: Config) => void} [prepare]
 * @typedef {{ buttons: HostButton[], commands?: Record<string, (detail: any) => void> }} Feature
 */

/** @type {Feature[]} */
const features = [history, naming, documents, reference, users, links, sharing, pages]

/** The methods of the editor that answer events. */
export const hostCommands = Object.assign({}, ...features.map(({ commands = {} }) => commands))
export const { requestClose } = closing

/** Shows a button for each event that the page handles. @param {Config} config */
export function showHostButtons (config) {
  const { visible = false, text } = config.editorConfig?.customization?.close ?? {}
  closeButton.hidden = !visible || !isHandled('onRequestClose')
  if (text) closeButton.textContent = text
  const shown = features.flatMap(({ buttons }) => buttons).filter(({ event }) => isHandled(event)).map(button => ({
    ...button,
    element: elementFor(button.name, button.click, { hidden: true })
  }))
  for (const { element, prepare } of shown) prepare?.(element, config)
  hostBar.replaceChildren(...shown.map(({ element }) => element))
  whenOpened(opened => {
    for (const { element, when = () => true } of shown) element.hidden = !when(opened, getConfig())
    hostBar.hidden = shown.every(({ element }) => element.hidden)
  })
}
