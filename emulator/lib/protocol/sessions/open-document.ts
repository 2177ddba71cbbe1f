import type { Editable } from '../../documents/types.js'
import type { CallbackFields } from '../outbound/callbacks.js'
import { resultFolder } from '../result-files/files.js'
import type { Participant } from './participants.js'
import { saveTracker, type SaveTracker } from './save-tracker.js'

/** One edit. `at` is in milliseconds since the epoch. */
export interface Change {
  readonly user: Participant
  readonly at: number
  /** What was done, for the changes of a version. A large change has only its name. */
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

interface DocumentState {
  readonly key: string
  readonly fileType: string
  /** What the document was opened with; `null` until it is loaded, and once the next opening must load it again. */
  readonly loaded: LoadedContent | null
  /** The loaded content was a forgotten file. */
  readonly fromForgottenFile: boolean
  /** Why the key can't be opened: its conversion failed. It stays with the key for good. */
  readonly failure: number | null
  /** By connection id. */
  readonly participants: ReadonlyMap<string, Participant>
  /** Participants who are closing: presence does not name them any more. */
  readonly closing: Pick<ReadonlySet<Participant>, 'has'>
  /** Participants whose connection was cut and who may come back, by connection id. */
  readonly disconnected: ReadonlyMap<string, Participant>
  /** Participants who left and are notified when the save ends. */
  readonly departed: ReadonlySet<Participant>
  /** Changes that no finished save contains yet, oldest first. */
  readonly changes: readonly Change[]
  readonly forceSave: ForceSave | null
  /**
   * The save under way, until it has a final answer. An editor who joins before it is posted, or between two attempts,
   * cancels it.
   */
  readonly save: Save | null
  /**
   * When a finished save was posted and not refused, in milliseconds since the epoch: the key is view-only for a while.
   */
  readonly viewOnlySince: number | null
  /** Commands don't find the key any more and opening it starts anew. Only viewers are left. */
  readonly isRemoved: boolean
  /** The callback URL of the participant who joined last: used when no participant is present. */
  readonly lastCallbackUrl: string | null
  /** The URL at which the participant who joined last reached the server: result files are announced below it. */
  readonly baseUrl: string
  readonly saves: SaveTracker
}

/** A document by its key: loaded once, edited by many, assembled for each save. Only its own methods change it. */
export interface OpenDocument extends DocumentState {
  /** The document as it would be saved now. */
  bytes (): Uint8Array
  /** The document's contents for editing, parsed when first needed. */
  editable (): Promise<Editable>
  /** Whether there are changes that the application has not accepted. */
  isUnsaved (): boolean

  /** Remembers where the latest connection came from. Returns its number. */
  connectionOpened (callbackUrl: string | null, baseUrl: string): number
  enter (participant: Participant): void
  close (participant: Participant): void
  leave (participant: Participant): void
  /** The participant's connection was cut; it may come back by `enter`. */
  disconnect (participant: Participant): void
  /** Everybody who left has been notified. */
  clearDeparted (): void

  /** Runs `load` once for all who call this meanwhile. */
  loadOnce (load: () => Promise<void>): Promise<void>
  contentLoaded (content: LoadedContent, fromForgottenFile: boolean): void
  openingFailed (code: number): void
  replaceContent (bytes: Uint8Array, fileType: string): void
  recordChange (change: Change): void

  startForceSave (isForm: boolean, startedAt: number): ForceSave
  /** A force save came at the same moment as this one. */
  rivalForceSave (forceSave: ForceSave): void
  forceSaveAssembled (forceSave: ForceSave, prepared: PreparedForceSave): void
  postForceSaveAfter (forceSave: ForceSave, mayPost: Promise<unknown> | undefined): void
  endForceSave (forceSave: ForceSave, outcome: ForceSave['outcome']): void

  /** Starts the save after the last editor left. `waits`: first waits for a lost connection to come back. */
  startSave (
    leaver: Participant, startedAt: number, options?: { readonly waits?: boolean, readonly folder?: string }
  ): Save
  /** Ends the wait for a lost connection early. */
  skipWait (): void
  /** The save no longer waits: it is being assembled. */
  waitOver (): void
  /** Returns how a force save is answered that comes while nobody edits. */
  askedToForceSave (now: number): Save['toForceSave']
  cancelSave (): void
  /** The save has its final answer. */
  endSave (): void
  /** A finished save was accepted: nothing is unsaved, and editors who were cut off can't come back. */
  saveAccepted (): void
  /** A finished save was refused: its content becomes a forgotten file, and the unsaved changes are dropped. */
  saveRefused (kept: Uint8Array): void
  /** The command `saved` was called with this status. Any status but `"1"` revokes the next acceptance. */
  savedCommand (status: unknown): void
  /** Whether a `saved` command revokes the acceptance. Applies once. */
  takeRevocation (): boolean

  makeKeyViewOnly (since: number): void
  makeKeyEditable (): void
  /** The view-only time is over: the key may be edited, and the next opening loads the content again. */
  reopenKey (): void

  remove (): void
  reuse (): void

  /**
   * Cuts every connection and drops a force save under way and a save that is still waiting. Returns who was cut off.
   */
  crash (): Participant[]
  /** Drops everything that was not saved. */
  loseUnsaved (): void
}

/**
 * How long after a cut the first force save is answered "not now". Source: recorded right after the last editor had
 * left; observed to be answered as started 3 s after a cut.
 */
const NOT_NOW_MS = 1000

/** The characters of all changes of a document that are kept. Later changes have only their size. */
const MAX_KEPT_CHANGES = 4 * 1024 * 1024

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

export function openDocument (key: string, fileType: string): OpenDocument {
  const participants = new Map<string, Participant>()
  const disconnected = new Map<string, Participant>()
  const closing = new WeakSet<Participant>()
  const departed = new Set<Participant>()
  let changes: Change[] = []
  let source: Uint8Array | null = null
  let editable: Editable | null = null
  let loading: Promise<void> | null = null
  let connections = 0
  let keptChanges = 0
  let revoked: unknown = null
  let wait = new AbortController()
  const document: Mutable<DocumentState> = {
    key,
    fileType,
    loaded: null,
    fromForgottenFile: false,
    failure: null,
    participants,
    closing,
    disconnected,
    departed,
    changes,
    forceSave: null,
    save: null,
    viewOnlySince: null,
    isRemoved: false,
    lastCallbackUrl: null,
    baseUrl: '',
    saves: saveTracker()
  }

  function dropChanges (): void {
    keptChanges = 0
    document.changes = changes = []
  }

  function startAnew (): void {
    dropChanges()
    document.forceSave = null
    document.fromForgottenFile = false
    editable = null
    revoked = null
  }

  return Object.assign(document, {
    bytes: () => editable === null ? source! : editable.bytes(),
    async editable () {
      if (editable !== null) return editable
      const { openEditable } = await import('../../documents/open.js')
      editable ??= openEditable(document.fileType, source!)
      return editable
    },
    isUnsaved: () => changes.length > 0 && !isForceSaved(document),

    connectionOpened (callbackUrl: string | null, baseUrl: string) {
      document.lastCallbackUrl = callbackUrl ?? document.lastCallbackUrl
      document.baseUrl = baseUrl
      return ++connections
    },
    enter (participant: Participant) {
      disconnected.delete(participant.connectionId)
      participants.set(participant.connectionId, participant)
    },
    close (participant: Participant) { closing.add(participant) },
    leave (participant: Participant) {
      departed.add(participant)
      participants.delete(participant.connectionId)
    },
    disconnect (participant: Participant) {
      disconnected.set(participant.connectionId, participant)
      participants.delete(participant.connectionId)
    },
    clearDeparted () { departed.clear() },

    async loadOnce (load: () => Promise<void>) {
      loading ??= load().finally(() => { loading = null })
      await loading
    },
    contentLoaded (content: LoadedContent, fromForgottenFile: boolean) {
      document.loaded = content
      document.fileType = content.fileType
      document.fromForgottenFile = fromForgottenFile
      source = content.bytes
      editable = null
    },
    openingFailed (code: number) { document.failure = code },
    replaceContent (bytes: Uint8Array, fileType: string) {
      document.fileType = fileType
      source = bytes
      editable = null
    },
    recordChange (change: Change) {
      const size = JSON.stringify(change.made).length
      keptChanges += size
      changes.push(keptChanges <= MAX_KEPT_CHANGES ? change : { ...change, made: { op: 'not kept', size } })
      document.saves.edited()
    },

    startForceSave (isForm: boolean, startedAt: number) {
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
    rivalForceSave (forceSave: Mutable<ForceSave>) {
      forceSave.hasRival = true
    },
    forceSaveAssembled (forceSave: Mutable<ForceSave>, prepared: PreparedForceSave) {
      forceSave.prepared = prepared
    },
    postForceSaveAfter (forceSave: Mutable<ForceSave>, mayPost: Promise<unknown> | undefined) {
      forceSave.mayPost = mayPost
    },
    endForceSave (forceSave: Mutable<ForceSave>, outcome: ForceSave['outcome']) {
      forceSave.outcome = outcome
    },

    startSave (leaver: Participant, startedAt: number, { waits = false, folder = resultFolder(key) } = {}) {
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
    skipWait () { wait.abort() },
    waitOver () {
      const save = document.save as Mutable<Save> | null
      if (save?.isWaiting !== true) return
      save.isWaiting = false
      if (!save.hasForceSave) save.toForceSave = 'started'
    },
    askedToForceSave (now: number) {
      const save = document.save as Mutable<Save> | null
      if (save === null) return 'not now'
      const isLate = save.isWaiting && now - save.startedAt >= NOT_NOW_MS
      const answer = isLate && save.toForceSave === 'not now' ? 'started' : save.toForceSave
      save.hasForceSave ||= answer === 'started'
      save.toForceSave = 'under way'
      return answer
    },
    cancelSave () {
      wait.abort()
      document.save = null
    },
    endSave () { document.save = null },
    saveAccepted () {
      startAnew()
      if (document.loaded !== null) {
        source = document.loaded.bytes
        document.fileType = document.loaded.fileType
      }
      for (const [id, { viewOnly }] of disconnected) {
        if (!viewOnly) disconnected.delete(id)
      }
    },
    saveRefused (kept: Uint8Array) {
      startAnew()
      source = kept
    },
    savedCommand (status: unknown) {
      if (status !== '1') revoked = status ?? null
    },
    takeRevocation () {
      const isRevoked = revoked !== null
      revoked = null
      return isRevoked
    },

    makeKeyViewOnly (since: number) { document.viewOnlySince = since },
    makeKeyEditable () { document.viewOnlySince = null },
    reopenKey () {
      document.viewOnlySince = null
      document.loaded = null
    },

    remove () {
      document.loaded = null
      document.lastCallbackUrl = null
      document.isRemoved = true
      disconnected.clear()
    },
    reuse () { document.isRemoved = false },

    crash () {
      if (document.save?.isWaiting === true) document.save = null
      if (document.forceSave?.outcome === 'under way') document.forceSave = null
      const present = [...participants.values()]
      for (const participant of present) disconnected.set(participant.connectionId, participant)
      participants.clear()
      departed.clear()
      return present
    },
    loseUnsaved () {
      document.save = null
      dropChanges()
      document.saves.lost()
    }
  })
}

/** Whether the application has accepted a force save of all changes there are. */
export function isForceSaved ({ changes, forceSave }: DocumentState): boolean {
  return forceSave?.outcome === 'accepted' && forceSave.changes === changes.length
}
