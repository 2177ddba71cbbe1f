import { type SessionState, TRANSITIONS } from '../../../../lib/sessions/record.js'
import type { CommitOptions, DocumentStore, StateRecord } from '../../../../lib/store/contract.js'

interface Sessions {
  readonly sessions: ReadonlyArray<{ readonly key: string, readonly state: SessionState }>
  readonly saves: ReadonlyArray<{ readonly key: string, readonly status: number }>
}

/** `before>after` of all transitions there are. */
const STEPS = new Set(Object.values(TRANSITIONS).flatMap(row => Object.entries(row).map(([before, after]) => `${before}>${after}`)))

/** A storage that notes in `faults` each step of a session that is no transition. */
export function withCheckedTransitions (storage: DocumentStore, faults: string[]): DocumentStore {
  /** Values of records, by file and version. */
  const known = new Map<string, unknown>()
  const id = (fileId: string, version: string) => `${fileId} ${version}`

  function learn (fileId: string, record: StateRecord | null): void {
    if (record) known.set(id(fileId, record.version), record.value)
  }

  function changed (fileId: string, version: string | null, after: unknown, newVersion: string): void {
    const before = version === null ? { format: 1, sessions: [], saves: [] } : known.get(id(fileId, version))
    known.set(id(fileId, newVersion), after)
    if (before !== undefined) faults.push(...wrongSteps(before as Sessions, after as Sessions))
  }

  const { state } = storage
  return {
    ...storage,
    state: {
      ...state,
      async set (fileId, value, version) {
        const newVersion = await state.set(fileId, value, version)
        if (newVersion !== null) changed(fileId, version, value, newVersion)
        return newVersion
      }
    },
    async snapshot (fileId) {
      const found = await storage.snapshot(fileId)
      learn(fileId, found.record)
      return found
    },
    async commit (fileId, content, options) {
      let value: unknown
      const record: CommitOptions['record'] = info => (value = options.record(info))
      const committed = await storage.commit(fileId, content, { ...options, record })
      if (committed) changed(fileId, options.ifRecordVersion, value, committed.recordVersion)
      return committed
    }
  }
}

function wrongSteps (before: Sessions, after: Sessions): string[] {
  const keys = new Set([...before.sessions, ...after.sessions].map(({ key }) => key))
  const steps = [...keys].map(key => [stateOf(before, key), stateOf(after, key)] as const)
  return steps.filter(([from, to]) => from !== to && !isStep(from, to)).map(([from, to]) => `a session went from ${from} to ${to}`)
}

/** What is `none` in the table is `finished` if a final save is noted. */
function isStep (from: SessionState, to: SessionState): boolean {
  return STEPS.has(`${from}>${to}`) || (to === 'finished' && STEPS.has(`${from}>none`))
}

function stateOf ({ sessions, saves }: Sessions, key: string): SessionState {
  const isFinished = saves.some(save => save.key === key && save.status === 2)
  return sessions.find(session => session.key === key)?.state ?? (isFinished ? 'finished' : 'none')
}
