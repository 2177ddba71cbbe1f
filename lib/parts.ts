import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { HttpClient } from '../types/http.js'
import type { Storage } from '../types/storage.js'
import { signerOf } from './control/signed-data.js'
import { createOpeningExplainer } from './doctor/explain-opening.js'
import { createDocumentServerClient } from './document-server/client.js'
import { createCommands } from './document-server/commands.js'
import { createConversions } from './document-server/conversion.js'
import { documentKeys } from './document-server/document-key.js'
import { createEditorServer } from './document-server/editor-server.js'
import { createFormats } from './document-server/formats.js'
import { createPostFile } from './document-server/from-file.js'
import { createResults } from './document-server/result-file.js'
import { tokenSigner } from './document-server/token.js'
import { createCallbackHandler } from './handler/callback.js'
import { createCredentials } from './handler/credentials.js'
import { createDownloadHandler } from './handler/download.js'
import { createHooks, createSessionEvents } from './handler/hooks.js'
import { createObserver } from './handler/observer.js'
import { createFileOffers } from './handler/offered-files.js'
import { createProbeRequests, createProbes } from './handler/probe-requests.js'
import { createProxyHandler } from './handler/proxy.js'
import { createReportHandler } from './handler/report.js'
import type { HandlerActions } from './handler/route.js'
import { createRestores } from './history/restore.js'
import { withVersions } from './history/versioned-storage.js'
import { createHistory, createVersions } from './history/versions.js'
import type { Settings } from './options.js'
import { createOutbound } from './outbound/outbound.js'
import { createRecovery } from './recovery/recovery.js'
import { applicationStorage, createCommitSave } from './save/commit.js'
import { createForceSaves, type ForceSaves } from './save/force-saves.js'
import { createSaves } from './save/saves.js'
import { handlerUrls, pageTokens } from './security/signatures.js'
import type { Services } from './services.js'
import { createLocks, type SessionServices } from './sessions/locks.js'
import { createOpenings } from './sessions/openings.js'
import { createRecordStore } from './sessions/record-store.js'
import { createSessions } from './sessions/sessions.js'
import { memoryState } from './storage/memory-storage.js'
import { timedStorage } from './storage/timed-storage.js'
import type { Shutdown } from './util/shutdown.js'

/** Inputs of the parts. */
interface Foundation {
  readonly settings: Settings
  /** Path of the handler below `publicBaseUrl`. */
  readonly handlerPath: string
  readonly storage: Storage
  readonly httpClient: HttpClient
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}

type Connection = ReturnType<typeof createConnection>
type Saving = ReturnType<typeof createSaving>
type VersionHistory = ReturnType<typeof createVersionHistory>
type Diagnosis = ReturnType<typeof createDiagnosis>

/** Without `storage.state`, the records of the most recently used files are kept in memory. */
const MAX_RECORDS_IN_MEMORY = 10_000

const MAX_WAIT_FOR_SAVES_MS = 10_000

/** The application and the document server: URLs, tokens, keys and requests. */
export function createConnection ({ settings, handlerPath, httpClient, log, shutdown }: Foundation) {
  const { clock, editorApiUrl, path, publicBaseUrl, secrets } = settings
  const tokens = tokenSigner(secrets, clock)
  const outbound = createOutbound(httpClient, settings)
  const client = createDocumentServerClient(outbound, tokens, settings)
  const commands = createCommands(client, log)
  const scope = publicBaseUrl + handlerPath
  const parts = {
    client,
    commands,
    keys: documentKeys(scope, editorApiUrl.origin),
    offers: createFileOffers({ path: `${path}/files`, url: `${scope}/files` }),
    postFile: createPostFile(client, commands),
    ...createResults(outbound, shutdown.endAll)
  }
  const services = { ...parts, settings }
  return {
    ...parts,
    ...createFormats(client),
    conversions: createConversions(services),
    editorServer: createEditorServer(services),
    outbound,
    tokens,
    sign: signerOf(tokens),
    urls: handlerUrls({ ...settings, path: handlerPath }),
    pageTokens: pageTokens({ secrets, scope, tokenLifetime: settings.pageTokenLifetime, clock })
  }
}

/** Sessions and saves, and the hooks that they call. */
export function createSaving (
  { settings, storage: plugged, log, shutdown }: Foundation,
  { outbound, commands, keys }: Connection
) {
  const { timeouts, versions: retention } = settings
  const hooks = createHooks({ settings, log, signal: shutdown.endAll })
  const timed = timedStorage(plugged, { timeouts, signal: shutdown.endAll })
  const storage = retention && timed.versions
    ? withVersions(timed, timed.versions, retention, { settings, log })
    : timed
  const state = storage.state ?? memoryState({ maxRecords: MAX_RECORDS_IN_MEMORY })
  const base: Services = { settings, storage, state, keys, commands, outbound, hooks, log, shutdown }
  const sessionEvents = createSessionEvents({ hooks, log })
  const recordStore = createRecordStore(base, (fileId, before, after, cause) => {
    sessionEvents.changed(fileId, before, after, cause)
    forceSaves.recordChanged(fileId)
  })
  const locks = createLocks(base, recordStore)
  const services: SessionServices = { ...base, recordStore, locks }
  const sessions = createSessions(services, sessionEvents.endedAfterDeletion)
  const saves = createSaves(services)
  const forceSaves: ForceSaves = createForceSaves(services)
  const recovery = createRecovery(services, saves)

  /** Resolves when the callbacks of a file received so far are applied, or after ten seconds. */
  async function whenSaved (fileId: string): Promise<void> {
    await Promise.race([
      saves.queue.run(fileId, async () => {}),
      delay(MAX_WAIT_FOR_SAVES_MS, undefined, { ref: false, signal: shutdown.endAll })
    ]).catch(() => {})
  }

  /** Resolves when nothing is under way. */
  async function idle (): Promise<void> {
    await forceSaves.idle()
    await recovery.idle()
    await saves.queue.idle()
    await sessionEvents.idle()
  }

  return {
    services,
    hooks,
    storage,
    applicationStorage: applicationStorage(plugged, locks, createCommitSave({ ...services, storage: timed })),
    whenSaved,
    sessions,
    saves,
    forceSaves,
    recovery,
    idle
  }
}

/** Earlier versions of documents; `undefined` if none are kept. */
export function createVersionHistory ({ keys, sign, urls }: Connection, { services, saves, sessions }: Saving) {
  const { settings: { versions: retention }, storage: { versions: store } } = services
  if (!retention || !store) return undefined
  const versions = createVersions(services, store, retention)
  return {
    versions,
    history: createHistory(keys, urls, data => sign('setHistoryData', data), versions),
    ...createRestores(services, versions, saves, sessions)
  }
}

/** Records what the handler and the pages see, for the doctor. */
export function createDiagnosis ({ settings }: Foundation, { storage }: Saving) {
  const openings = createOpenings(settings)
  return {
    openings,
    probes: createProbes(),
    openingExplainer: createOpeningExplainer(settings, storage, openings)
  }
}

/** The actions of the handler's route, and the checks of its requests. */
export function createHandlerParts (
  { settings, shutdown }: Foundation,
  { tokens, urls, pageTokens, keys, outbound }: Connection,
  { hooks, storage, sessions, saves, forceSaves }: Saving,
  versionHistory: VersionHistory,
  { openings, probes, openingExplainer }: Diagnosis
) {
  const credentials = createCredentials({ settings, tokens, urls, pageTokens, keys, signal: shutdown.endAll })
  const actions: HandlerActions = {
    callback: createCallbackHandler({ settings, credentials, sessions, saves, forceSaves, hooks }),
    download: createDownloadHandler({
      credentials,
      storage,
      versions: versionHistory?.versions,
      idle: settings.timeouts.idle
    }),
    proxy: createProxyHandler({ credentials, outbound }),
    report: createReportHandler({ credentials, explainOpening: openingExplainer.summary, onReport: openings.reported })
  }
  return {
    credentials,
    actions,
    observer: createObserver({ settings, urls, openings }),
    probeRequests: createProbeRequests({ settings, tokens, urls, probes })
  }
}
