import { subscribe } from 'node:diagnostics_channel'
import type { RecoveryMessage, SaveMessage } from '../../../../types/diagnostics.js'
import type { SavedEvent } from '../../../../types/events.js'

const counts = new Map<string, number>()

function count (name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Counts the rule of a save that is stored, also as a forgotten file. */
export function countRule ({ rule }: SavedEvent): void {
  if (rule !== undefined) count(rule)
}

/** Counts the rest: an ignored save by the name of its rule, a refused one by the code of its error. */
export function countOthers (): void {
  subscribe('fastify-onlyoffice:save', message => {
    const { outcome, rule, code } = message as SaveMessage
    if (rule === undefined) count(code ?? outcome)
  })
  subscribe('fastify-onlyoffice:recovery', message => {
    const { outcome } = message as RecoveryMessage
    if (outcome === 'being-edited') count('forgotten, but being edited')
  })
}

/** How often each rule has decided, the most frequent first. */
export function ruleCounts (): string {
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, times]) => `${name} ${times}`).join(', ')
}
