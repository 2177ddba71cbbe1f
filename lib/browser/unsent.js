// Knows whether the editor has changes that the document server does not have: `destroyEditor` would lose them.

/** Typing only becomes known when the editor's message about it arrives. */
const QUIET_MS = 500

/** @typedef {ReturnType<typeof followChanges>} Changes */

export function followChanges () {
  let isUnsent = false
  let isReady = false
  let isViewer = false
  /** @type {Set<() => void>} */
  const watchers = new Set()

  return {
    isUnsent: () => isUnsent,

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
