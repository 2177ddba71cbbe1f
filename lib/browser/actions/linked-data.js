import { openTab, pageUrl } from '../links.js'

/** @typedef {{ path?: string, link?: string, referenceData?: object }} Linked */

/** @type {import('./index.js').ActionGroup} */
export function reference ({ ask, answer, messages, tell }) {
  /** The editor does not say which request an answer is for. */
  let last = Promise.resolve()

  /** @param {Linked} data */
  const find = ({ path, link, referenceData }) =>
    ask('reference', { ...(path && { path }), ...(link && { link }), ...(referenceData && { referenceData }) })

  return {
    /** Answers exactly once, whatever happens: a second answer breaks the editor. @param {Linked} data */
    onRequestReferenceData (data) {
      const found = find(data).catch(error => ({ error: tell.textOf(error) }))
      last = last.catch(() => {}).then(async () => {
        const { page, ...answered } = await found // `page` is for the browser
        answer('setReferenceData', answered)
      })
      return last
    },

    /** @param {Linked & { windowName?: string }} data */
    async onRequestOpen ({ windowName, ...data }) {
      const found = await find(data)
      const page = pageUrl(found.page)
      if (!page) return tell.done(messages.notFound)
      if (!openTab(page, windowName)) {
        tell.done(messages.linkReady, { label: messages.open, run: () => openTab(page, windowName) })
      }
    }
  }
}
