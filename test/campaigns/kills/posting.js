import { note, violated } from './edited-file.js'

/** @typedef {import('./edited-file.js').EditedFile} EditedFile */
/** @typedef {import('./document-server.js').Save} Save */
/** @typedef {import('./processes.js').Service} Service */

/**
 * Posts callbacks and keeps what was answered.
 * @param {object} dependencies
 * @param {Awaited<ReturnType<typeof import('./document-server.js').startDocumentServer>>} dependencies.documentServer
 * @param {import('./counts.js').Counts} dependencies.counts
 */
export function createPosting ({ documentServer, counts }) {
  return {
    /**
     * @param {{ file: EditedFile, save: Save, to: Service, isReplay?: boolean }} call
     * @returns {Promise<0 | 1 | undefined>} the answered error, undefined when there was no answer
     */
    async post ({ file, save, to, isReplay = false }) {
      documentServer.offer(save)
      const { asked } = save
      const what = `${isReplay ? 'again ' : ''}${save.status} of version ${save.version} (${save.filetype}${save.isBroken ? ', broken' : ''}) to ${to.pid}`
      note(file, `posts ${what}`)
      const error = await documentServer.post(save, to.origin)
      note(file, `${error === undefined ? 'no answer' : `answered ${error}`}: ${what}`)
      if (isReplay && save.asked !== asked) violated(file, `a repeated save was fetched again: ${what}`)
      if (error === 1 && (isReplay || !save.isBroken)) violated(file, `refused: ${what}`)
      if (error === 0 && !isReplay && save.isBroken) violated(file, `acknowledged though nothing could be fetched: ${what}`)
      if (error === 0 && isReplay) counts.replayed++
      if (error === 0 && !isReplay) acknowledge(file, save)
      if (error === 1) counts.refused++
      return error
    },

    /**
     * Someone opens the document with the key they got.
     * @param {EditedFile} file
     * @param {string} key
     * @param {Service} to
     */
    async open (file, key, to) {
      file.key = key
      const error = await documentServer.postOpened(file.fileId, key, to.origin)
      if (error !== 0) violated(file, `opening was answered ${error}`)
      file.isLive = true
      note(file, `opened with ${key}`)
    }
  }

  /**
   * @param {EditedFile} file
   * @param {Save} save
   */
  function acknowledge (file, save) {
    counts.acknowledged++
    save.isAcknowledged = true
    // Only what was superseded at once is acknowledged without being stored.
    if (save.version === file.version) file.published.add(save.version)
    if (save.status === 2) finished(file, save.key)
  }
}

/**
 * A session was saved for good.
 * @param {EditedFile} file
 * @param {string} key
 */
export function finished (file, key) {
  file.ended.add(key)
  if (file.key === key) file.isLive = false
}
