import type { EditorOptions, SessionEndEvent, SessionStartEvent } from '../../lib/index.js'

type RecordedEvent = ['start', SessionStartEvent] | ['end', SessionEndEvent]

interface Recorder {
  /** What the hooks were called with, oldest first. */
  readonly events: readonly RecordedEvent[]
  readonly hooks: Required<Pick<EditorOptions, 'onSessionStart' | 'onSessionEnd'>>
  /** Resolves to all events once there are that many: nobody waits for these hooks. */
  until (count: number): Promise<readonly RecordedEvent[]>
}

/** Of each event what it was: `start`, or why the session ended. */
export function told (events: readonly RecordedEvent[]): string[] {
  return events.map(([name, event]) => 'reason' in event ? event.reason : name)
}

/** Hooks that remember their events and then do what they are given. */
export function recordSessions (inner: Pick<EditorOptions, 'onSessionStart' | 'onSessionEnd'> = {}): Recorder {
  const events: RecordedEvent[] = []
  const waiting = new Set<() => void>()

  function note (event: RecordedEvent): void {
    events.push(event)
    for (const look of waiting) look()
  }

  return {
    events,
    hooks: {
      async onSessionStart (event) {
        note(['start', event])
        await inner.onSessionStart?.(event)
      },
      async onSessionEnd (event) {
        note(['end', event])
        await inner.onSessionEnd?.(event)
      }
    },
    until: async count => await new Promise(resolve => {
      const look = () => {
        if (events.length < count) return
        waiting.delete(look)
        resolve(events)
      }
      waiting.add(look)
      look()
    })
  }
}
