// What the editor has not sent yet: `destroyEditor` would lose it. And whether what it has sent is stored.
import { ActionError } from './errors.js'
import { stateOf } from './fragment.js'
import { dispatch } from './page.js'
import { isTransient } from './request.js'

/** @import { ActionContext } from './actions/index.js' */
/** @typedef {ReturnType<typeof followChanges>} Changes */
/** @typedef {ReturnType<typeof followQuestion>} Question */

/** Typing only becomes known when the editor's message about it arrives. */
const QUIET_MS = 500

/** Follows whether the editor has changes that the document server does not have. */
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
 * Source: emulator/docs/document-server-protocol.md#its-order-and-its-effects
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

/**
 * Detail of the event `savestatechange`.
 * @typedef {object} SaveState
 * @property {boolean} saved Whether the latest save is stored, as far as is known.
 * @property {string} [since] When it was first refused: an ISO date.
 * @property {string} [code] Code of the plugin's error.
 * @property {string} [message] Why the application rejected it, for the user.
 */

/** A force save that follows what was sent has usually arrived by then. */
const SOON_MS = 10_000
/** From one question to the next, while the latest save is stored as far as is known. */
const INTERVAL_MS = 30_000

/** Something was sent, or the editor reports that something has failed. @param {string} name @param {unknown} data */
const mayPrecedeSave = (name, data) =>
  (name === 'onDocumentStateChange' && data === false) || name === 'onCollaborativeChanges' || name === 'onWarning'

/**
 * Tells users that the latest save was refused, and when it is stored. Asks some time after something was sent, and
 * when the window is shown again; while the save is refused, every ten seconds.
 * @param {Pick<ActionContext, 'fragment' | 'page' | 'messages' | 'tell' | 'ask'>} context
 */
export function followSaves ({ fragment, page, messages, tell, ask }) {
  const state = stateOf(fragment)
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let isOver = page.pageToken === ''
  let isViewer = false
  let isReady = false
  let isAsking = false
  let askedAt = -Infinity
  let noticedAt = -Infinity
  /** JSON of the state that the page was told last. */
  let told = ''

  if (!isOver) document.addEventListener('visibilitychange', shown)

  function shown () {
    if (isReady && !document.hidden) askIn(0)
  }

  /** @param {number} ms */
  function askIn (ms) {
    if (isOver || isViewer || isAsking) return
    const interval = state.refusedKey === undefined ? INTERVAL_MS : SOON_MS
    timer ??= setTimeout(look, Math.max(ms, askedAt + interval - performance.now()))
  }

  async function look () {
    timer = undefined
    if (!fragment.isConnected) return end() // a page may remove it without `unmountEditor`
    if (document.hidden) return // until it is shown
    const key = page.config.document?.key ?? ''
    isAsking = true
    askedAt = performance.now()
    let isDue = false
    try {
      const answer = await ask('saveState', { key })
      if (!isOver && typeof answer.saved === 'boolean') learned(answer, key)
      isDue = state.refusedKey !== undefined || noticedAt > askedAt - INTERVAL_MS
    } catch (error) {
      console.warn(error) // nothing is known: what is shown stays
      if (error instanceof ActionError && error.status === 403) end() // the application does not want it
      isDue = isTransient(error)
    }
    isAsking = false
    if (isDue) askIn(0)
  }

  /**
   * @param {SaveState} answer
   * @param {string} key The document key that it is about.
   */
  function learned (answer, key) {
    const { refusedKey } = state
    if (answer.saved ? refusedKey === undefined : told === JSON.stringify(answer)) return
    told = JSON.stringify(answer)
    if (answer.saved) delete state.refusedKey
    else state.refusedKey = key
    const isLeftToUs = dispatch(fragment, 'savestatechange', answer)
    const { unstored: title, unstoredAdvice, storedAgain } = messages
    const reason = answer.message ? { advice: answer.message } : { advice: unstoredAdvice, details: answer.code ?? '' }
    tell.stand(answer.saved || !isLeftToUs ? null : { title, ...reason })
    // Under another key the editor shows other content: nobody knows what became of the changes.
    if (answer.saved && isLeftToUs && key === refusedKey) tell.done(storedAgain)
  }

  /** Forgets everything: the editor is gone. */
  function end () {
    isOver = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', shown)
  }

  return {
    end,

    /**
     * Receives an event of the editor.
     * @param {string} name
     * @param {any} data
     */
    event (name, data) {
      if (name === 'onInfo') isViewer = data?.mode === 'view'
      if (name === 'onDocumentReady') {
        isReady = true
        if (state.refusedKey !== undefined) askIn(0) // the notice of an earlier editor is gone
      }
      if (!isReady || !mayPrecedeSave(name, data)) return
      noticedAt = performance.now()
      askIn(SOON_MS)
    }
  }
}
