import type { Services } from '../services.js'
import type { Locks } from './locks.js'
import type { RecordStore } from './record-store.js'

/** Services for sessions, saves, versions and recovery. */
export interface SessionServices extends Services {
  readonly recordStore: RecordStore
  readonly locks: Locks
}
