// Saves with callbacks made by hand: `startEditing` is a service with a stored document and a document server that
// hands out whatever the test wants saved; with `startScripted` the test plays its command service, too.
// `startInstance` is another instance over the same documents, `startCsv` saves CSV files, `recordSessions` hears of
// sessions.
import { readdir } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { type FastifyOnlyofficeOptions, memoryStorage, type EditorProfile, type SessionEndEvent, type SessionStartEvent } from '../../lib/index.js'
import { commandIn } from './document-server.js'
import { type Host, type HostOptions, signed, startHost } from './host.js'
import { answerWith, savedAt, startUpstream, type Upstream } from './http.js'
import { memoryLog } from './log.js'
import { packageOf } from './packages.js'
import { isOnS3, storageOf, type TestStorage } from './storage.js'

export const OLD = 'the stored content'
/** A package, as every format is that the document server saves documents in. */
export const NEW = packageOf('what the document server saved')

export interface EditingOptions extends HostOptions {
  readonly profile?: EditorProfile | undefined
  /** Default: files. On S3 it is there. */
  readonly memory?: boolean
  /** What the document server answers when a saved file is fetched. Default: the new content. */
  readonly serve?: RequestListener
  /** Of the stored file. Default `txt`: any content may be saved for it. */
  readonly fileType?: string
}

export interface Editing extends Host {
  readonly documentServer: Upstream
  readonly fileId: string
  /** The document key of the stored content. */
  readonly key: string
  /** A document key of a file that need not exist. */
  keyOf (fileId: string): string
  /** The document key that the next editor of the file gets. */
  openedKey (fileId?: string): Promise<string>
  /** Address of the saved file at the document server. */
  readonly url: string
  /**
   * Posts a callback as the profile wants it, signed or plain, for the stored file unless another is named, under a key
   * of that file unless there is one in the fields. Resolves to the answered `error`.
   */
  post (fields: object, fileId?: string): Promise<unknown>
  /** What other programs do with the files. Not in memory. */
  readonly others: TestStorage
  /** The documents that are stored, and whatever else is in the directory. Empty in memory. */
  listing (): Promise<string[]>
  /** The stored bytes are the old ones and nothing else was left in the directory. */
  unchanged (t: Test, message: string): Promise<void>
}

/** A service with one stored document and the document server that edits it, both really listening. */
export async function startEditing (
  t: Test,
  { serve = answerWith(NEW), memory: wantsMemory = false, fileType = 'txt', ...options }: EditingOptions = {}
): Promise<Editing> {
  const profile = options.profile ?? 'secure'
  const memory = wantsMemory && !isOnS3
  const root = memory || isOnS3 ? '' : t.testdir()
  const documentServer = await startUpstream(t, serve)
  const others = await storageOf(t)
  const storage = memory ? memoryStorage() : others.open()
  const host = await startHost(t, { documentServerOrigin: documentServer.origin, storage, saveRetries: 0, ...options })
  const { fileId } = await host.storage.create(fileType, Buffer.from(OLD))

  async function listing (): Promise<string[]> {
    if (memory) return []
    const beside = root === '' ? [] : (await readdir(root)).filter(name => name !== 'uploads')
    return [...beside, ...await others.listing()]
  }
  const before = await listing()

  async function openedKey (id = fileId): Promise<string> {
    const control = await host.app.editorControl().openDocument(id)
    t.equal(control.config?.document.key, control.documentKey)
    return control.documentKey
  }

  const key = await openedKey()
  /** The document server always names one. */
  function keyOf (id: string): string {
    return id === fileId ? key : host.keys.of({ fileId: id, revision: 'some' })
  }

  return {
    ...host,
    documentServer,
    fileId,
    key,
    keyOf,
    openedKey,
    url: savedAt(documentServer.origin, key),
    async post (fields, id = fileId) {
      const answer = profile === 'secure' ? await host.postSignedCallback(id, { key: keyOf(id), ...fields }) : await host.postCallback(id, fields)
      t.equal(answer.status, 200)
      return errorOf(answer.body)
    },
    others,
    listing,
    async unchanged (t, message) {
      t.equal(await host.storedText(fileId), OLD, `${message}: the bytes are unchanged`)
      // Not every callback is answered only when the record has noted it.
      let names = await listing()
      for (; names.some(name => name.includes('/~')); names = await listing()) await delay(10)
      t.strictSame(names, before, `${message}: no other file`)
    }
  }
}

/** A command that the document server got. */
export interface SentCommand {
  readonly c: string
  readonly key?: string
  readonly users?: readonly string[]
}

export interface Scripted extends Editing {
  /** The commands so far, oldest first. */
  readonly commands: readonly SentCommand[]
}

/**
 * A service whose document server is played by the test: `play` makes the fields of each answer to a command, whose
 * `error` is 0 otherwise. Each saved file has the new content.
 */
export async function startScripted (
  t: Test, play: (command: SentCommand, editing: Editing) => Promise<object> | object, options: EditingOptions = {}
): Promise<Scripted> {
  const commands: SentCommand[] = []
  const editing = await startEditing(t, {
    async serve (request, response) {
      if (request.method === 'GET') return response.end(NEW)
      const command = await commandIn(request) as unknown as SentCommand
      commands.push(command)
      response.end(JSON.stringify({ key: command.key, error: 0, ...await play(command, editing) }))
    },
    ...options
  })
  return { ...editing, commands }
}

/** The body is exactly `{"error":n}`. */
export function errorOf (body: string): unknown {
  return body === '{"error":0}' ? 0 : body === '{"error":1}' ? 1 : body
}

/** The body of a callback as the document server signs it. */
export function bodyFor (fields: object): object {
  return { ...fields, token: signed(fields) }
}

export interface Instance extends Host {
  openedKey (): Promise<string>
  post (fields: object): Promise<unknown>
}

/** Another instance of a service, over the same documents: another process would see no more of the first one. */
export async function startInstance (t: Test, { origin, documentServer, fileId, others }: Editing, options: HostOptions = {}): Promise<Instance> {
  const host = await startHost(t, {
    documentServerOrigin: documentServer.origin,
    publicBaseUrl: origin,
    storage: others.open(),
    saveRetries: 0,
    ...options
  })
  return {
    ...host,
    openedKey: async () => (await host.app.editorControl().openDocument(fileId)).documentKey,
    post: async fields => errorOf((await host.postSignedCallback(fileId, fields)).body)
  }
}

/** Where `startEditing` keeps documents that are files. */
export function directoryOf (t: Test): string {
  return join(t.testdirName, 'uploads')
}

export const MARK = '\ufeff'

export interface CsvService {
  readonly editing: Editing
  /** Stores a file, saves the text as the document server has written it, and resolves to what is stored then. */
  save (stored: string | Uint8Array, saved: string | Uint8Array, fields?: object, fileType?: string): Promise<Buffer>
  /** The warnings so far, and no longer later. */
  warnings (): string[]
}

/** A service whose documents are CSV files. */
export async function startCsv (t: Test, options: EditingOptions = {}): Promise<CsvService> {
  let served: string | Uint8Array = ''
  const log = memoryLog()
  let seen = 0
  const editing = await startEditing(t, {
    memory: true,
    server: log.server,
    ...options,
    serve: (_request, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(served)
  })
  let saves = 0
  return {
    editing,
    async save (stored, saved, fields = {}, fileType = 'csv') {
      served = saved
      const { fileId } = await editing.storage.create(fileType, Buffer.from(stored as string))
      const key = await editing.openedKey(fileId)
      t.equal(await editing.post({ key, status: 2, filetype: fileType, url: `${editing.url}&save=${saves++}`, ...fields }, fileId), 0)
      const file = await editing.storage.read(fileId)
      return Buffer.concat(await file!.body.toArray())
    },
    warnings () {
      const lines = log.records().filter(({ level }) => level >= 40).slice(seen)
      seen += lines.length
      return lines.map(({ msg, reason }: { msg: string, reason?: string }) => reason === undefined ? msg : `${msg}: ${reason}`)
    }
  }
}

/** As the document server writes rows: commas, a byte order mark, line feeds, numbers anew, and an empty cell more. */
export function asServer (rows: ReadonlyArray<readonly string[]>): string {
  return MARK + rows.map(row =>
    [...row, ''].map(value => {
      const shown = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)
        ? String(Number(Number(value).toPrecision(15)))
        : /^(true|false)$/i.test(value)
          ? value.toUpperCase()
          : value
      return /[",\n\r]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
    }).join(',') + '\n'
  ).join('')
}

type RecordedEvent = ['start', SessionStartEvent] | ['end', SessionEndEvent]

interface Recorder {
  /** What the hooks were called with, oldest first. */
  readonly events: readonly RecordedEvent[]
  readonly hooks: Required<Pick<FastifyOnlyofficeOptions, 'onSessionStart' | 'onSessionEnd'>>
  /** Resolves to all events once there are that many: nobody waits for these hooks. */
  until (count: number): Promise<readonly RecordedEvent[]>
}

/** Of each event what it was: `start`, or why the session ended. */
export function told (events: readonly RecordedEvent[]): string[] {
  return events.map(([name, event]) => 'reason' in event ? event.reason : name)
}

/** Hooks that remember their events and then do what they are given. */
export function recordSessions (inner: Pick<FastifyOnlyofficeOptions, 'onSessionStart' | 'onSessionEnd'> = {}): Recorder {
  const events: RecordedEvent[] = []
  const waiting = new Set<() => void>()

  function note (event: RecordedEvent): void {
    events.push(event)
    for (const look of waiting) look()
  }

  return {
    events,
    hooks: {
      async onSessionStart (event, context) {
        note(['start', event])
        await inner.onSessionStart?.(event, context)
      },
      async onSessionEnd (event, context) {
        note(['end', event])
        await inner.onSessionEnd?.(event, context)
      }
    },
    until: async count => await new Promise(resolve => {
      const look = () => {
        if (events.length < count) return
        waiting.delete(look)
        resolve(events)
      }
      waiting.add(look)
      look()
    })
  }
}
