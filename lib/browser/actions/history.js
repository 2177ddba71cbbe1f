import { inTimeZone } from '../times.js'

/** @type {import('./index.js').ActionGroup} */
export function history ({ ask, answer, messages, page, reopen, tell }) {
  return {
    /** The application saves what is being typed before. */
    async onRequestHistory () {
      tell.busy(messages.loadingHistory)
      const versions = await ask('history', {}).catch(error => ({ error: tell.textOf(error) }))
      tell.hide()
      answer('refreshHistory', inTimeZone(versions, page.config.editorConfig?.lang))
    },

    /** The editor has ended the session to show the versions. */
    onRequestHistoryClose: leaveHistory
  }

  async function leaveHistory () {
    await reopen('reopen').catch(error => tell.failed(error, leaveHistory))
  }
}

/** @type {import('./index.js').ActionGroup} */
export function historyData ({ ask, answer, tell }) {
  return {
    /** @param {number} version */
    async onRequestHistoryData (version) {
      answer('setHistoryData', await ask('history-data', { version }).catch(error => ({ error: tell.textOf(error), version })))
    }
  }
}

/** @type {import('./index.js').ActionGroup} */
export function restore ({ ask, messages, reopen, tell }) {
  return {
    /** @param {{ version: number, url?: string, fileType?: string }} data `url` of a change below a version */
    async onRequestRestore ({ version, url, fileType }) {
      tell.busy(messages.restoring)
      await ask('restore', url ? { version, url, fileType } : { version })
      await reopen('reopen')
    }
  }
}
