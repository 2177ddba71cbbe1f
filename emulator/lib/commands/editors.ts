import type { OpenDocument } from '../sessions/documents.js'

/** Tells the users named, or all without a list, to leave. The list may be JSON text; false when that is malformed. */
export function dropUsers (document: OpenDocument | undefined, given: unknown): boolean {
  const users = typeof given === 'string' && given !== '' ? parsed(given) : given
  if (users === MALFORMED) return false
  for (const participant of [...document?.participants.values() ?? []]) {
    if (!users || isNamed(users, participant.userId)) participant.notify({ type: 'dropped' })
  }
  return true
}

/** Tells the editors the new title. Other metadata, and what is no object, tells them nothing they show. */
export function rename (document: OpenDocument | undefined, meta: unknown): void {
  const { title } = Object(meta) as { title?: unknown }
  if (typeof title !== 'string') return
  for (const participant of document?.participants.values() ?? []) participant.notify({ type: 'renamed', title })
}

/** Of a text every part counts. Source: docs/document-server-protocol.md#drop-and-meta */
function isNamed (users: unknown, userId: string): boolean {
  return (Array.isArray(users) || typeof users === 'string') && users.includes(userId)
}

const MALFORMED = Symbol('malformed')

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return MALFORMED
  }
}
