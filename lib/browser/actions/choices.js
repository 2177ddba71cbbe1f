// Lets the user choose from the application's files.

/** @typedef {import('./index.js').ActionContext} ActionContext */
/** @import { Messages } from '../messages.js' */

/** @type {Record<string, keyof Messages>} */
const TITLES = { compare: 'chooseCompare', combine: 'chooseCombine', 'insert-text': 'chooseInsert' }

/**
 * Lets the user choose, and passes the signed data of the choice to the editor.
 * @param {ActionContext} context
 * @param {object} choice
 * @param {string} choice.title
 * @param {string} choice.action
 * @param {object} choice.body
 * @param {string} choice.method Method of the editor.
 */
async function chooseFor ({ fragment, messages, ask, answer, tell }, { title, action, body, method }) {
  const { choose } = await import('../dialogs.js')
  const choice = await choose(fragment, {
    title,
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
    onRequestInsertImage: ({ c = 'add' } = {}) =>
      chooseFor(context, { title: context.messages.chooseImage, action: 'images', body: { c }, method: 'insertImage' })
  }),

  documents: context => ({
    /** @param {{ c?: string }} [data] */
    onRequestSelectDocument: ({ c = 'compare' } = {}) => chooseFor(context, {
      title: context.messages[TITLES[c] ?? 'chooseCompare'],
      action: 'documents',
      body: { c },
      method: 'setRequestedDocument'
    })
  }),

  spreadsheets: context => ({
    /** @param {{ c?: string }} [data] */
    onRequestSelectSpreadsheet: ({ c = 'mailmerge' } = {}) => chooseFor(context, {
      title: context.messages.chooseSpreadsheet,
      action: 'spreadsheets',
      body: { c },
      method: 'setRequestedSpreadsheet'
    }),

    /** @param {{ referenceData?: object, path?: string }} [data] */
    onRequestReferenceSource: ({ referenceData, path } = {}) => chooseFor(context, {
      title: context.messages.chooseSpreadsheet,
      action: 'spreadsheets',
      body: { c: 'reference', ...(referenceData && { referenceData }), ...(path && { path }) },
      method: 'setReferenceSource'
    })
  })
}
