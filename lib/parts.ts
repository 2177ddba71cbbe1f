import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'
import type { HttpClient } from '../types/http.js'
import type { Storage } from '../types/storage.js'
import { createDocumentServerClient } from './document-server/client.js'
import { createCommands } from './document-server/commands.js'
import { signerOf } from './control/signed-data.js'
import { createConversions } from './document-server/conversion.js'
import { createFromFile } from './document-server/from-file.js'
import { createResultFetch } from './document-server/result-file.js'
import { tokenSigner } from './document-server/token.js'
import { createOpeningExplainer } from './doctor/explain-opening.js'
import { createOpenings } from './doctor/openings.js'
import { createProbes } from './doctor/probes.js'
import { createCallbackHandler } from './handler/callback.js'
import { createCredentials } from './handler/credentials.js'
import { createDownloadHandler } from './handler/download.js'
import { createHooks } from './handler/hooks.js'
import { createObserver } from './handler/observer.js'
import { createProbeRequests } from './handler/probe-requests.js'
import { createProxyHandler } from './handler/proxy.js'
import { createReportHandler } from './handler/report.js'
import type { HandlerActions } from './handler/route.js'
import { createFileOffers } from './handler/offered-files.js'
import { createSessionEvents } from './handler/session-events.js'
import { keepingStorage } from './history/keeping.js'
import { createHistory } from './history/history.js'
import { createRestore } from './history/restore.js'
import { createVersions } from './history/versions.js'
import type { Settings } from './options.js'
import { createOutbound } from './outbound/outbound.js'
import { createForgottenFiles } from './recovery/forgotten-files.js'
import { createRecovery } from './recovery/recovery.js'
import { applicationStorage } from './save/application-storage.js'
import { createForceSaves, type ForceSaves } from './save/force-saves.js'
import { createReplaceNoted } from './save/noted-replace.js'
import { createSaves } from './save/saves.js'
import { stagingStorage } from './save/staging.js'
import { handlerUrls } from './security/handler-urls.js'
import { pageTokens } from './security/page-token.js'
import { documentKeys } from './sessions/document-key.js'
import { createKnownSessions } from './sessions/known-sessions.js'
import { createLocks } from './sessions/locks.js'
import { createRecordStore } from './sessions/record-store.js'
import { createSessions } from './sessions/sessions.js'
import type { Shutdown } from './shutdown.js'
import { memoryState } from './storage/memory-storage.js'
import { spool } from './storage/spool.js'

/** What the parts are made from. */
export interface Foundation {
  readonly settings: Settings
  /** Path of the handler below `publicBaseUrl`. */
  readonly handlerPath: string
  readonly storage: Storage
  readonly httpClient: HttpClient
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}

export type Connection = ReturnType<typeof createConnection>
export type Saving = ReturnType<typeof createSaving>
export type VersionHistory = ReturnType<typeof createVersionHistory>
export type Diagnosis = ReturnType<typeof createDiagnosis>

/** Of the most recently used files, when the storage has no `state`. */
const MAX_RECORDS_IN_MEMORY = 10_000

const MAX_WAIT_FOR_SAVES_MS = 10_000

/** The application and the document server: URLs, tokens, keys and requests. */
export function createConnection ({ settings, handlerPath, httpClient, log, shutdown }: Foundation) {
  const { clock, editorApiUrl, path, publicBaseUrl, secrets } = settings
  const tokens = tokenSigner(secrets, clock)
  const outbound = createOutbound(httpClient, settings)
  const client = createDocumentServerClient({ outbound, tokens, settings })
  const fetchResult = createResultFetch({ outbound, closing: shutdown.endAll })
  const commands = createCommands({ client, log })
  const fromFile = createFromFile({ client, commands })
  const offers = createFileOffers({ path: `${path}/files`, url: `${publicBaseUrl}${handlerPath}/files` })
  return {
    tokens,
    outbound,
    client,
    fetchResult,
    fromFile,
    offers,
    commands,
    urls: handlerUrls({ ...settings, path: handlerPath }),
    pageTokens: pageTokens({ secrets, scope: publicBaseUrl + handlerPath, lifetime: settings.downloadUrlLifetime, clock }),
    keys: documentKeys(publicBaseUrl + handlerPath, editorApiUrl.origin),
    conversions: createConversions({ client, fetchResult, fromFile, offers, maxFileSize: settings.maxFileSize, closing: shutdown.endAll })
  }
}

/** Sessions and saves, and the hooks that they call. */
export function createSaving ({ settings, storage: plugged, log, shutdown }: Foundation, { outbound, commands, keys }: Connection) {
  const { clock, timeouts } = settings
  const hooks = createHooks({ settings, log, signal: shutdown.endAll })
  const staging = stagingStorage(plugged, { spool, timeouts, signal: shutdown.endAll })
  const { versions: retention } = settings
  const storage = retention && staging.versions ? keepingStorage(staging, { versions: staging.versions, retention, clock, log }) : staging
  const state = storage.state ?? memoryState({ maxRecords: MAX_RECORDS_IN_MEMORY })
  const sessionEvents = createSessionEvents({ hooks, log })
  const known = createKnownSessions()
  const recordStore = createRecordStore(state, storage.snapshot, {
    read: known.note,
    changed (fileId, before, after, cause) {
      known.note(fileId, after)
      sessionEvents.changed(fileId, before, after, cause)
      forceSaves.recordChanged(fileId)
    }
  })
  const locks = createLocks({ recordStore, state, storage, signal: shutdown.endSaves })
  const sessions = createSessions({ storage, recordStore, locks, keys, lookUp: commands.lookUp, askAfter: timeouts.session, clock, onEndOfDeleted: sessionEvents.endedAfterDeletion })
  const saves = createSaves({ settings, storage, state, recordStore, locks, keys, outbound, hooks, spool, log, signal: shutdown.endSaves })
  const forceSaves: ForceSaves = createForceSaves({
    storage,
    recordStore,
    isShared: storage.state !== undefined,
    send: async (key, userdata, signal) => await commands.send({ c: 'forcesave', key, userdata }, { signal }),
    lookUp: commands.lookUp,
    isInHookOf: hooks.isInHookOf,
    log,
    clock,
    closing: shutdown.closing
  })
  const forgottenFiles = createForgottenFiles({ commands, fetch: saves.fetch })
  const recovery = createRecovery({ settings, forgottenFiles, storage, spool, saves, recordStore, keys, log, closing: shutdown.closing, signal: shutdown.endAll })

  /** Resolves when the callbacks of a file that have arrived are applied, or after a while. */
  async function whenSaved (fileId: string): Promise<void> {
    await Promise.race([saves.queue.run(fileId, async () => {}), delay(MAX_WAIT_FOR_SAVES_MS, undefined, { ref: false, signal: shutdown.endAll })]).catch(() => {})
  }

  /** Resolves when nothing is under way. */
  async function idle (): Promise<void> {
    await forceSaves.idle()
    await recovery.idle()
    await saves.queue.idle()
    await sessionEvents.idle()
  }

  const replaceUnkept = createReplaceNoted({ storage: staging, locks, recordStore })
  return {
    hooks,
    storage,
    applicationStorage: applicationStorage(plugged, { locks, replaceNoted: replaceUnkept, spool }),
    whenSaved,
    recordStore,
    locks,
    known,
    sessions,
    saves,
    forceSaves,
    recoverForgotten: recovery.recoverForgotten,
    idle
  }
}

/** Earlier versions of documents; `undefined` where none are kept. */
export function createVersionHistory ({ settings, log, shutdown }: Foundation, { keys, tokens, urls }: Connection, { hooks, storage, recordStore, locks, saves, sessions }: Saving) {
  const { clock, versions: retention } = settings
  const { versions: store } = storage
  if (!retention || !store) return undefined
  const versions = createVersions({ storage, store, retention, clock })
  const { restore, idle } = createRestore({
    ...saves,
    settings,
    versions,
    storage,
    locks,
    recordStore,
    sessions,
    isInHookOf: hooks.isInHookOf,
    clock,
    log,
    closing: shutdown.closing
  })
  const sign = signerOf(tokens)
  const history = createHistory({ versions, keys, urls, sign: data => sign('setHistoryData', data) })
  return { versions, history, restore, idle }
}

/** What the handler and the pages see, for the doctor. */
export function createDiagnosis ({ settings: { clock, secrets } }: Foundation, { storage }: Saving) {
  const openings = createOpenings({ clock })
  return { openings, probes: createProbes(), openingExplainer: createOpeningExplainer({ openings, storage, clock, secrets }) }
}

/** The actions of the handler's route, and what decides about its requests. */
export function createHandlerParts ({ settings, shutdown }: Foundation, { tokens, urls, pageTokens, keys, outbound }: Connection, { hooks, storage, sessions, saves, forceSaves }: Saving, versionHistory: VersionHistory, { openings, probes, openingExplainer }: Diagnosis) {
  const credentials = createCredentials({ settings, tokens, urls, pageTokens, keys, signal: shutdown.endAll })
  const actions: HandlerActions = {
    callback: createCallbackHandler({ settings, credentials, sessions, saves, forceSaves, hooks }),
    download: createDownloadHandler({ credentials, storage, versions: versionHistory?.versions, idle: settings.timeouts.idle }),
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
