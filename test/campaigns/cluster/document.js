import { identityOf, makeDocument } from '../kills/documents.js'

/** @typedef {import('onlyoffice-emulator').Session} Session */

/**
 * A document and what was done to it. Every edit is appended to those before it, so a content tells its whole past.
 * @typedef {object} EditedDocument
 * @property {string} fileId
 * @property {string[]} edits all that were ever made, by whomever
 * @property {Saved[]} acknowledged
 * @property {Map<string, Set<Session>>} editors who has it open, by document key
 * @property {Promise<unknown>} editing the edit that is being made
 * @property {number} tries of edits
 * @property {string[]} history
 */

/** @typedef {{ edits: readonly string[], what: string }} Saved the edits in a save that was acknowledged */

/**
 * @param {string} fileId
 * @returns {EditedDocument}
 */
export function editedDocument (fileId) {
  return { fileId, edits: [], acknowledged: [], editors: new Map(), editing: Promise.resolve(), tries: 0, history: [] }
}

/**
 * @param {EditedDocument} document
 * @param {string} event
 */
export function note ({ history }, event) {
  history.push(`${new Date().toISOString().slice(14, 23)} ${event}`)
}

/** @param {string} fileId */
export function firstContent (fileId) {
  return makeDocument({ fileId, edits: [] }, 100)
}

/**
 * Somebody appends an edit. One at a time: each knows of those before.
 * @param {EditedDocument} document
 * @param {Session} session
 * @param {number} size bytes of filling
 */
export function edit (document, session, size) {
  const { fileId } = document
  const edited = document.editing.then(async () => {
    const edits = editsIn(await session.content(), fileId)
    if (edits === undefined) throw new Error(`${fileId} is torn in the editor`)
    const one = `e${++document.tries}`
    await session.edit(makeDocument({ fileId, edits: [...edits, one] }, size))
    document.edits.push(one)
    note(document, `${one} by ${session.userId} in ${shortKey(session.key)}`)
  })
  document.editing = edited.catch(() => {})
  return edited
}

/**
 * The edits in a content, `undefined` if it is torn or none of this document.
 * @param {Buffer} content
 * @param {string} fileId
 * @returns {string[] | undefined}
 */
export function editsIn (content, fileId) {
  const identity = identityOf(content)
  return identity?.fileId === fileId ? identity.edits : undefined
}

/**
 * @param {EditedDocument} document
 * @returns {string[]} keys under which somebody is editing
 */
export function liveKeys ({ editors }) {
  return [...editors].filter(([_key, sessions]) => sessions.size > 0).map(([key]) => key)
}

/**
 * The part that differs between the contents of a document.
 * @param {string} key
 */
export function shortKey (key) {
  const [, revision = key, , , count] = key.split('.')
  return revision.slice(0, 6) + (count === undefined ? '' : `.${count}`)
}
