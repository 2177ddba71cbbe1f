import type { IncomingMessage } from 'node:http'
import http from 'node:http'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fileStorage, memoryStorage, type Profile, type SavedEvent } from '../../../lib/index.js'
import { createDocumentServer, type DocumentServer, type FakeClock, fakeClock } from 'onlyoffice-emulator'
import { documentsIn } from '../../helpers/editing.js'
import { SECRET, signed } from '../../helpers/host.js'
import { listen } from '../../helpers/listen.js'
import { type Histories, histories, type WholeStorage } from './history.js'
import { type Instance, startInstance } from './instance.js'
import { type Outside, outside } from './outside.js'
import type { Side } from './steps.js'
import { mockedTime } from './time.js'
import type { Access } from './unreliable-storage.js'

export interface WorldOptions {
  readonly profile: Profile
  readonly stored: 'memory' | 'files'
  /** Each instance has a document server of its own, as while a service moves from one to another. */
  readonly moving?: boolean
}

/** Two instances of one service behind one address, their storage, a document server, and a time for all of them. */
export interface World {
  readonly profile: Profile
  readonly moving: boolean
  readonly documentServers: Readonly<Record<Side, DocumentServer>>
  readonly clock: FakeClock
  readonly instances: Record<Side, Instance>
  readonly saved: readonly SavedEvent[]
  readonly histories: Histories
  readonly outside: Outside
  /** Called when a request of the document server arrives, and may keep it from arriving. */
  onArrival: (body: Readonly<Record<string, unknown>> | null) => 'taken' | 'lost'
  /** Called at each moment of an instance's work with its storage. */
  onMoment: (side: Side, access: Access, isDone: boolean) => void | Promise<void>
  /** Lets the time pass after which others take over from who stands still. */
  skip (milliseconds: number): void
  /** The instance that gets the next request, if it lives; the one after that goes to the other. */
  next (side: Side): void
  /** Posts a callback to one instance, word for word, with new tokens, where the document server posts those of the file. Resolves to the answer. */
  post (side: Side, fileId: string, fields: object): Promise<string>
  /** What is in the directory that is no document. */
  leftovers (): Promise<string[]>
  /** A dead instance is replaced, and nothing is under way. */
  recover (): Promise<void>
}

export const SIDES = ['a', 'b'] as const

export async function startWorld (t: Test, { profile, stored, moving = false }: WorldOptions): Promise<World> {
  const clock = fakeClock()
  const { skip } = mockedTime(t, clock)
  const start = async () => await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock })
  const first = await start()
  const documentServers = { a: first, b: moving ? await start() : first }
  t.teardown(async () => await Promise.all([...new Set(Object.values(documentServers))].map(async server => await server.close())))
  const directory = stored === 'files' ? join(t.testdir(), 'uploads') : null
  const memory = memoryStorage()
  const storage = (): WholeStorage => directory === null ? memory : fileStorage({ directory })
  const saved: SavedEvent[] = []
  const recording = histories()
  recording.overwrites = profile === 'classic'
  let turn: Side = 'a'

  const front = await listen(t, http.createServer((request, response) => {
    const { sender, body } = senderOf(request)
    const given = request.headers['x-instance'] as Side | undefined
    const side = given ?? (moving ? sender ?? 'a' : turn)
    if (given === undefined) turn = other(turn)
    const { [side]: instance, [other(side)]: spare } = instances
    const taker = moving || given !== undefined || !(instance.isDead() || instance.isPaused) ? instance : spare
    if (taker.isDead() || (sender !== undefined && world.onArrival(body) === 'lost')) request.socket.destroy()
    else taker.handle(request, response)
  }))

  /** The document server that sends a request, and what it sends. */
  function senderOf ({ headers }: IncomingMessage): { sender?: Side, body: Readonly<Record<string, unknown>> | null } {
    for (const side of SIDES) {
      const entry = documentServers[side].sentRequests.findLast(one => one.headers.Authorization === headers.authorization)
      if (entry !== undefined) return { sender: side, body: entry.body }
    }
    return { body: null }
  }

  const startSide = async (side: Side) => await startInstance({
    storage: recording.recorded(storage(), side),
    moments: { moment: (access, isDone) => world.onMoment(side, access, isDone) },
    onSaved: event => { saved.push(event) },
    options: { profile, editorApiUrl: documentServers[side].editorApiUrl, jwtSecret: SECRET, publicBaseUrl: front.origin, saveRetries: 0 }
  })
  t.teardown(async () => await Promise.all(Object.values(instances).map(async ({ app }) => await app.close())))

  const instances = { a: await startSide('a'), b: await startSide('b') }
  const world: World = {
    profile,
    moving,
    documentServers,
    clock,
    instances,
    saved,
    histories: recording,
    outside: outside({ storage: storage(), directory, histories: recording, host: side => instances[side].app.editorStorage }),
    onArrival: () => 'taken',
    onMoment () {},
    skip,
    next (side) { turn = side },
    async post (side, fileId, fields) {
      const posted = SIDES.flatMap(one => documentServers[one].sentRequests).findLast(({ method, url }) => method === 'POST' && new URL(url).searchParams.get('fileId') === fileId)
      const response = await fetch(posted!.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-instance': side, authorization: `Bearer ${signed({ payload: fields })}` },
        body: JSON.stringify({ ...fields, token: signed(fields) })
      })
      return await response.text()
    },
    async leftovers () {
      if (directory === null) return []
      return [...await documentsIn(directory), ...(await readdir(join(directory, '..'))).filter(name => name !== 'uploads')]
        .filter(name => !/^[\w-]+\.txt$/.test(name))
    },
    async recover () {
      for (const side of SIDES) {
        const instance = instances[side]
        if (instance.isPaused) continue
        await instance.quiet()
        if (!instance.isDead()) continue
        await instance.app.close()
        await instance.disk.sweep()
        instances[side] = await startSide(side)
      }
    }
  }
  return world
}

export function other (side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}
