import type fc from 'fast-check'
import type { Faults, Session } from 'onlyoffice-emulator'
import type { Announced } from './judging.js'
import type { Model } from './model.js'
import type { Page } from './actions.js'
import type { Access } from './unreliable-storage.js'

/** One of the two instances of the application. */
export type Side = 'a' | 'b'

/** The nth access of this kind. */
export interface Moment {
  readonly access: Access
  readonly nth: number
}

/** What others do to a stored file. `by the application`: through the plugin's storage. */
export type OutsideChange =
  | 'replaced'
  | 'replaced by the application'
  | 'written again'
  | 'removed'
  | 'removed by the application'
  | 'removed and created again'

/** A commit whose answer is lost. */
export interface LostAnswer {
  /** It is done so many turns of the event loop later; 0: before it is reported to have failed. */
  readonly turns: number
  /** So many of the next attempts to find out what has become of it fail, too. */
  readonly readsFail: number
}

/** Somebody edits while an instance stands still, and leaves: the save is stored or refused. Or stays. */
export type Visit = 'saves' | 'is refused' | 'stays'

/** What goes wrong during a command. */
export type Trouble =
  | { readonly on: 'file', readonly fault: Faults['file'] }
  | { readonly on: 'callback', readonly fault: Faults['callback'] }
  /** The next callback of status 1 or 4 is lost. */
  | { readonly on: 'notice' }
  /** The document server cannot assemble the document. */
  | { readonly on: 'assembly' }
  /** A storage access fails: before it does anything, or after the record was written. */
  | { readonly on: 'storage', readonly moment: Moment }
  /** The answer to a commit is lost. */
  | { readonly on: 'commit', readonly lost: LostAnswer }
  /** The instance dies. `opens`: a page is opened before the document server repeats the callback. */
  | { readonly on: 'instance', readonly moment: Moment, readonly opens: boolean }
  /** The instance stands still while another one goes on. */
  | { readonly on: 'pause', readonly moment: Moment, readonly visit: Visit | null }
  /** Others change the file. */
  | { readonly on: 'outside', readonly moment: Moment, readonly change: OutsideChange }
  /**
   * Each save is posted to both instances at the same time, and pages are opened meanwhile. `scheduler`: orders the
   * storage accesses of both.
   */
  | { readonly on: 'echo', readonly scheduler: fc.Scheduler | null }

/** An editor in the document, as far as it can still do something. */
export interface Editor {
  readonly session: Session
  readonly key: string
  readonly side: Side
  is: 'in' | 'disconnected' | 'gone'
}

/** What commands depend on. */
export interface Situation {
  readonly model: Model
  readonly editors: readonly Editor[]
  readonly pages: readonly Page[]
  /** Saves that were acknowledged, oldest first. */
  readonly saves: readonly Announced[]
  hasFile (): boolean
  /** Editors who can edit, viewers excluded. */
  editing (): readonly Editor[]
  disconnected (): readonly Editor[]
}
