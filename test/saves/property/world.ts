import { randomUUID } from 'node:crypto'
import { readdir, rename, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import { fileStorage, memoryStorage, type Profile, type SavedEvent } from '../../../lib/index.js'
import { createDocumentServer, type DocumentServer, type FakeClock, fakeClock } from '../../../lib/testing/index.js'
import { documentsIn } from '../../helpers/editing.js'
import { SECRET, signed } from '../../helpers/host.js'
import { listen } from '../../helpers/listen.js'
import { type Instance, startInstance } from './instance.js'
import type { Side } from './steps.js'

export interface WorldOptions {
  readonly profile: Profile
  readonly stored: 'memory' | 'files'
}

/** Two instances of one service behind one address, their storage, a document server, and a time for all of them. */
export interface World {
  readonly profile: Profile
  readonly documentServer: DocumentServer
  readonly clock: FakeClock
  readonly instances: Record<Side, Instance>
  readonly saved: readonly SavedEvent[]
  /** Called when a request of the document server arrives. */
  onArrival: () => void
  /** The instance that gets the next request, if it lives; the one after that goes to the other. */
  next (side: Side): void
  create (text: string): Promise<string>
  textOf (fileId: string): Promise<string | null>
  revisionOf (fileId: string): Promise<string | undefined>
  /** As another program would. */
  changeOutside (fileId: string, text: string): Promise<void>
  /** Posts a callback to one instance, word for word, with new tokens, where the document server posts those of the file. Resolves to the answer. */
  post (side: Side, fileId: string, fields: object): Promise<string>
  /** Files that saves have made since a document was created. */
  createdFiles (): Set<string>
  /** What is in the directory that is no document. */
  leftovers (): Promise<string[]>
  /** A dead instance is replaced, and nothing is under way. */
  recover (): Promise<void>
}

export async function startWorld (t: Test, { profile, stored }: WorldOptions): Promise<World> {
  const clock = fakeClock()
  const systemNow = Date.now
  Date.now = () => clock.now() // the service lives in the same time as the document server
  t.teardown(() => { Date.now = systemNow })
  const documentServer = await createDocumentServer({ jwtSecret: SECRET, libreOffice: false, clock })
  t.teardown(() => documentServer.close())
  const directory = stored === 'files' ? join(t.testdir(), 'uploads') : null
  const storage = () => directory === null ? memory : fileStorage({ directory })
  const memory = memoryStorage()
  const saved: SavedEvent[] = []
  const created = new Set<string>()
  let turn: Side = 'a'

  const front = await listen(t, http.createServer((request, response) => {
    const given = request.headers['x-instance'] as Side | undefined
    const side = given ?? turn
    if (given === undefined) turn = other(turn)
    if (request.headers['user-agent']?.startsWith('Node.js/')) world.onArrival()
    const { [side]: instance, [other(side)]: spare } = instances
    const taken = instance.isDead() && given === undefined ? spare : instance
    taken.handle(request, response)
  }))
  const start = async () => await startInstance({
    storage: storage(),
    onSaved: event => { saved.push(event) },
    options: { profile, editorApiUrl: documentServer.editorApiUrl, jwtSecret: SECRET, publicBaseUrl: front.origin, saveRetries: 0 }
  })
  const outside = storage()
  t.teardown(async () => await Promise.all(Object.values(instances).map(async ({ app }) => await app.close())))

  const instances = { a: await start(), b: await start() }
  const world: World = {
    profile,
    documentServer,
    clock,
    instances,
    saved,
    onArrival () {},
    next (side) { turn = side },
    async create (text) {
      const { fileId } = await outside.create('txt', Buffer.from(text))
      for (const files of [created, instances.a.disk.created, instances.b.disk.created]) files.clear()
      return fileId
    },
    async textOf (fileId) {
      const file = await outside.read(fileId)
      return file && Buffer.concat(await file.body.toArray()).toString()
    },
    revisionOf: async fileId => (await outside.stat(fileId))?.revision,
    async changeOutside (fileId, text) {
      if (directory === null) {
        await outside.replace(fileId, Buffer.from(text))
        return
      }
      const path = join(directory, `${randomUUID()}.new`)
      await writeFile(path, text)
      await rename(path, join(directory, `${fileId}.txt`))
    },
    async post (side, fileId, fields) {
      const { url } = documentServer.requests.findLast(({ method, url }) => method === 'POST' && new URL(url).searchParams.get('fileId') === fileId)!
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-instance': side, authorization: `Bearer ${signed({ payload: fields })}` },
        body: JSON.stringify({ ...fields, token: signed(fields) })
      })
      return await response.text()
    },
    createdFiles: () => new Set([...created, ...instances.a.disk.created, ...instances.b.disk.created]),
    async leftovers () {
      if (directory === null) return []
      return [...await documentsIn(directory), ...(await readdir(join(directory, '..'))).filter(name => name !== 'uploads')]
        .filter(name => !/^[\w-]+\.txt$/.test(name))
    },
    async recover () {
      for (const side of ['a', 'b'] as const) {
        const instance = instances[side]
        await instance.quiet()
        if (!instance.isDead()) continue
        for (const fileId of instance.disk.created) created.add(fileId)
        await instance.app.close()
        instances[side] = await start()
      }
    }
  }
  return world
}

export function other (side: Side): Side {
  return side === 'a' ? 'b' : 'a'
}
