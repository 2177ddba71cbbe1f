import type { OpenDocument } from '../sessions/documents.js'

/** Tells the users named, or all without a list, to leave. The list may be JSON text; false when that is malformed. */
export function dropUsers (document: OpenDocument | undefined, given: unknown): boolean {
  const users = typeof given === 'string' && given !== '' ? parsed(given) : given
  if (users === MALFORMED) return false
  for (const participant of [...document?.participants.values() ?? []]) {
    if (!users || (Array.isArray(users) && users.includes(participant.userId))) participant.notify({ type: 'dropped' })
  }
  return true
}

/** Tells the editors the new title. Other metadata, and what is no object, tells them nothing they show. */
export function rename (document: OpenDocument | undefined, meta: unknown): void {
  const { title } = Object(meta) as { title?: unknown }
  if (typeof title !== 'string') return
  for (const participant of document?.participants.values() ?? []) participant.notify({ type: 'renamed', title })
}

const MALFORMED = Symbol('malformed')

function parsed (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return MALFORMED
  }
}
