// The page's reactions to the editor's request events.
import { choiceGroups } from './choices.js'
import { close } from './close.js'
import { documentGroups, refresh } from './document.js'
import { historyGroups } from './history.js'
import { reference } from './linked-data.js'
import { peopleGroups } from './people.js'
import { saveAs } from './save-as.js'

/** @import { Config } from '@onlyoffice/doceditor-types' */
/** @import { EditorPage, Fresh } from '../fragment.js' */
/** @import { Messages } from '../messages.js' */
/** @import { Notice } from '../notice.js' */
/** @import { Teller } from '../notice.js' */
/** @import { Changes } from '../closing.js' */

/**
 * @typedef {object} ActionContext
 * @property {HTMLElement} fragment
 * @property {EditorPage} page
 * @property {Messages} messages
 * @property {Notice} notice
 * @property {Teller} tell
 * @property {Changes} changes
 * @property {boolean} isStrict Strict co-editing: nothing is sent until the user saves.
 * @property {(action: string, body: object) => Promise<any>} ask Asks the application. Rejects with an `ActionError`.
 * @property {(method: string, ...args: unknown[]) => void} answer Calls a method of the editor, while it exists.
 * @property {(config: Config) => Config} completed A configuration as the editor needs it in this page.
 * @property {(request: { purpose: 'refresh' | 'edit' | 'reopen', key?: string }) => Promise<Fresh>} askFresh Asks for a
 *   fresh configuration; the fragment has it then.
 * @property {(purpose: 'edit' | 'reopen') => Promise<void>} reopen Replaces the editor by one with a fresh
 *   configuration.
 * @property {(error: unknown) => void} outdated Asks the user to reload the page.
 * @property {() => Promise<void>} remount Mounts with the configuration that the fragment has.
 * @property {(options: { force?: boolean, timeout?: number, isQuiet?: boolean }) => Promise<void>} unmount
 */

/** @typedef {(context: ActionContext) => Record<string, (data: any) => unknown>} ActionGroup Handlers by the names of events. If one rejects, the user is notified. */
/** @typedef {Readonly<Record<string, ActionGroup>>} ActionGroups Keyed by the words in the fragment's `data-actions`. */

/** @type {ActionGroups} */
const groups = { ...documentGroups, 'save-as': saveAs, ...choiceGroups, reference, ...peopleGroups, ...historyGroups }

/**
 * @param {ActionContext} context
 * @returns {ReturnType<ActionGroup>}
 */
export function actionEvents (context) {
  const { actions, closeUrl, events, pageToken } = context.page
  const used = [
    ...actions.flatMap(name => Object.hasOwn(groups, name) ? [groups[name]] : []),
    ...pageToken === '' ? [] : [refresh],
    ...closeUrl !== '' || events.includes('onRequestClose') ? [close] : []
  ]
  return Object.assign({}, ...used.map(group => group?.(context)))
}
