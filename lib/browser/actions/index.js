// The page's reactions to the editor's request events.
import { close } from './close.js'
import { documentGroups, refresh } from './document.js'
import { fileGroups } from './files.js'
import { historyGroups } from './history.js'

/** @import { Config } from '@onlyoffice/doceditor-types' */
/** @import { EditorPage, Fresh } from '../fragment.js' */
/** @import { Messages, Teller } from '../messages.js' */
/** @import { Notice } from '../notice.js' */
/** @import { Changes } from '../changes.js' */

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

/**
 * Handlers by the names of events. If one rejects, the user is notified.
 * @typedef {(context: ActionContext) => Record<string, (data: any) => unknown>} ActionGroup
 */
/**
 * Keyed by the words in the fragment's `data-actions`.
 * @typedef {Readonly<Record<string, ActionGroup>>} ActionGroups
 */

/** @type {ActionGroups} */
const groups = { ...documentGroups, ...fileGroups, ...historyGroups }

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
