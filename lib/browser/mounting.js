// Mounts and unmounts the editor of a fragment.
import { followCloseElements } from './actions/close.js'
import { createEditor } from './create-editor.js'
import { dispatchError, placeOfPage } from './page.js'
import { CaptureError, UnsentChangesError } from './errors.js'
import { firstMounted, readFragment, stateOf } from './fragment.js'
import { createNotice } from './notice.js'
import { followOpening, loadApi } from './opening.js'
import { askFresh } from './request.js'

/** @import { Config, DocEditor, FileType } from '@onlyoffice/doceditor-types' */
/** @import { EditorPage } from './fragment.js' */

/** @typedef {NonNullable<Config['events']>} Handlers */

const UNSENT_LIMIT_MS = 10_000

/**
 * Mounts the editor of a fragment. The handler's `editor.js` does so for fragments that are in the page when it is
 * loaded.
 *
 * The editor's events are dispatched on the fragment as DOM events, with their data as `detail`: the informational
 * ones, those that the application answers (option `actions`), and those that the page requests, with a handler in
 * `events` or by name with `control.render({ events })`. Their DOM names are in lower case and without `on`:
 * `documentready`; only `onError` and `onSubmit` are `editorerror` and `editorsubmit`. This module does not react to an
 * event if there is a handler for it, or if a listener calls `preventDefault()`.
 * @param {Element} fragment The element with the attribute `data-onlyoffice-editor`.
 * @param {Config['events']} [events] Handlers for the editor's events.
 * @returns {Promise<DocEditor | null>} The editor that is currently mounted: history, for example, ends with a new
 *   one. `null` if the control has no document.
 * @example
 * const docEditor = await mountEditor(fragment, { onRequestClose: () => unmountEditor(fragment) })
 */
export async function mountEditor (fragment, events = {}) {
  assertFragment(fragment)
  assertHandlers(events)
  const state = stateOf(fragment)
  if (state.unmount) await state.unmount.catch(() => {}) // if it fails, the editor is still there
  if (state.mount) return await state.mount
  return await remember(fragment, mount(/** @type {HTMLElement} */ (fragment), events))
}

/**
 * Remembers the latest mount of a fragment, unless it fails.
 * @param {Element} fragment
 * @param {Promise<DocEditor | null>} mount
 */
async function remember (fragment, mount) {
  const state = stateOf(fragment)
  state.mount = mount
  try {
    return await mount
  } finally {
    if (!state.editor && state.mount === mount) delete state.mount
  }
}

/**
 * @param {HTMLElement} fragment
 * @param {Handlers} events
 * @param {boolean} [isFresh] Whether the fragment has just received its configuration.
 * @returns {Promise<DocEditor | null>}
 */
async function mount (fragment, events, isFresh = false) {
  const page = readFragment(fragment)
  if (page === null) return null
  const apiLoaded = loadApi(page.api) // before anything that takes time
  followCloseElements()
  fragment.children[1]?.replaceChildren() // the text for a page whose module does not load
  const state = stateOf(fragment)
  // The editor fills its fragment, and would be a thin strip if no style sheet gives that a height.
  if (fragment.clientHeight === 0) {
    fragment.style.height = '100vh'
    // Excludes what the bars of a phone's browser cover; old browsers keep the other value.
    fragment.style.height = '100dvh'
  }
  state.opening?.stop()
  const notice = state.notice ??= createNotice(fragment)
  const opening = state.opening = followOpening({
    fragment,
    page,
    notice,
    leave: () => leave(fragment, page, events)
  })
  try {
    await Promise.all([apiLoaded, isFresh || goToPlace(fragment, page)])
    if (opening.isOver()) return null // unmounted meanwhile
    state.editor = createEditor({
      fragment,
      page,
      opening,
      notice,
      handlers: events,
      unmount: options => unmount(fragment, options),
      remount: () => remount(fragment, events)
    })
    opening.created()
    return state.editor.docEditor
  } catch (error) {
    if (opening.isOver()) return null
    opening.notCreated(/** @type {Error} */ (error), () => mountOrTell(fragment, events))
    throw error
  }
}

/**
 * A link to a place in the document needs a configuration that names the place. Without one the document still opens.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 */
async function goToPlace (fragment, page) {
  const actionLink = page.actions.includes('links') ? placeOfPage() : null
  if (actionLink !== null) await askFresh(fragment, page, { purpose: 'reopen', actionLink }).catch(console.error)
}

/**
 * Removes the editor of a document that could not be converted. The document server keeps the failure with the
 * document key.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @param {Handlers} events
 * @returns {(() => void) | null} Mounts another editor, under a new key if one is allowed.
 */
function leave (fragment, page, events) {
  const state = stateOf(fragment)
  state.editor?.destroy()
  delete state.editor
  delete state.mount
  if (page.pageToken === '') return null
  const { opening } = state
  return () => {
    const asked = askFresh(fragment, page, { purpose: 'retry', key: page.config.document?.key ?? '' }).catch(
      console.error
    )
    // Mounts unless the fragment was unmounted meanwhile.
    remember(fragment, asked.then(async () => opening?.isOver() ? null : await mount(fragment, events, true))).catch(
      console.error
    )
  }
}

/**
 * Replaces the editor at once by one with the fragment's current configuration.
 * @param {HTMLElement} fragment
 * @param {Handlers} events
 */
async function remount (fragment, events) {
  destroy(fragment)
  fragment.removeAttribute('data-error')
  await remember(fragment, mount(fragment, events))
}

/**
 * Closes the editor of a fragment as soon as it has sent everything to the document server. A spreadsheet's editor asks
 * the user first if a cell is open: only the editor knows of its text.
 *
 * Rejects with an `UnsentChangesError` if something is unsent after `timeout`, for example because the connection is
 * lost, or if the user has not agreed `timeout` after the question: the editor is still there then. An editor whose
 * fragment is no longer in the page is closed at once.
 * @param {Element} fragment
 * @param {object} [options]
 * @param {boolean} [options.force] Closes it at once. What was typed in the last moments may be lost.
 * @param {number} [options.timeout] Milliseconds. Default: 10 seconds.
 * @returns {Promise<void>}
 * @example
 * await unmountEditor(fragment)
 * location.assign('/documents')
 */
export async function unmountEditor (fragment, options = {}) {
  assertFragment(fragment)
  assertOptions(options, ['force', 'timeout'])
  const { force = false, timeout = UNSENT_LIMIT_MS } = options
  await unmount(fragment, { force, timeout })
}

/**
 * @param {Element} fragment
 * @param {{ force?: boolean, timeout?: number, isQuiet?: boolean }} options
 */
async function unmount (fragment, { force = false, timeout = UNSENT_LIMIT_MS, isQuiet = false }) {
  const state = stateOf(fragment)
  if (force || !state.editor || !fragment.isConnected) return destroy(fragment)
  if (state.unmount) state.editor.question.askAgain()
  state.unmount ??= whenSent(fragment, { timeout, isQuiet }).finally(() => delete state.unmount)
  await state.unmount
}

/**
 * @param {Element} fragment
 * @param {{ timeout: number, isQuiet: boolean }} options
 */
async function whenSent (fragment, { timeout, isQuiet }) {
  const { editor } = stateOf(fragment)
  if (!editor) return
  const { changes, isStrict, question } = editor
  const isAgreed = isQuiet || question.isAgreed()
  const isGone = () => stateOf(fragment).editor !== editor // forced meanwhile
  const frame = fragment.querySelector('iframe')
  if (frame) frame.inert = true // nothing more is typed
  const isSent = await changes.sent({ timeout, isQuiet })
  if (isGone()) return
  if (!fragment.isConnected) return destroy(fragment)
  const mustAsk = !isAgreed && editor.mayHaveOpenCell()
  if (isSent && !mustAsk) return destroy(fragment)
  if (frame) frame.inert = false
  if (!isSent) throw new UnsentChangesError(isStrict ? 'strict' : 'unsent', timeout)
  frame?.focus() // the question is in it
  const outcome = await question.ask(timeout)
  if (isGone()) return
  if (outcome !== 'agreed' && fragment.isConnected) throw new UnsentChangesError(outcome, timeout)
  destroy(fragment)
}

/** @param {Element} fragment */
function destroy (fragment) {
  const state = stateOf(fragment)
  const { editor, opening } = state
  delete state.editor
  delete state.mount
  opening?.end()
  editor?.destroy()
}

/**
 * Mounts, and if that fails informs the page with the attribute `data-error` and the event `editorerror`.
 * @param {Element} fragment
 * @param {Config['events']} [events]
 */
export function mountOrTell (fragment, events) {
  fragment.removeAttribute('data-error')
  mountEditor(fragment, events).catch(error => dispatchError(fragment, error))
}

// Checks of the arguments of this module. A wrong one is never ignored: it throws a TypeError that says what was
// expected.

/** @param {unknown} fragment */
function assertFragment (fragment) {
  if (/** @type {Partial<Element> | null} */ (fragment)?.hasAttribute?.('data-onlyoffice-editor')) return
  throw new TypeError(
    'The fragment must be the element with the attribute data-onlyoffice-editor, of the output of control.render()'
  )
}

/** @param {unknown} options @param {readonly string[]} names */
function assertOptions (options, names) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`The options must be an object such as { ${names.join(', ')} }`)
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`The option ${name} is unknown: use ${names.join(', ')}`)
  }
}

/** The names are not checked against a list: newer editors may have other events. @param {unknown} events */
function assertHandlers (events) {
  if (typeof events !== 'object' || events === null) {
    throw new TypeError('The events must be an object such as { onRequestClose: event => {} }')
  }
  for (const [name, handler] of Object.entries(events)) {
    if (!/^on[A-Z]/.test(name) || (handler !== undefined && typeof handler !== 'function')) {
      throw new TypeError(`The handler ${name} must be a function with the name of an event, such as onRequestClose`)
    }
  }
}

const TIME_LIMIT_MS = 60_000

/**
 * Fetches the document in the open editor, with unsaved changes, through the handler's proxy action.
 *
 * The editor makes one file at a time: each call waits for the answers to earlier ones, even to an aborted one.
 * Rejects with a `CaptureError`, whose `code` is the reason, or with the reason of `signal`.
 * @param {object} [options]
 * @param {Element | null} [options.fragment] Default: the first fragment in the page with an editor.
 * @param {FileType} [options.fileType] Format, such as `pdf`; a different result is an error. Default: the format of
 *   the document, or the editor's substitute for it.
 * @param {AbortSignal} [options.signal] Default: ends after 60 seconds.
 * @returns {Promise<File>} Named like the document, with the extension of its format.
 * @example
 * const pdf = await captureDocument({ fileType: 'pdf' })
 */
export async function captureDocument (options = {}) {
  assertOptions(options, ['fragment', 'fileType', 'signal'])
  const { fragment = firstMounted(), fileType, signal } = options
  const editor = fragment && stateOf(fragment).editor
  if (!editor) throw new CaptureError('not-mounted', 'No editor is mounted: wait for mountEditor()')
  if (signal) return await editor.capture(fileType, signal)
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort(new CaptureError('timeout', `The document was not there after ${TIME_LIMIT_MS / 1000} s`))
  }, TIME_LIMIT_MS)
  try {
    return await editor.capture(fileType, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}
