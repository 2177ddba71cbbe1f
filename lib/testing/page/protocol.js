/**
 * What the page and the document server tell each other, and what the views do.
 *
 * @typedef {{ id: string, text: string, editable: boolean, level?: number, cell?: string }} Paragraph
 * @typedef {{ kind: 'text', text: string }
 *   | { kind: 'paragraphs', paragraphs: Paragraph[] }
 *   | { kind: 'readonly', note: string, paragraphs: Paragraph[] }} Content
 * @typedef {{ op: 'text', text: string }
 *   | { op: 'set', id: string, text: string }
 *   | { op: 'insert', id: string, after: string, text: string }
 *   | { op: 'remove', id: string }} Operation
 * @typedef {{ id: string, name: string, viewOnly: boolean, self: boolean }} User
 * @typedef {{ title: string, lang: string, fileType: string, viewOnly: boolean, outdated: boolean, connectionId: string,
 *   users: User[], content: Content }} Opened
 * @typedef {{ type: 'opened' } & Opened
 *   | { type: 'refused', code: number, message: string }
 *   | { type: 'users', users: User[] }
 *   | { type: 'operation', operation: Operation, by: string }
 *   | { type: 'content', content: Content }
 *   | { type: 'received' }
 *   | { type: 'saved', accepted: boolean }
 *   | { type: 'forceSaved', nothing: boolean, accepted: boolean, answer: unknown }
 *   | { type: 'downloadAs', fileType?: string, url?: string, error?: string }
 *   | { type: 'dropped' }
 *   | { type: 'closed', status: number | null, accepted: boolean }} ServerMessage
 * @typedef {{ queue: (operation: Operation) => void, newId: () => string }} Outbox what a view tells of its edits
 * @typedef {{ apply: (operation: Operation) => void }} View a view shows what others did
 */
export {}
