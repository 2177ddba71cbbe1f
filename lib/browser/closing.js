// Elements with which the user closes the page. The editor's own close button loses what was typed just before.
import { readFragment, stateOf } from './fragment.js'
import { pageUrl, wayBack } from './links.js'

const ELEMENT = '[data-onlyoffice-close]'
const SAME_TAB = ['_self', '_parent', '_top']
let isFollowing = false

export const hasCloseElement = () => document.querySelector(ELEMENT) !== null

/**
 * From now on such an element closes the editors of the page when everything is sent. Then it does its usual task: it
 * opens its `href`, submits its form, or opens `closeUrl`.
 */
export function followCloseElements () {
  if (isFollowing) return
  isFollowing = true
  document.addEventListener('click', clicked)
}

/** @param {MouseEvent} event */
async function clicked (event) {
  const element = event.target instanceof Element ? event.target.closest(ELEMENT) : null
  if (element === null || event.defaultPrevented || opensElsewhere(event, element)) return
  const fragments = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-onlyoffice-editor]')]).filter(
    readFragment
  )
  if (fragments.length === 0) return
  event.preventDefault()
  const closed = await Promise.all(fragments.map(fragment => stateOf(fragment).editor?.close() ?? true))
  if (closed.includes(false)) return
  if (element instanceof HTMLButtonElement && element.type === 'submit' && element.form) {
    return element.form.requestSubmit(element)
  }
  const closeUrl = fragments.map(({ dataset }) => dataset.closeUrl).find(Boolean) ?? ''
  const url = pageUrl(element.getAttribute('href')) ?? wayBack({ closeUrl, isOnly: true })
  if (url !== null) window.open(url, targetOf(element))
}

/** Whether another tab or a download opens and this page stays. @param {MouseEvent} event @param {Element} element */
function opensElsewhere ({ ctrlKey, metaKey, shiftKey, altKey }, element) {
  return ctrlKey || metaKey || shiftKey || altKey || element.hasAttribute('download') ||
    !SAME_TAB.includes(targetOf(element))
}

/** @param {Element} element */
function targetOf (element) {
  return element.getAttribute('target')?.toLowerCase() || '_self'
}

// Knows whether the editor has changes that the document server does not have: `destroyEditor` would lose them.

/** Typing only becomes known when the editor's message about it arrives. */
const QUIET_MS = 500

/** @typedef {ReturnType<typeof followChanges>} Changes */
/** @typedef {ReturnType<typeof followQuestion>} Question */

export function followChanges () {
  let isUnsent = false
  let isReady = false
  let isViewer = false
  /** @type {Set<() => void>} */
  const watchers = new Set()

  return {
    isUnsent: () => isUnsent,
    /** Whether the user can change the document. */
    isEditing: () => isReady && !isViewer,

    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {any} data
     */
    event (name, data) {
      if (name === 'onInfo') isViewer = data?.mode === 'view'
      if (name === 'onDocumentReady') isReady = true
      if (name !== 'onDocumentStateChange') return
      isUnsent = data === true
      for (const look of watchers) look()
    },

    /**
     * Waits until everything is sent.
     * @param {{ timeout: number, isQuiet?: boolean }} options `isQuiet`: nothing was just typed.
     * @returns {Promise<boolean>} `false` if something is unsent when the time is over.
     */
    sent ({ timeout, isQuiet = false }) {
      if (!isUnsent && (isQuiet || isViewer || !isReady)) return Promise.resolve(true)
      return new Promise(resolve => {
        const limit = setTimeout(() => end(!isUnsent), Math.max(timeout, QUIET_MS))
        let quiet = 0
        watchers.add(look)
        look()

        function look () {
          clearTimeout(quiet)
          if (!isUnsent) quiet = setTimeout(() => end(true), isQuiet ? 0 : QUIET_MS)
        }

        /** @param {boolean} isSent */
        function end (isSent) {
          watchers.delete(look)
          clearTimeout(limit)
          clearTimeout(quiet)
          resolve(isSent)
        }
      })
    },

    /** Forgets everything: the editor is gone. */
    forget () {
      isUnsent = isReady = false
      for (const look of watchers) look()
    }
  }
}

/**
 * Follows the editor's own question whether to close. Only the spreadsheet editor knows that a cell is open: nothing is
 * sent and no event is raised until the user leaves it, and `destroyEditor` loses its text. `requestClose` asks the
 * user about it, and raises `onRequestClose` if there is nothing to lose or the user agrees. No event reports that the
 * user does not agree.
 * Source: docs/document-server-protocol.md#its-order-and-its-effects
 * @param {() => void} requestClose
 */
export function followQuestion (requestClose) {
  let isAgreed = false
  /** @type {((outcome: 'agreed' | 'continued' | 'unanswered') => void) | undefined} */
  let settle

  return {
    /** Whether the user has agreed just now, for example to the question of the editor's close button. */
    isAgreed: () => isAgreed,

    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {unknown} data
     * @returns {boolean} Whether the event was the answer to `ask`.
     */
    event (name, data) {
      if (name === 'onDocumentStateChange' && data === true) settle?.('continued')
      if (name !== 'onRequestClose') return false
      const wasAsked = settle !== undefined
      isAgreed = true
      setTimeout(() => { isAgreed = false }) // after the handlers of the event
      settle?.('agreed')
      return wasAsked
    },

    /**
     * Resolves to `continued` if the user goes on editing, or to `unanswered` when the time is over.
     * @param {number} timeout
     * @returns {Promise<'agreed' | 'continued' | 'unanswered'>}
     */
    ask: timeout => new Promise(resolve => {
      const limit = setTimeout(() => settle?.('unanswered'), Math.max(timeout, QUIET_MS))
      settle = outcome => {
        settle = undefined
        clearTimeout(limit)
        resolve(outcome)
      }
      requestClose()
    }),

    /** The user may have answered no: asks again if the answer is awaited. */
    askAgain () {
      if (settle) requestClose()
    },

    /** Forgets everything: the editor is gone. */
    forget () {
      settle?.('unanswered')
    }
  }
}
