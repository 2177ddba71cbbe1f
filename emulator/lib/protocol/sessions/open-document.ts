import type { Editable } from '../../documents/types.js'
import type { CallbackFields } from '../outbound/callbacks.js'
import { resultFolder } from '../result-files/files.js'
import type { Participant } from './participants.js'
import { saveTracker } from './save-tracker.js'

/** One edit. `at` is in milliseconds since the epoch. */
export interface Change {
  readonly user: Participant
  readonly at: number
  /** What was done, for the changes of a version. */
  readonly made: object
}

/** Content as it was downloaded or taken from a forgotten file. */
export interface LoadedContent {
  readonly bytes: Uint8Array
  readonly fileType: string
  /** Milliseconds since the epoch. */
  readonly loadedAt: number
}

/** A document assembled for a save. */
export interface AssembledDocument {
  readonly bytes: Uint8Array
  readonly folder: string
  /** How many edits it contains. */
  readonly edits: number
  /** The callback fields that describe it, with newly signed URLs below `baseUrl`. */
  fields (baseUrl: string): Pick<CallbackFields, 'url' | 'changesurl' | 'history' | 'filetype'>
}

export interface Assembly {
  /** `null` when the assembly failed without a result. */
  readonly assembled: AssembledDocument | null
  /** False when there is no result, or a corrupted one. */
  readonly succeeded: boolean
}

/** What a force save posts. A repeated attempt posts the same. */
export interface PreparedForceSave extends Assembly {
  readonly folder: string
  readonly changer: Participant
  readonly userdata: unknown
  readonly lastsave: string
}

/** The latest force save. */
export interface ForceSave {
  /** How many changes it contains. */
  readonly changes: number
  /** A submitted form is assembled differently. */
  readonly isForm: boolean
  readonly outcome: 'under way' | 'accepted' | 'refused' | 'failed'
  /** What is posted again on request after a refusal; `null` until it is assembled. */
  readonly prepared: PreparedForceSave | null
  /** Settles when the force save may be posted. A finished save waits for it. */
  readonly mayPost: Promise<unknown> | undefined
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  /** Another one has come at the same moment. */
  readonly hasRival: boolean
}

/** The save after the last editor left. */
export interface Save {
  readonly leaver: Participant
  /** The folder of its result files. A save repeated after a crash uses the same one. */
  readonly folder: string
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  /** True while the save waits for a lost connection to come back. */
  readonly isWaiting: boolean
  /** Aborted when the wait must end early. */
  readonly waitEnded: AbortSignal
  /** How the next force save is answered that comes while nobody edits. */
  readonly toForceSave: 'not now' | 'under way' | 'started'
  /** A force save that came while nobody edits was answered as started. */
  readonly hasForceSave: boolean
}

/**
 * How long after a cut the first force save is answered "not now". Source: recorded right after the last editor had
 * left; observed to be answered as started 3 s after a cut.
 */
const NOT_NOW_MS = 1000

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** A document by its key: loaded once, edited by many, assembled for each save. Only its own methods change it. */
export type OpenDocument = ReturnType<typeof openDocument>

type State = Readonly<ReturnType<typeof initialState>>

function initialState (key: string, fileType: string) {
  return {
    key,
    fileType,
    /** What the document was opened with; `null` until it is loaded, and once the next opening must load it again. */
    loaded: null as LoadedContent | null,
    /** The loaded content was a forgotten file. */
    fromForgottenFile: false,
    /** Why the key can't be opened: its conversion failed. It stays with the key for good. */
    failure: null as number | null,
    /** Changes that no finished save contains yet, oldest first. */
    changes: [] as readonly Change[],
    forceSave: null as ForceSave | null,
    /**
     * The save under way, until it has a final answer. An editor who joins before it is posted, or between two
     * attempts, cancels it.
     */
    save: null as Save | null,
    /**
     * When a finished save was posted and not refused, in milliseconds since the epoch: the key is view-only for a
     * while.
     */
    viewOnlySince: null as number | null,
    /** Commands don't find the key any more and opening it starts anew. Only viewers are left. */
    isRemoved: false,
    /** The callback URL of the participant who joined last: used when no participant is present. */
    lastCallbackUrl: null as string | null,
    /** The URL at which the participant who joined last reached the server: result files are announced below it. */
    baseUrl: '',
    saves: saveTracker()
  }
}

export function openDocument (key: string, fileType: string) {
  const participants = new Map<string, Participant>()
  const disconnected = new Map<string, Participant>()
  const closing = new WeakSet<Participant>()
  const departed = new Set<Participant>()
  let changes: Change[] = []
  let source: Uint8Array | null = null
  let editable: Editable | null = null
  let loading: Promise<void> | null = null
  let connections = 0
  let revoked: unknown = null
  let wait = new AbortController()
  const document = initialState(key, fileType)

  function dropChanges (): void {
    document.changes = changes = []
  }

  function startAnew (): void {
    dropChanges()
    document.forceSave = null
    document.fromForgottenFile = false
    editable = null
    revoked = null
  }

  dropChanges()
  return Object.assign(document as State, {
    /** By connection id. */
    participants: participants as ReadonlyMap<string, Participant>,
    /** Participants who are closing: presence does not name them any more. */
    closing: closing as Pick<ReadonlySet<Participant>, 'has'>,
    /** Participants whose connection was cut and who may come back, by connection id. */
    disconnected: disconnected as ReadonlyMap<string, Participant>,
    /** Participants who left and are notified when the save ends. */
    departed: departed as ReadonlySet<Participant>,

    /** The document as it would be saved now. */
    bytes: (): Uint8Array => editable === null ? source! : editable.bytes(),
    /** The document's contents for editing, parsed when first needed. */
    async editable (): Promise<Editable> {
      if (editable !== null) return editable
      const { openEditable } = await import('../../documents/open.js')
      editable ??= openEditable(document.fileType, source!)
      return editable
    },
    /** Whether there are changes that the application has not accepted. */
    isUnsaved: () => changes.length > 0 && !isForceSaved(document),

    /** Remembers where the latest connection came from. Returns its number. */
    connectionOpened (callbackUrl: string | null, baseUrl: string): number {
      document.lastCallbackUrl = callbackUrl ?? document.lastCallbackUrl
      document.baseUrl = baseUrl
      return ++connections
    },
    enter (participant: Participant): void {
      disconnected.delete(participant.connectionId)
      participants.set(participant.connectionId, participant)
    },
    close: (participant: Participant): void => { closing.add(participant) },
    leave (participant: Participant): void {
      departed.add(participant)
      participants.delete(participant.connectionId)
    },
    /** The participant's connection was cut; it may come back by `enter`. */
    disconnect (participant: Participant): void {
      disconnected.set(participant.connectionId, participant)
      participants.delete(participant.connectionId)
    },
    /** Everybody who left has been notified. */
    clearDeparted: (): void => departed.clear(),

    /** Runs `load` once for all who call this meanwhile. */
    async loadOnce (load: () => Promise<void>): Promise<void> {
      loading ??= load().finally(() => { loading = null })
      await loading
    },
    contentLoaded (content: LoadedContent, fromForgottenFile: boolean): void {
      document.loaded = content
      document.fileType = content.fileType
      document.fromForgottenFile = fromForgottenFile
      source = content.bytes
      editable = null
    },
    openingFailed: (code: number): void => { document.failure = code },
    replaceContent (bytes: Uint8Array, fileType: string): void {
      document.fileType = fileType
      source = bytes
      editable = null
    },
    recordChange (change: Change): void {
      changes.push(change)
      document.saves.edited()
    },

    startForceSave (isForm: boolean, startedAt: number): ForceSave {
      document.forceSave = {
        changes: changes.length,
        isForm,
        outcome: 'under way',
        prepared: null,
        mayPost: undefined,
        startedAt,
        hasRival: false
      }
      return document.forceSave
    },
    updateForceSave: (forceSave: ForceSave, changes: Partial<ForceSave>): void => { Object.assign(forceSave, changes) },

    /** Starts the save after the last editor left. `waits`: first waits for a lost connection to come back. */
    startSave (leaver: Participant, startedAt: number, { waits = false, folder = resultFolder(key) } = {}): Save {
      wait = new AbortController()
      document.save = {
        leaver,
        folder,
        startedAt,
        isWaiting: waits,
        waitEnded: wait.signal,
        toForceSave: 'not now',
        hasForceSave: false
      }
      return document.save
    },
    /** Ends the wait for a lost connection early. */
    skipWait: (): void => wait.abort(),
    /** The save no longer waits: it is being assembled. */
    waitOver (): void {
      const save = document.save as Mutable<Save> | null
      if (save?.isWaiting !== true) return
      save.isWaiting = false
      if (!save.hasForceSave) save.toForceSave = 'started'
    },
    /** Returns how a force save is answered that comes while nobody edits. */
    askedToForceSave (now: number): Save['toForceSave'] {
      const save = document.save as Mutable<Save> | null
      if (save === null) return 'not now'
      const isLate = save.isWaiting && now - save.startedAt >= NOT_NOW_MS
      const answer = isLate && save.toForceSave === 'not now' ? 'started' : save.toForceSave
      save.hasForceSave ||= answer === 'started'
      save.toForceSave = 'under way'
      return answer
    },
    cancelSave (): void {
      wait.abort()
      document.save = null
    },
    /** The save has its final answer. */
    endSave: (): void => { document.save = null },
    /** A finished save was accepted: nothing is unsaved, and editors who were cut off can't come back. */
    saveAccepted (): void {
      startAnew()
      if (document.loaded !== null) {
        source = document.loaded.bytes
        document.fileType = document.loaded.fileType
      }
      for (const [id, { viewOnly }] of disconnected) {
        if (!viewOnly) disconnected.delete(id)
      }
    },
    /** A finished save was refused: its content becomes a forgotten file, and the unsaved changes are dropped. */
    saveRefused (kept: Uint8Array): void {
      startAnew()
      source = kept
    },
    /** The command `saved` was called with this status. Any status but `"1"` revokes the next acceptance. */
    savedCommand (status: unknown): void {
      if (status !== '1') revoked = status ?? null
    },
    /** Whether a `saved` command revokes the acceptance. Applies once. */
    takeRevocation (): boolean {
      const isRevoked = revoked !== null
      revoked = null
      return isRevoked
    },

    makeKeyViewOnly: (since: number): void => { document.viewOnlySince = since },
    makeKeyEditable: (): void => { document.viewOnlySince = null },
    /** The view-only time is over: the key may be edited, and the next opening loads the content again. */
    reopenKey (): void {
      document.viewOnlySince = null
      document.loaded = null
    },

    remove (): void {
      document.loaded = null
      document.lastCallbackUrl = null
      document.isRemoved = true
      disconnected.clear()
    },
    reuse: (): void => { document.isRemoved = false },

    /**
     * Cuts every connection and drops a force save under way and a save that is still waiting. Returns who was cut off.
     */
    crash (): Participant[] {
      if (document.save?.isWaiting === true) document.save = null
      if (document.forceSave?.outcome === 'under way') document.forceSave = null
      const present = [...participants.values()]
      for (const participant of present) disconnected.set(participant.connectionId, participant)
      participants.clear()
      departed.clear()
      return present
    },
    /** Drops everything that was not saved. */
    loseUnsaved (): void {
      document.save = null
      dropChanges()
      document.saves.lost()
    }
  })
}

/** Whether the application has accepted a force save of all changes there are. */
export function isForceSaved ({ changes, forceSave }: Pick<State, 'changes' | 'forceSave'>): boolean {
  return forceSave?.outcome === 'accepted' && forceSave.changes === changes.length
}
