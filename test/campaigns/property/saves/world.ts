import type { IncomingMessage } from 'node:http'
import http from 'node:http'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileStorage, type SavedEvent } from '../../../../lib/index.js'
import type { DocumentStore } from '../../../../lib/store/contract.js'
import { createDocumentServer, type DocumentServer, type FakeClock, fakeClock } from 'onlyoffice-emulator'
import { emulatedOptions, SECRET } from '../../../kit/document-server.js'
import { signed } from '../../../kit/host.js'
import { documentsIn } from '../../../kit/storage.js'
import { type Histories, histories } from './history.js'
import { type Instance, startInstance } from './instance.js'
import { type Outside, outside } from './outside.js'
import { countRule } from './rules.js'
import { withCheckedTransitions } from './transitions.js'
import type { LostAnswer, Side } from './situation.js'
import type { Access } from './unreliable-storage.js'

export interface WorldOptions {
  /** Of the files; `null`: there are none. */
  readonly directory: string | null
  /** Opens the storage once more. Default: the files. */
  readonly open?: () => DocumentStore
  /** Each instance has a document server of its own, as while an application moves from one to another. */
  readonly moving?: boolean
}

/** Two instances of an application behind one URL, their storage, a document server, and a clock for all of them. */
export interface World {
  readonly moving: boolean
  readonly documentServers: Readonly<Record<Side, DocumentServer>>
  readonly clock: FakeClock
  readonly instances: Record<Side, Instance>
  readonly saved: readonly SavedEvent[]
  readonly histories: Histories
  readonly outside: Outside
  /** Called when a request of the document server arrives. Decides whether it is lost. */
  onArrival: (body: Readonly<Record<string, unknown>> | null) => 'taken' | 'lost'
  /** Called before, during and after each storage access of an instance, which waits for it. */
  onMoment: (side: Side, access: Access, isDone: boolean) => void | Promise<void>
  /** Happens to the next commit. */
  lost: LostAnswer | undefined
  /** So many of the next attempts to read a record fail, at either instance. */
  failingReads: number
  /** The instance that gets the next request, if it lives; the one after that goes to the other. */
  next (side: Side): void
  /**
   * Posts a callback unchanged, with new tokens, to one instance, under the callback URL of the file. Resolves to the
   * answer.
   */
  post (side: Side, fileId: string, fields: object): Promise<string>
  /** Names in the directory that are no documents. */
  leftovers (): Promise<string[]>
  /** Replaces dead instances, and resolves when nothing is under way. */
  recover (): Promise<void>
  close (): Promise<void>
}

export const SIDES = ['a', 'b'] as const

export async function startWorld ({ directory, open, moving = false }: WorldOptions): Promise<World> {
  const clock = fakeClock()
  const start = async () => await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock, sharedClock: true, ...emulatedOptions() })
  const first = await start()
  const documentServers = { a: first, b: moving ? await start() : first }
  const storage = open ?? ((): DocumentStore => fileStorage({ directory: directory! }))
  const saved: SavedEvent[] = []
  const recording = histories()
  let turn: Side = 'a'

  const front = http.createServer((request, response) => {
    const { sender, body } = senderOf(request)
    const given = request.headers['x-instance'] as Side | undefined
    const side = given ?? (moving ? sender ?? 'a' : turn)
    if (given === undefined) turn = other(turn)
    const { [side]: instance, [other(side)]: spare } = instances
    const taker = moving || given !== undefined || !(instance.isDead() || instance.isPaused) ? instance : spare
    if (taker.isDead() || (sender !== undefined && world.onArrival(body) === 'lost')) request.socket.destroy()
    else taker.handle(request, response)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const publicBaseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`

  /** The document server that sent a request, and the request's body. */
  function senderOf ({ headers }: IncomingMessage): { sender?: Side, body: Readonly<Record<string, unknown>> | null } {
    for (const side of SIDES) {
      const entry = documentServers[side].sentRequests.findLast(one => one.headers.Authorization === headers.authorization)
      if (entry !== undefined) return { sender: side, body: entry.body }
    }
    return { body: null }
  }

  function lostAnswer (): LostAnswer | undefined {
    const { lost } = world
    world.lost = undefined
    world.failingReads = lost?.readsFail ?? 0
    return lost
  }

  function readFails (): boolean {
    return world.failingReads > 0 && world.failingReads-- > 0
  }

  const startSide = async (side: Side) => await startInstance({
    storage: recording.recorded(withCheckedTransitions(storage(), recording.faults), side),
    moments: { moment: (access, isDone) => world.onMoment(side, access, isDone), lostAnswer, readFails },
    onSaved (event) {
      saved.push(event)
      countRule(event)
    },
    options: { clock, editorApiUrl: documentServers[side].editorApiUrl, jwtSecret: SECRET, publicBaseUrl, saveRetries: 0, versions: { keep: 1000 } }
  })

  const instances = { a: await startSide('a'), b: await startSide('b') }
  const world: World = {
    moving,
    documentServers,
    clock,
    instances,
    saved,
    histories: recording,
    outside: outside({ storage: storage(), directory, histories: recording, ofApplication: side => instances[side].app.editorStorage }),
    onArrival: () => 'taken',
    onMoment () {},
    lost: undefined,
    failingReads: 0,
    next (side) { turn = side },
    async post (side, fileId, fields) {
      const posted = SIDES.flatMap(one => documentServers[one].sentRequests).findLast(({ method, url }) =>
        method === 'POST' && new URL(url).searchParams.get('fileId') === fileId
      )
      const response = await fetch(posted!.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-instance': side, authorization: `Bearer ${signed({ payload: fields }, undefined, clock)}` },
        body: JSON.stringify({ ...fields, token: signed(fields, undefined, clock) })
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
    },
    async close () {
      world.onMoment = () => {}
      for (const side of SIDES) instances[side].die()
      for (const server of new Set(Object.values(documentServers))) await server.close()
      for (const side of SIDES) await instances[side].app.close()
      front.closeAllConnections()
      front.close()
    }
  }
  return world
}

export function other (side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}
