// Lets the user choose from the application's files.

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
export const choiceGroups = {
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
  })
}
