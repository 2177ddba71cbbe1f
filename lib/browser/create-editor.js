// Creates the editor in a fragment, and follows it while it exists.
import { closeEditor, hasCloseElement } from './actions/close.js'
import { actionEvents } from './actions/index.js'
import { createCaptures } from './captures.js'
import { followChanges, followQuestion, followSaves } from './changes.js'
import { NoFrameError } from './errors.js'
import { createTeller } from './messages.js'
import { dispatch, domName } from './page.js'
import { ask, askFresh, keepTokenValid } from './request.js'

/** @import { Config, DocEditor } from '@onlyoffice/doceditor-types' */
/** @import { ActionContext } from './actions/index.js' */
/** @import { EditorPage } from './fragment.js' */
/** @import { Notice } from './notice.js' */
/** @import { Opening } from './opening.js' */

/** @typedef {{ data?: any } | undefined} EditorEvent */
/** @typedef {ReturnType<typeof createEditor>} MountedEditor */

/**
 * Events that only inform. Listening to any other event changes what the editor shows or does, so it is only done for
 * events that the page requests or the application answers.
 * Source: emulator/docs/document-server-protocol.md#the-editor-in-the-page
 */
const INFORMATIONAL = [
  'onAppReady', 'onCollaborativeChanges', 'onDocumentReady', 'onDocumentStateChange', 'onDownloadAs', 'onError',
  'onInfo', 'onMetaChange', 'onPluginsReady', 'onStartFilling', 'onSubmit', 'onUserActionRequired', 'onWarning'
]

/** `FROZEN_TITLE` of the application: it has frozen the document, and makes its editors leave. */
const FROZEN_TITLE = '\u{1F512}'

/** The editor's code for a document that was saved since the page was made. */
const SAVED_SINCE = 4008

/**
 * @param {object} mount
 * @param {HTMLElement} mount.fragment
 * @param {EditorPage} mount.page
 * @param {Opening} mount.opening
 * @param {Notice} mount.notice
 * @param {NonNullable<Config['events']>} mount.handlers The page's handlers.
 * @param {ActionContext['unmount']} mount.unmount
 * @param {() => Promise<void>} mount.remount Mounts with the fragment's configuration at that time.
 */
export function createEditor ({ fragment, page, opening, notice, handlers, unmount, remount }) {
  const { messages } = page
  /** @type {any} */
  let docEditor = null
  let isGone = false
  /** Whether the page was told that the document is frozen. */
  let isFrozen = page.lockReason !== undefined
  let title = String(page.config.document?.title ?? '')
  const changes = followChanges()
  const question = followQuestion(() => {
    tell.hide() // "Saving…": the editor may ask
    docEditor.requestClose()
  })
  const isSheet = page.config.documentType === 'cell'
  const isStrict = page.config.editorConfig?.coEditing?.mode === 'strict'
  const captures = createCaptures({
    page,
    title: () => title,
    downloadAs: fileType => docEditor.downloadAs(fileType)
  })
  const tell = createTeller({ notice, messages, isFree: () => !isGone && opening.isOver() })
  const own = /** @type {Record<string, ((event: EditorEvent) => void) | undefined>} */ (handlers)
  const isRequested = page.events.includes('onRequestClose') || own.onRequestClose !== undefined
  const showsClose = isRequested || (page.closeUrl !== '' && !hasCloseElement())
  const hidesClose = isSheet && !isRequested && page.closeUrl === ''
  /** @param {Config} config */
  const completed = config => ({
    type: layoutOfDevice(),
    ...showsClose ? withClose(config) : hidesClose ? withoutClose(config) : config
  })
  /** @type {ActionContext} */
  const context = {
    fragment,
    page,
    messages,
    notice,
    tell,
    changes,
    isStrict,
    completed,
    unmount,
    remount,
    ask: (action, body) => ask(fragment, page, action, body),
    answer (method, ...args) {
      if (!isGone) docEditor?.[method](...args)
    },
    askFresh: request => askFresh(fragment, page, request),
    async reopen (purpose) {
      await askFresh(fragment, page, { purpose })
      if (!isGone) await remount()
    },
    outdated (error) {
      console.error(error)
      if (opening.isOver()) tell.outdated()
      else opening.event('onError', { errorCode: SAVED_SINCE })
    }
  }
  const answers = actionEvents(context)
  const saves = followSaves(context)

  /**
   * @param {string} name
   * @param {EditorEvent} event
   */
  function raised (name, event) {
    if (isGone) return
    const data = event?.data
    opening.event(name, data)
    changes.event(name, data)
    saves.event(name, data)
    if (name === 'onDocumentReady') tell.locked(page)
    if (captures.event(name, data) || question.event(name, data)) return
    if (name === 'onMetaChange' && data?.title === FROZEN_TITLE) return frozen()
    if (name === 'onMetaChange' && typeof data?.title === 'string') title = data.title
    const isLeftToUs = dispatch(fragment, domName(name), data)
    if (own[name]) own[name](event)
    else if (isLeftToUs) answerOrTell(name, data)
  }

  /**
   * The editor will be told to leave, and will only say that the file cannot be accessed. What was typed is sent within
   * a second, unless the user saves by hand: nothing more is typed.
   */
  async function frozen () {
    if (isFrozen || page.pageToken === '') return
    isFrozen = true
    const frame = changes.isEditing() && !isStrict ? fragment.querySelector('iframe') : null
    if (frame) {
      frame.inert = true
      frame.blur() // an inert frame that has the focus still gets the keys
    }
    try {
      const { lockReason } = await context.ask('renew', {})
      if (typeof lockReason === 'string') {
        tell.sentAway(lockReason)
        if (frame) frame.inert = true // a notice that does not cover the editor leaves it the keyboard
        return
      }
    } catch (error) {
      console.warn(error)
    }
    isFrozen = false
    if (frame) frame.inert = false
  }

  /**
   * @param {string} name
   * @param {unknown} data
   */
  async function answerOrTell (name, data) {
    try {
      await answers[name]?.(data)
    } catch (error) {
      tell.failed(error)
    }
  }

  keepTokenValid(fragment, page)
  const names = new Set([...INFORMATIONAL, ...page.events, ...Object.keys(own), ...Object.keys(answers)])
  if (isSheet) names.add('onRequestClose')
  const events = Array.from(names, name => [name, (/** @type {EditorEvent} */ event) => raised(name, event)])
  const config = { ...completed(page.config), events: Object.fromEntries(events) }
  docEditor = new window.DocsAPI.DocEditor(placeholderOf(fragment, page), config)
  if (!fragment.querySelector('iframe')) throw new NoFrameError(String(page.config.document?.fileType))

  return {
    docEditor: /** @type {DocEditor} */ (docEditor),
    changes,
    question,
    isStrict,
    /** Whether a cell may be open, whose text the document server does not have. Old editors cannot be asked. */
    mayHaveOpenCell: () => isSheet && changes.isEditing() && typeof docEditor.requestClose === 'function',
    close: () => closeEditor(context),
    capture: captures.capture,

    destroy () {
      isGone = true
      captures.end()
      changes.forget()
      question.forget()
      saves.end()
      for (const dialog of fragment.querySelectorAll('dialog')) dialog.close()
      try {
        docEditor.destroyEditor()
      } finally {
        // `destroyEditor` leaves a frame that is no longer in the page
        for (const frame of fragment.querySelectorAll(':scope > iframe')) frame.remove()
      }
    }
  }
}

/**
 * The element that becomes the editor. A destroyed editor may have left none.
 * @param {HTMLElement} fragment
 * @param {EditorPage} page
 * @returns {string} The ID of the element.
 */
function placeholderOf (fragment, { placeholderId }) {
  if (Array.from(fragment.children).some(({ id }) => id === placeholderId)) return placeholderId
  const placeholder = Object.assign(document.createElement('div'), { id: placeholderId })
  fragment.firstElementChild?.after(placeholder)
  return placeholderId
}

/**
 * Adds the close button, which a handler of `onRequestClose` alone does not show.
 * @param {Config} config
 * @returns {Config}
 */
function withClose (config) {
  const { customization } = config.editorConfig ?? {}
  /** @type {object | undefined} */
  const given = customization?.close
  const close = { visible: true, ...given }
  return { ...config, editorConfig: { ...config.editorConfig, customization: { ...customization, close } } }
}

/**
 * A configuration may ask for a button that nobody answers. The handler for the module's own question must not show it.
 * @param {Config} config
 * @returns {Config}
 */
function withoutClose (config) {
  const { customization } = config.editorConfig ?? {}
  /** @type {{ close?: object, goback?: unknown }} */
  const { close, goback } = customization ?? {}
  const hidden = {
    ...close !== undefined && { close: { ...close, visible: false } },
    ...typeof goback === 'object' && { goback: { ...goback, requestClose: false } }
  }
  return { ...config, editorConfig: { ...config.editorConfig, customization: { ...customization, ...hidden } } }
}

// The device that shows the page. api.js does not detect it, and loads the desktop editor by default.

/** In CSS pixels, for the screen's shorter side. Tablets have fewer. */
const LARGE_SCREEN = 1080

/**
 * `mobile` on phones and tablets: their primary pointer is a finger, and their screen is small. The screen counts, not
 * the window: a narrow window does not turn a desktop into a phone, and the screen's shorter side is the same in both
 * orientations.
 * @returns {'desktop' | 'mobile'}
 */
function layoutOfDevice () {
  const isTouched = matchMedia('(pointer: coarse)').matches
  return isTouched && Math.min(screen.width, screen.height) < LARGE_SCREEN ? 'mobile' : 'desktop'
}
