import { userOf, users } from './users.js'

/** @import { FastifyOnlyofficeOptions } from 'fastify-onlyoffice' */
/** @import { Documents } from './documents.js' */
/** @import { Messages } from './messages.js' */

/**
 * Sends the answers in a submitted form to all other users.
 * @param {Documents} documents
 * @param {Messages} messages
 * @returns {NonNullable<FastifyOnlyofficeOptions['onFormSubmitted']>}
 */
export function createFormInbox (documents, messages) {
  /** In memory, like the messages: another application would have a table with a unique column. @type {Set<string>} */
  const received = new Set()

  return async ({ id, fileId, user, data }) => {
    if (received.has(id)) return
    const { name } = await documents.existing(fileId)
    const sender = userOf(user?.id)
    const text = data.filter(({ value }) => value).map(({ key, value }) => `${key}: ${value}`).join(', ')
    for (const { id: to } of users) {
      if (to === sender.id) continue
      messages.add({ to, from: sender.name, what: 'submitted', document: { id: fileId, name }, text, url: `/edit/${fileId}` })
    }
    received.add(id)
  }
}
