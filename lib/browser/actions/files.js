// Other files of the application: the user chooses one, a cell links to one, or a copy becomes one.
import { fetchThroughProxy } from '../captures.js'
import { openTab, pageUrl } from '../page.js'

/** @typedef {import('./index.js').ActionContext} ActionContext */
/** @import { Messages } from '../messages.js' */

/** @type {Record<string, keyof Messages>} */
const TITLES = { compare: 'chooseCompare', combine: 'chooseCombine', 'insert-text': 'chooseInsert' }

/**
 * Lets the user choose, and passes the signed data of the choice to the editor.
 * @param {ActionContext} context
 * @param {keyof Messages} title
 * @param {string} action
 * @param {object} body
 * @param {string} method Method of the editor.
 */
async function chooseFor ({ fragment, messages, ask, answer, tell }, title, action, body, method) {
  const { choose } = await import('../dialogs.js')
  const choice = await choose(fragment, {
    title: messages[title],
    messages,
    find: async search => (await ask(action, { ...body, ...(search && { search }) })).choices,
    textOf: tell.textOf
  })
  if (choice) answer(method, choice.data)
}

/** @type {import('./index.js').ActionGroups} */
export const fileGroups = {
  images: context => ({
    /** @param {{ c?: string }} [data] */
    onRequestInsertImage: ({ c = 'add' } = {}) => chooseFor(context, 'chooseImage', 'images', { c }, 'insertImage')
  }),

  documents: context => ({
    /** @param {{ c?: string }} [data] */
    onRequestSelectDocument: ({ c = 'compare' } = {}) =>
      chooseFor(context, TITLES[c] ?? 'chooseCompare', 'documents', { c }, 'setRequestedDocument')
  }),

  spreadsheets: context => ({
    /** @param {{ c?: string }} [data] */
    onRequestSelectSpreadsheet: ({ c = 'mailmerge' } = {}) =>
      chooseFor(context, 'chooseSpreadsheet', 'spreadsheets', { c }, 'setRequestedSpreadsheet'),

    /** @param {{ referenceData?: object, path?: string }} [data] */
    onRequestReferenceSource ({ referenceData, path } = {}) {
      const body = { c: 'reference', ...(referenceData && { referenceData }), ...(path && { path }) }
      return chooseFor(context, 'chooseSpreadsheet', 'spreadsheets', body, 'setReferenceSource')
    }
  }),

  reference,
  saveAs
}

/** @typedef {{ path?: string, link?: string, referenceData?: object }} Linked */

/** @type {import('./index.js').ActionGroup} */
function reference ({ ask, answer, messages, tell }) {
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

const TIME_LIMIT_MS = 180_000
/** By then the browser has certainly begun to save a file. */
const KEPT_MS = 60_000

/** @type {import('./index.js').ActionGroup} */
function saveAs ({ ask, messages, page, tell }) {
  return {
    /** @param {{ url: string, title: string, fileType: string }} data */
    async onRequestSaveAs ({ url, title, fileType }) {
      tell.busy(messages.savingCopy)
      const copy = await ask('saveAs', { url, title, fileType })
      const name = String(copy.title ?? title)
      if (copy.isDownload) {
        const file = await fetchThroughProxy(page, url, AbortSignal.timeout(TIME_LIMIT_MS))
        const title = messages.copyOffered.replace('{name}', () => name)
        return tell.done(title, { label: messages.download, run: () => download(file, name) })
      }
      const shown = pageUrl(copy.url)
      const button = shown ? { label: messages.open, run: () => openTab(shown) } : undefined
      tell.done(messages.copySaved.replace('{name}', () => name), button)
    }
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function download (file, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(file), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
