import type { Versions } from '../history/versions.js'
import type { ForceSaves } from '../save/force-saves.js'
import type { Saves } from '../save/saves.js'
import type { Services } from '../services.js'
import type { Openings } from '../sessions/openings.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Credentials } from './credentials.js'
import type { Hooks } from './hooks.js'
import type { Probes } from './probe-requests.js'

/** Services for the actions of the handler. */
export interface HandlerServices extends Services {
  readonly credentials: Credentials
  readonly hooks: Hooks
  readonly sessions: Sessions
  readonly saves: Saves
  readonly forceSaves: ForceSaves
  /** Absent if no versions are kept. */
  readonly versions: Versions | undefined
  readonly openings: Openings
  readonly probes: Probes
}
