import type { Services } from '../services.js'
import type { Locks } from './locks.js'
import type { RecordStore } from './record-store.js'

/** What saves, versions and recovery are made from. */
export interface SessionServices extends Services {
  readonly recordStore: RecordStore
  readonly locks: Locks
}
