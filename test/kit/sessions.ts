// Whole sessions against the emulator: `startService` is a service, a document, and people who open and edit it.
// `startHistorian` keeps versions, `startPair` is two instances behind one URL.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { type DocumentServer, type DocumentServerOptions, type FakeClock, fakeClock, type SentRequest, type Session } from 'onlyoffice-emulator'
import type { Test } from 'tap'
import type { CallbackEvent, EditorControl, EditorControlDefaults, ForceSaveResult, HistoryVersionData, EditorProfile, SavedEvent } from '../../lib/index.js'
import type { DocumentStore } from '../../lib/store/contract.js'
import { startDocumentServer } from './document-server.js'
import { ADA, type Host, type HostOptions, startHost } from './host.js'
import { listen } from './http.js'
import { quickStorage, storageOf, storeOf, type TestStorage } from './storage.js'
import { jumpingTime } from './time.js'

export const OLD = 'what was uploaded'
/** A conversion is asked for until it is done, however busy the machine is. */
export const PATIENT = { delayMs: 10, maxAttempts: 3000 }

export interface ServiceOptions extends Omit<HostOptions, 'clock'> {
  readonly profile?: EditorProfile | undefined
  /** Default: one that jumps to the next timer as soon as nothing is under way. */
  readonly clock?: FakeClock
  /** Further options of the document server. */
  readonly emulated?: Partial<DocumentServerOptions>
  /** Stands in front of the storage. */
  readonly storing?: (storage: DocumentStore) => DocumentStore
}

export interface Service extends Host {
  readonly documentServer: DocumentServer
  readonly clock: FakeClock
  /** A stored text document, `OLD`. */
  readonly fileId: string
  /** The callbacks the application received. */
  readonly callbacks: CallbackEvent[]
  readonly saved: SavedEvent[]
  /** The key that the next editor of the document gets. */
  key (): Promise<string>
  /** Opens the document as a page with the control would. */
  open (defaults?: EditorControlDefaults): Promise<Session>
  stored (): Promise<string | null>
  /** The callbacks with this status that were sent, oldest first. */
  sent (status: number): SentRequest[]
  /** How often the host asked for a saved file. */
  fetches (): number
  forgotten (): string[]
  /** What other programs do with the files. */
  readonly others: TestStorage
  /** The documents that are stored, and whatever else is in the directory. */
  listing (): Promise<string[]>
}

/** A service with the plugin, its documents in files, and an emulated document server: both really listening. */
export async function startService (
  t: Test,
  { clock = fakeClock({ autoAdvance: true }), emulated, storing = storage => storage, onCallback, onSaved, ...options }:
  ServiceOptions = {}
): Promise<Service> {
  const others = await storageOf(t, join(t.testdir(), 'uploads'))
  const documentServer = await startDocumentServer(t, { clock, sharedClock: true, ...emulated })
  const callbacks: CallbackEvent[] = []
  const saved: SavedEvent[] = []
  const host = await startHost(t, {
    clock, // tokens are dated: service and document server must have the same time
    saveRetries: 0,
    documentServerOrigin: documentServer.url,
    storage: storing(others.open()),
    async onCallback (event, context) {
      callbacks.push(event)
      await onCallback?.(event, context)
    },
    async onSaved (event, context) {
      saved.push(event)
      await onSaved?.(event, context)
    },
    ...options
  })
  const { fileId } = await host.app.editorControl().uploadDocument(Buffer.from(OLD), 'Notes.txt')

  return {
    ...host,
    documentServer,
    clock,
    fileId,
    callbacks,
    saved,
    key: async () => (await host.app.editorControl().openDocument(fileId)).documentKey,
    async open (defaults = { user: { id: 'ada', name: 'Ada' } }) {
      const control = await host.app.editorControl(defaults).openDocument(fileId)
      return await documentServer.open(control.config!)
    },
    stored: async () => await host.storedText(fileId),
    sent: status => documentServer.sentRequests.filter(({ body }) => body?.status === status),
    fetches: () => documentServer.receivedRequests.filter(({ url }) => url.startsWith('/cache/files/')).length,
    forgotten: () => [...documentServer.forgotten.values()].map(({ bytes }) => Buffer.from(bytes).toString()),
    others,
    listing: others.listing
  }
}

/** Nothing was stored where `before` was, and the edit is not lost: opening again shows it, and closing saves it. */
export async function expectRescue (t: Test, service: Service, session: Session, content: string, before = OLD): Promise<void> {
  t.equal(await service.stored(), before, 'the stored bytes are unchanged')
  t.strictSame(await service.listing(), [`${service.fileId}.txt`], 'and nothing was left beside them')
  t.strictSame(service.saved, [], 'onSaved was not called')
  t.strictSame(service.forgotten(), [content], 'the document server keeps the edit')
  t.equal(await service.key(), session.key, 'the same key is handed out')

  const again = await service.open()
  t.match(await again.nextEvent('joined'), { hasForgotten: true })
  t.equal(String(await again.content()), content)
  t.match(await again.close(), { status: 2, accepted: true })
  t.equal(await service.stored(), content, 'now it is stored')
  t.strictSame(service.forgotten(), [])
  t.not(await service.key(), session.key, 'and the next editor gets a new key')
}

export const GRACE = { id: 'grace', name: 'Grace' }

export interface Historian extends Service {
  /** Opens, edits and closes the document as one user. */
  edit (content: string, user?: NonNullable<EditorControlDefaults['user']>): Promise<void>
  control (defaults?: EditorControlDefaults): Promise<EditorControl>
  /** The numbers of the versions, and their contents as the document server fetches them. */
  contents (): Promise<Array<[number, string]>>
  /** What the document server fetches for a version. */
  fetched(
    version: number
  ): Promise<
    {
      readonly data: HistoryVersionData,
      readonly content: string,
      readonly changes: Buffer | undefined,
      readonly previous: string | undefined
    }
  >
}

interface HistorianOptions extends ServiceOptions {
  /** Default: in memory. */
  readonly inFiles?: boolean
}

/** A service that keeps versions of its document. */
export async function startHistorian (t: Test, { inFiles = false, storing = storage => storage, ...options }: HistorianOptions = {}): Promise<Historian> {
  const quick = await quickStorage(t)
  const service = await startService(t, { versions: {}, storing: files => storing(inFiles ? files : quick), ...options })
  const control = async (defaults: EditorControlDefaults = { user: ADA }) => await service.app.editorControl(defaults).openDocument(service.fileId)

  return {
    ...service,
    control,
    async edit (content, user = ADA) {
      const session = await service.open({ user })
      await session.edit(content)
      t.match(await session.close(), { status: 2, accepted: true })
    },
    async contents () {
      const opened = await control()
      const { history } = await opened.history()
      return await Promise.all(history.map(async ({ version }): Promise<[number, string]> => [version, await textAt((await opened.historyData(version)).url)]))
    },
    async fetched (version) {
      const data = await (await control()).historyData(version)
      const { url, changesUrl, previous } = data
      return {
        data,
        content: await textAt(url),
        changes: changesUrl === undefined ? undefined : Buffer.from(await (await responseAt(changesUrl)).arrayBuffer()),
        previous: previous && await textAt(previous.url)
      }
    }
  }
}

export async function responseAt (url: string): Promise<Response> {
  const response = await fetch(url)
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return response
}

async function textAt (url: string): Promise<string> {
  return await (await responseAt(url)).text()
}

export const SIDES = ['a', 'b'] as const
export type Side = typeof SIDES[number]

export interface Pair {
  /** Two instances of one application, over the same files. */
  readonly a: Host
  readonly b: Host
  readonly documentServer: DocumentServer
  /** Stands still. */
  readonly clock: FakeClock
  readonly fileId: string
  /** The instance that gets what the document server sends. */
  target: Side | (() => Side)
  /** Opens the document as a page of instance a would. */
  open(user?: string): Promise<Session>
  /** A control of an instance with the document opened. */
  control(side?: Side): Promise<EditorControl>
  stored(): Promise<string | null>
  /** The force saves that are noted in the record. */
  notes(): Promise<readonly Note[]>
  /** What a force save resolves to that waits for saves of others: lets the time pass for which it waits. */
  afterQuiet(saving: Promise<ForceSaveResult>): Promise<ForceSaveResult>
}

interface Note {
  readonly id: string
}

export interface PairOptions extends Omit<HostOptions, 'clock'> {
  /** Stands in front of the storage of each instance. */
  readonly storing?: (storage: DocumentStore, side: Side) => DocumentStore
  /** Where the documents are. */
  readonly directory?: string
  /** All clocks are the system's, and `clock` is of no use. */
  readonly inRealTime?: boolean
}

/** Two instances behind one URL, over one directory. */
export async function startPair (
  t: Test,
  { storing = storage => storage, directory = join(t.testdir(), 'uploads'), inRealTime = false, ...options }:
  PairOptions = {}
): Promise<Pair> {
  const documents = await storageOf(t, directory)
  const clock = fakeClock()
  const jump = inRealTime ? () => {} : jumpingTime(t)
  const clocks = inRealTime ? {} : { clock, sharedClock: true }
  const documentServer = await startDocumentServer(t, clocks)
  const { origin: publicBaseUrl } = await listen(
    t,
    http.createServer((request, response) =>
      forward(request, response, pair[typeof pair.target === 'string' ? pair.target : pair.target()].origin)
    )
  )
  const start = async (side: Side) =>
    await startHost(t, {
      ...(!inRealTime && { clock }),
      saveRetries: 0,
      documentServerOrigin: documentServer.url,
      publicBaseUrl,
      storage: storing(documents.open(), side),
      ...options
    })
  const [a, b] = [await start('a'), await start('b')]
  const { fileId } = await a.app.editorControl().uploadDocument(Buffer.from('uploaded'), 'Notes.txt')
  const control = async (side: Side = 'a', user = 'ada') =>
    await pair[side].app.editorControl({ user: { id: user, name: user } }).openDocument(fileId)
  const pair: Pair = {
    a,
    b,
    documentServer,
    clock,
    fileId,
    target: 'a',
    open: async user => await documentServer.open((await control('a', user)).config!),
    control,
    stored: async () => await a.storedText(fileId),
    notes: async () =>
      ((await storeOf(a.app).snapshot(fileId)).record?.value as { readonly forceSaves?: readonly Note[] } | undefined)
        ?.forceSaves ?? [],
    async afterQuiet (promise) {
      const saving = watched(promise)
      while (!saving.isSettled) {
        if ([3, 4].includes(forceSaveAnswers(documentServer).at(-1) as number)) jump(3000)
        await delay(20)
      }
      return await saving.promise
    }
  }
  return pair
}

function forward (request: IncomingMessage, response: ServerResponse, origin: string): void {
  const { method = 'GET', url = '/', headers } = request
  const onward = http.request(`${origin}${url}`, { method, headers }, answer => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.on('error', () => onward.destroy()).pipe(onward)
}

/** Resolves when the document server has answered this many commands `forcesave`. */
export async function commandsAnswered (documentServer: DocumentServer, count = 1): Promise<void> {
  const isAnswered = () =>
    documentServer.receivedRequests.filter(({ url, status, answer }) =>
      /Command/i.test(url) && status !== null && answer !== null
    ).length >= count
  while (!isAnswered()) await turn()
}

/** How the document server has answered the commands `forcesave`. */
export function forceSaveAnswers ({ receivedRequests }: DocumentServer): unknown[] {
  return receivedRequests.flatMap(({ body, answer }) => {
    const { token } = Object(body) as { token?: string }
    const { c } = JSON.parse(Buffer.from(token?.split('.')[1] ?? 'e30', 'base64url').toString()) as { c?: string }
    return c === 'forcesave' ? [(answer as { error: number } | null)?.error] : []
  })
}

/** How a promise ends, and whether it has ended. */
export function watched (promise: Promise<ForceSaveResult>) {
  const state = { isSettled: false, promise }
  promise.catch(() => {}).finally(() => {
    state.isSettled = true
  })
  return state
}

export const DISK_FULL = Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
