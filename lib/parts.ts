import { setTimeout as delay } from 'node:timers/promises'
import type { EditorHttpClient } from '../types/http.js'
import { signerOf } from './control/signed-data.js'
import { createOpeningExplainer } from './doctor/explain-opening.js'
import { createDocumentServerClient } from './document-server/client.js'
import { createCommands } from './document-server/commands.js'
import { createConversions } from './document-server/conversion.js'
import { documentKeys } from './document-server/document-key.js'
import { createEditorServer } from './document-server/editor-server.js'
import { createFormats } from './document-server/formats.js'
import { createPostFile, createResults } from './document-server/files.js'
import { tokenSigner } from './document-server/token.js'
import { createCredentials } from './handler/credentials.js'
import { createHooks, createSessionEvents } from './handler/hooks.js'
import { createFileOffers, createProbes } from './handler/probes.js'
import { createRestores } from './history/restore.js'
import { createHistory, createVersions } from './history/versions.js'
import { createOutbound } from './outbound/outbound.js'
import { createRecovery } from './save/recovery.js'
import { createForceSaves, type ForceSaves } from './save/force-saves.js'
import { createInspection } from './save/inspection.js'
import { createRegularSaves } from './save/regular-saves.js'
import { steadyRetention } from './save/retention.js'
import { createSaves } from './save/saves.js'
import { handlerUrls, pageTokens } from './security/signatures.js'
import type { Services } from './services.js'
import { createOpenings } from './sessions/openings.js'
import { createWhenNobodyEdits } from './sessions/nobody-edits.js'
import { createRecordStore, type SessionServices } from './sessions/record-store.js'
import { createSessions } from './sessions/sessions.js'
import type { DocumentStore } from './store/contract.js'
import { explainAbsence } from './store/files/file-storage.js'
import { timedStorage } from './store/timed-storage.js'

/** The input of the services. */
interface Foundation extends Pick<Services, 'settings' | 'log' | 'shutdown'> {
  /** Path of the handler below `publicBaseUrl`. */
  readonly handlerPath: string
  /** The storage as the application gave it. */
  readonly plugged: DocumentStore
  readonly httpClient: EditorHttpClient
}

const MAX_WAIT_FOR_SAVES_MS = 10_000

/** The services of the plugin's routes, controls and decorators. */
export type Parts = ReturnType<typeof createParts>

export function createParts ({ settings, handlerPath, plugged, httpClient, log, shutdown }: Foundation) {
  const { clock, editorApiUrl, pageTokenLifetime, path, secrets, timeouts } = settings
  /** URL of the handler: identifies this application. */
  const instanceId = () => settings.publicBaseUrl() + handlerPath

  // The document server: URLs, tokens, keys and requests.
  const tokens = tokenSigner(secrets, clock)
  const sign = signerOf(tokens)
  const outbound = createOutbound(httpClient, settings)
  const client = createDocumentServerClient(outbound, tokens, settings, shutdown.endAll)
  const commands = createCommands(client, log)
  const keys = documentKeys(instanceId, editorApiUrl.origin)
  const offers = createFileOffers({ path: `${path}/files`, url: () => `${instanceId()}/files` })
  const documentServer = {
    settings,
    client,
    commands,
    keys,
    offers,
    postFile: createPostFile(client, commands),
    ...createResults(outbound, shutdown.endAll)
  }
  const urls = handlerUrls({ ...settings, path: handlerPath })

  // Sessions and saves, and the hooks that they call.
  const hooks = createHooks({ settings, log, shutdown })
  const storage = timedStorage(plugged, { timeouts, signal: shutdown.endAll })
  const retention = settings.versions && steadyRetention(settings.versions, clock)
  const base: Services = {
    settings,
    storage,
    retention,
    keys,
    commands,
    outbound,
    tokens,
    urls,
    hooks,
    inspected: settings.inspect
      ? createInspection(settings.inspect, { settings, storage, hooks, shutdown })
      : async (staged, _about, publish) => await publish(staged),
    log,
    shutdown,
    pageTokens: pageTokens({
      secrets,
      scope: instanceId,
      tokenLifetime: pageTokenLifetime,
      clock,
      onLeftOut (about, fits) {
        if (fits) log.warn(about, 'the token of a page would be too long: some fields were left out, so hooks and later configurations of the page do not have them')
        else log.error(about, 'the token of a page is too long: the page cannot use any action')
      }
    })
  }
  const sessionEvents = createSessionEvents(hooks, log)
  const recordStore = createRecordStore(base, (fileId, before, after, cause) => {
    sessionEvents.changed(fileId, before, after, cause)
    forceSaves.recordChanged(fileId)
  })
  const services: SessionServices = { ...base, recordStore }
  const sessions = createSessions(services, sessionEvents.endedAfterDeletion)
  const whenNobodyEdits = createWhenNobodyEdits(services, sessions)
  const saves = createSaves(services)
  const forceSaves: ForceSaves = createForceSaves(services)
  const recovery = createRecovery(services, saves)
  const regularSaves = createRegularSaves(services)
  const versions = retention && createVersions(services, retention)
  /** Absent if no versions are kept. */
  const versionHistory = versions && {
    ...createHistory(keys, urls, data => sign('setHistoryData', data), versions),
    ...createRestores(services, versions, saves, whenNobodyEdits)
  }
  /** Requests and pages that the handler has seen, for the doctor. */
  const openings = createOpenings(settings)

  /** Resolves when the callbacks of a file received so far are applied, or after ten seconds. */
  async function whenSaved (fileId: string): Promise<void> {
    await Promise.race([
      saves.queue.run(fileId, async () => {}),
      delay(MAX_WAIT_FOR_SAVES_MS, undefined, { ref: false, signal: shutdown.endAll })
    ]).catch(() => {})
  }

  const whyAbsent = async (fileId: string) => await explainAbsence(plugged, fileId)

  /** Resolves when nothing is under way. */
  async function idle (): Promise<void> {
    await versionHistory?.idle()
    await forceSaves.idle()
    await recovery.idle()
    await saves.queue.idle()
    await sessionEvents.idle()
  }

  return {
    ...documentServer,
    ...services,
    ...createFormats(client),
    conversions: createConversions(documentServer),
    editorServer: createEditorServer(documentServer),
    handlerPath,
    httpClient,
    plugged,
    whyAbsent,
    instanceId,
    sign,
    hooks,
    sessions,
    whenNobodyEdits,
    saves,
    forceSaves,
    recovery,
    regularSaves,
    versions,
    versionHistory,
    openings,
    whenSaved,
    idle,
    credentials: createCredentials(services),
    openingExplainer: createOpeningExplainer(settings, { stat: storage.stat, whyAbsent }, openings),
    probes: createProbes()
  }
}
