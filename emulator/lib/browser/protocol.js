/** @import { CellOperation, GridContent } from './grid/protocol.js' */

/**
 * The messages between page and document server, and the interfaces of the views.
 *
 * @typedef {{ bold?: boolean, italic?: boolean, underline?: boolean, strike?: boolean, link?: string }} Look
 * @typedef {{ from: number, to: number } & Look} Mark The formatting of a part of a text.
 * @typedef {{ from: number, to: number, format: 'bold' | 'italic' | 'underline' | 'strike', value: boolean }} Formatting
 * @typedef {{ id: string, text: string, editable: boolean, marks?: Mark[], level?: number, cell?: string, newPage?: boolean, images?: number }} Paragraph
 * @typedef {{ kind: 'text', text: string }
 *   | { kind: 'paragraphs', paragraphs: Paragraph[] }
 *   | { kind: 'readonly', note: string, paragraphs: Paragraph[] }} Content
 * @typedef {{ op: 'text', text: string, base?: string }
 *   | { op: 'set', id: string, text: string, base?: string, marks?: Mark[], joins?: string }
 *   | { op: 'insert', id: string, after: string, text: string, marks?: Mark[], splits?: string }
 *   | { op: 'remove', id: string, base?: string }
 *   | { op: 'format', id: string, base: string } & Formatting} Operation
 * @typedef {{ id: string, userId: string, name: string, viewOnly: boolean, self: boolean, place: string | null }} User
 *   `place`: the paragraph or line of text where the user is
 * @typedef {{ title: string, lang: string, fileType: string, viewOnly: boolean, outdated: boolean,
 *   connectionId: string, batch: number, users: User[], content: Content | GridContent, unsaved: boolean, pdf?: string,
 *   mayDownload: boolean }} Opened
 *   `batch`: the last batch of edits that arrived; `unsaved`: it has changes that the application has not accepted;
 *   `pdf`: path of a PDF to show
 * @typedef {{ type: 'opened' } & Opened
 *   | { type: 'refused', code: number, message: string }
 *   | { type: 'failed', message: string }
 *   | { type: 'users', users: User[] }
 *   | { type: 'operation', operation: Operation | CellOperation, by: string }
 *   | { type: 'content', content: Content | GridContent, asked?: boolean, by?: string }
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
 * @typedef {object} Config The page's configuration, as far as the editor's page itself reads it.
 * @property {{ info?: { favorite?: boolean } & object, permissions?: { edit?: boolean, download?: boolean }, title?:
 *   string, options?: object }} [document]
 * @property {{ mode?: string, coEditing?: { mode?: string }, actionLink?: ActionLink, customization?: { close?: {
 *   visible?: boolean, text?: string }, uiTheme?: string } }} [editorConfig]
 * @typedef {object} Outbox Receives the edits made in a view, before
 *   the view shows them, so that the previous state is still available.
 * @property {(id: string, text: string, joins?: string) => void} changed `joins`: the paragraph whose text was appended
 * @property {(id: string, after: string, text: string, splits?: string) => void} inserted `splits`: the paragraph it
 *   was split from
 * @property {(id: string) => void} removed
 * @property {(id: string, formatting: Formatting) => void} formatted
 * @property {(edits: () => void) => void} together makes several edits one undo step
 * @property {() => string} newId
 * @typedef {object} View Shows a document.
 * @property {() => string[]} ids in the order of the document
 * @property {(id: string) => string | undefined} previous the paragraph before, in the same cell
 * @property {(id: string, text: string, after?: string) => void} put shows a text, after the paragraph `after` if
 *   given; `''`: first
 * @property {(id: string) => void} drop
 * @property {(id: string) => readonly Mark[]} marks the formatting of a text before the edit that is being reported
 * @property {(id: string, text: string, marks: readonly Mark[]) => void} format shows the formatting of a text; the
 *   displayed text may be newer
 * @property {(id: string, offset: number) => void} focus
 * @property {() => string | null} place where the caret is, to show to others
 * @property {(marks: ReadonlyMap<string, { name: string, color: number }>) => void} mark shows where others are
 * @property {() => (() => void)} caret remembers the caret; returns a function that restores it
 */
export {}
