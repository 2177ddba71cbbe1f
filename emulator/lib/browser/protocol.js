/**
 * What the page and the document server tell each other, and what the views do.
 *
 * @typedef {{ id: string, text: string, editable: boolean, level?: number, cell?: string, newPage?: boolean }} Paragraph
 * @typedef {{ kind: 'text', text: string }
 *   | { kind: 'paragraphs', paragraphs: Paragraph[] }
 *   | { kind: 'readonly', note: string, paragraphs: Paragraph[] }} Content
 * @typedef {{ op: 'text', text: string, base?: string }
 *   | { op: 'set', id: string, text: string, base?: string }
 *   | { op: 'insert', id: string, after: string, text: string }
 *   | { op: 'remove', id: string, base?: string }} Operation
 * @typedef {{ id: string, userId: string, name: string, viewOnly: boolean, self: boolean, place: string | null }} User
 *   `place`: the paragraph, or line of a text, where the user is
 * @typedef {{ title: string, lang: string, fileType: string, viewOnly: boolean, outdated: boolean, connectionId: string,
 *   batch: number, users: User[], content: Content }} Opened
 *   `batch`: the last batch of edits that arrived
 * @typedef {{ type: 'opened' } & Opened
 *   | { type: 'refused', code: number, message: string }
 *   | { type: 'failed', message: string }
 *   | { type: 'users', users: User[] }
 *   | { type: 'operation', operation: Operation, by: string }
 *   | { type: 'content', content: Content }
 *   | { type: 'received', batch: number }
 *   | { type: 'warning', code?: number, message: string }
 *   | { type: 'renamed', title: string }
 *   | { type: 'saved', accepted: boolean }
 *   | { type: 'forceSaved', accepted: boolean }
 *   | { type: 'forceSaveDone', nothing: boolean, accepted: boolean, answer: unknown }
 *   | { type: 'downloadAs', fileType?: string, url?: string, error?: string }
 *   | { type: 'dropped' }
 *   | { type: 'closed', status: number | null, accepted: boolean }} ServerMessage
 * @typedef {object} Outbox What a view tells of its edits.
 * @property {(id: string, text: string) => void} changed
 * @property {(id: string, after: string, text: string) => void} inserted
 * @property {(id: string) => void} removed
 * @property {() => string} newId
 * @typedef {object} View Shows a document.
 * @property {() => string[]} ids in the order of the document
 * @property {(id: string) => string | undefined} previous the paragraph before, in the same cell
 * @property {(id: string, text: string, after?: string) => void} put shows a text, behind `after` when that is given; `''`: first
 * @property {(id: string) => void} drop
 * @property {() => string | null} place where the caret is, for others
 * @property {(marks: ReadonlyMap<string, { name: string, color: number }>) => void} mark shows where others are
 * @property {() => (() => void)} caret remembers the caret and gives what puts it back
 */
export {}
