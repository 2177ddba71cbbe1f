import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { DoctorFinding } from '../../types/doctor.js'
import type { HttpClient } from '../../types/http.js'
import type { Storage } from '../../types/storage.js'
import type { DocumentServerClient } from '../document-server/client.js'
import type { Probes } from '../handler/probe-requests.js'
import type { Settings } from '../options.js'
import type { Outbound } from '../outbound/outbound.js'
import type { HandlerUrls } from '../security/signatures.js'

/** The set-up to examine, and the means to do so. */
export interface DoctorServices {
  /**
   * If it does not listen, such as in a command line tool, another process serves publicBaseUrl. `inject` sends it
   * requests without a network in between.
   */
  readonly app: Pick<FastifyInstance, 'inject' | 'server'>
  readonly settings: Settings
  /** The handler's path within this application. */
  readonly handlerPath: string
  readonly storage: Storage
  readonly httpClient: HttpClient
  readonly outbound: Outbound
  readonly client: DocumentServerClient
  readonly urls: HandlerUrls
  readonly probes: Probes
  /** Explains why a document does not open. */
  readonly explainOpening: (fileId: string) => Promise<readonly DoctorFinding[]>
  readonly log: FastifyBaseLogger
  /** Ends examinations when the application is closing. Of one examination: also when its time is up. */
  readonly signal: AbortSignal
}
