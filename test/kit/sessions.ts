import { join } from 'node:path'
import type { Test } from 'tap'
import {
  type CallbackEvent, type EditorControlDefaults, type Profile, type SavedEvent, type Storage
} from '../../lib/index.js'
import {
  createDocumentServer, type DocumentServer, type DocumentServerOptions, type FakeClock, fakeClock, type SentRequest,
  type Session
} from 'onlyoffice-emulator'
import { emulatedOptions } from './document-server.js'
import { type Host, type HostOptions, SECRET, startHost } from './host.js'
import { storageOf, type TestStorage } from './storage.js'

export { profiles } from './editing.js'
export const OLD = 'what was uploaded'
/** A conversion is asked for until it is done, however busy the machine is. */
export const PATIENT = { delayMs: 10, maxAttempts: 3000 }

export interface ServiceOptions extends Omit<HostOptions, 'clock'> {
  readonly profile?: Profile
  /** Default: one that jumps to the next timer as soon as nothing is under way. */
  readonly clock?: FakeClock
  /** Further options of the document server. */
  readonly emulated?: Partial<DocumentServerOptions>
  /** Stands in front of the storage. */
  readonly storing?: (storage: Storage) => Storage
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
  const documentServer = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock, sharedClock: true, ...emulatedOptions(emulated) })
  t.teardown(() => documentServer.close())
  const callbacks: CallbackEvent[] = []
  const saved: SavedEvent[] = []
  const host = await startHost(t, {
    clock, // tokens are dated: service and document server must have the same time
    saveRetries: 0,
    documentServerOrigin: documentServer.url,
    storage: storing(others.open()),
    async onCallback (event) {
      callbacks.push(event)
      await onCallback?.(event)
    },
    async onSaved (event) {
      saved.push(event)
      await onSaved?.(event)
    },
    ...options
  })
  const fileId = await host.app.editorControl().setDocumentFromBytes(Buffer.from(OLD), 'Notes.txt')

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
