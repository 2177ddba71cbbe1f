/** @import { EditorState, Transaction } from 'prosemirror-state' */
/** @import { CellOperation, GridContent } from './grid/protocol.js' */

/**
 * The messages between page and document server, and the interfaces of the views.
 *
 * @typedef {object} TextContent
 * @property {'prose'} kind
 * @property {string} epoch another one, if the document is not the one that the steps before led to
 * @property {number} version the number of steps in this epoch
 * @property {object} doc as JSON of text/schema.js
 * @property {boolean} plain a text without formats; its paragraphs are lines
 * @property {Record<string, string | null>} levels of headings that it can have, with their colours; 0 is a title
 * @property {{ steps: object[], clients: string[] }} [missed] since the version that the page had
 * @typedef {{ kind: 'readonly', note: string, doc?: object }} FixedContent `doc`: a text to read
 * @typedef {{ key: string, label: string, type: 'text' | 'checkBox' | 'radio' | 'comboBox', value: string | boolean,
 *   options?: string[], multiline?: boolean }} FormField
 * @typedef {{ kind: 'form', fields: FormField[] }} FormContent
 * @typedef {{ op: 'field', field: string, value: string | boolean }} FieldOperation
 * @typedef {TextContent | FixedContent | GridContent | FormContent} Content
 * @typedef {{ op: 'steps', version: number, steps: object[], client: string }} Steps
 * @typedef {Steps | CellOperation | FieldOperation} Operation
 * @typedef {{ id: string, userId: string, name: string, viewOnly: boolean, self: boolean, place: string | null }} User
 *   `place`: the cell or the position in the text where the user is
 * @typedef {{ title: string, lang: string, fileType: string, viewOnly: boolean, mayWrite: boolean, outdated:
 *   boolean, connectionId: string, batch: number, users: User[], content: Content, unsaved: boolean, pdf?: string,
 *   mayDownload: boolean }} Opened
 *   `mayWrite`: false also for an editor who may only comment or fill in forms;
 *   `batch`: the last batch of edits that arrived; `unsaved`: it has changes that the application has not accepted;
 *   `pdf`: path of a PDF to show
 * @typedef {{ type: 'opened' } & Opened
 *   | { type: 'refused', code: number, message: string }
 *   | { type: 'failed', message: string }
 *   | { type: 'users', users: User[] }
 *   | { type: 'operation', operation: Operation, by: string }
 *   | { type: 'content', content: Content, asked?: boolean, by?: string }
 *   | { type: 'received', batch: number }
 *   | { type: 'warning', code?: number, message: string }
 *   | { type: 'renamed', title: string }
 *   | { type: 'saved', accepted: boolean, unsaved: boolean }
 *   | { type: 'forceSaved', accepted: boolean, unsaved: boolean }
 *   | { type: 'forceSaveDone', nothing: boolean, accepted: boolean, answer: unknown, unsaved: boolean }
 *   | { type: 'answer', id: number, result?: unknown, error?: { code: number, message: string } }
 *   | { type: 'dropped' }
 *   | { type: 'closed', status: number | null, accepted: boolean }} ServerMessage
 * @typedef {{ action?: { type?: string, data?: string } }} ActionLink
 * @typedef {{ paragraphs?: Array<{ runs: Array<{ text: string }> }> }} Watermark
 * @typedef {object} Config The page's configuration, as far as the editor's page itself reads it.
 * @property {{ info?: { favorite?: boolean } & object, permissions?: { edit?: boolean, download?: boolean }, title?:
 *   string, options?: { watermark_on_draw?: Watermark } }} [document]
 * @property {{ mode?: string, user?: { name?: string }, coEditing?: { mode?: string }, actionLink?: ActionLink,
 *   customization?: { close?: { visible?: boolean, text?: string }, submitForm?: boolean | { visible?: boolean },
 *   uiTheme?: string } }} [editorConfig]
 * @typedef {ReadonlyMap<string, { name: string, color: number }>} Marks others, by their place
 * @typedef {object} TextView Shows a text.
 * @property {(state: EditorState) => void} update
 * @property {() => void} destroy
 * @property {() => void} focus
 * @property {() => string} caret where it is, or was before the focus left the text
 * @property {() => string | null} place where the caret is, to show to others
 * @property {(marks: Marks) => void} mark shows where others are
 * @property {(place: string) => void} reveal shows where a link leads to
 * @typedef {(transaction: Transaction) => void} Dispatch
 * @typedef {(content: TextContent, state: EditorState, dispatch: Dispatch) => TextView} ShowText
 */
export {}
