import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Test } from 'tap'
import { createDocumentServer, type DocumentServer, type FakeClock, fakeClock, type Session } from 'onlyoffice-emulator'
import { type EditorControl, type ForceSaveResult, type Storage } from '../../lib/index.js'
import { emulatedOptions } from '../kit/document-server.js'
import { type Host, type HostOptions, SECRET, startHost } from '../kit/host.js'
import { listen } from '../kit/http.js'
import { jumpingTime } from '../helpers/monotonic-time.js'
import { storageOf } from '../kit/storage.js'

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
  readonly isIdle?: boolean
  readonly result?: { readonly from: string }
}

export interface PairOptions extends Omit<HostOptions, 'clock'> {
  /** Stands in front of the storage of each instance. */
  readonly storing?: (storage: Storage, side: Side) => Storage
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
  const documentServer = await createDocumentServer({
    jwtSecret: SECRET,
    libreOffice: false,
    ...emulatedOptions(clocks)
  })
  t.teardown(() => documentServer.close())
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
  const fileId = await a.app.editorControl().setDocumentFromBytes(Buffer.from('uploaded'), 'Notes.txt')
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
      ((await a.storage.state!.get(fileId))?.value as { readonly forceSaves?: readonly Note[] } | undefined)
        ?.forceSaves ?? [],
    async afterQuiet (promise) {
      const saving = watched(promise)
      while (!saving.isSettled) {
        if ((await pair.notes()).some(({ isIdle, result }) => isIdle === true || result?.from === 'final-before')) {
          jump(3000)
        }
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
