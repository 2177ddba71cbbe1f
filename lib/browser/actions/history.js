/** @type {import('./index.js').ActionGroups} */
export const historyGroups = {
  history ({ ask, answer, messages, page, reopen, tell }) {
    return {
      /** The application first saves what is being typed. */
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
  },

  historyData: ({ ask, answer, tell }) => ({
    /** @param {number | string} version Text, if the editor takes versions such as `1.2`. */
    async onRequestHistoryData (version) {
      const data = await ask('historyData', { version: Number(version) })
        .catch(error => ({ error: tell.textOf(error) }))
      answer('setHistoryData', { ...data, version })
    }
  }),

  restore: ({ ask, messages, reopen, tell }) => ({
    /**
     * @param {{ version: number | string, url?: string, fileType?: string }} data `url` is set for a change below a
     *   version.
     */
    async onRequestRestore ({ version: named, url, fileType }) {
      const version = Number(named)
      tell.busy(messages.restoring)
      await ask('restore', url ? { version, url, fileType } : { version })
      await reopen('reopen')
    }
  })
}

// Converts the times of versions, which the application gives in UTC.

/** @typedef {{ created?: unknown, name?: unknown, user?: { name?: string }, changes?: Dated[] | unknown }} Dated */

/**
 * @param {{ history?: Dated[] }} versions The argument of `refreshHistory`.
 * @param {string} [lang] Language of the editor.
 */
function inTimeZone (versions, lang) {
  if (!Array.isArray(versions.history)) return versions
  const format = formatter(lang)
  return { ...versions, history: versions.history.map(version => dated(version, format)) }
}

/**
 * @param {Dated} version
 * @param {Intl.DateTimeFormat} format
 * @returns {Dated}
 */
function dated (version, format) {
  const { created, name, user, changes } = version
  return {
    ...version,
    ...(typeof created === 'string' && { created: local(created, format) }),
    // The editor has no place for a name. It escapes that of the user, but `created` is HTML for it.
    ...(typeof name === 'string' && { user: { ...user, name: [user?.name, name].filter(Boolean).join(' · ') } }),
    ...(Array.isArray(changes) && { changes: changes.map(change => dated(change, format)) })
  }
}

/**
 * @param {string} created A time such as `2026-03-01 09:30:00`, or an ISO date.
 * @param {Intl.DateTimeFormat} format
 */
function local (created, format) {
  const isWithoutZone = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(created)
  const date = new Date(isWithoutZone ? `${created.replace(' ', 'T')}Z` : created)
  return Number.isNaN(date.getTime()) ? created : format.format(date)
}

/** @param {string} [lang] */
function formatter (lang) {
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { dateStyle: 'medium', timeStyle: 'short' }
  try {
    return new Intl.DateTimeFormat(lang, options)
  } catch {
    return new Intl.DateTimeFormat(undefined, options)
  }
}
