import Fastify, { type FastifyInstance } from 'fastify'
import http, { type RequestListener, type ServerResponse } from 'node:http'
import editor, { type EditorOptions, type SavedEvent, type StateStore, type Storage } from '../../../lib/index.js'
import { type UnreliableStorage, unreliableStorage } from './unreliable-storage.js'

/** One instance of the service, as long as it lives. */
export interface Instance {
  readonly app: FastifyInstance
  readonly disk: UnreliableStorage
  readonly isDead: () => boolean
  /** Takes a request that arrived at the service's address. */
  handle: RequestListener
  /** Dies: what is under way ends without an answer. */
  die (): void
  /** Resolves when nothing is under way. */
  quiet (): Promise<void>
}

export interface InstanceOptions {
  readonly storage: Storage & { readonly state: StateStore }
  readonly options: Omit<EditorOptions, 'storage' | 'onSaved'>
  readonly onSaved: (event: SavedEvent) => void
}

export async function startInstance ({ storage, options, onSaved }: InstanceOptions): Promise<Instance> {
  const disk = unreliableStorage(storage)
  const unanswered = new Set<ServerResponse>()
  let dead = false
  const work = { underWay: 0, ended () {} }
  const { app, listener } = await startApp({ ...options, storage: disk.storage, onSaved }, change => {
    work.underWay += change
    if (work.underWay === 0) work.ended()
  })

  return {
    app,
    disk,
    isDead: () => dead,
    handle (request, response) {
      unanswered.add(response)
      response.once('close', () => unanswered.delete(response))
      listener(request, response)
    },
    die () {
      dead = true
      disk.die()
      for (const response of unanswered) response.destroy()
    },
    async quiet () {
      while (work.underWay > 0) await new Promise<void>(resolve => { work.ended = resolve })
    }
  }
}

/** Its requests come from the service's one address. */
async function startApp (options: EditorOptions, underWay: (change: 1 | -1) => void): Promise<{ app: FastifyInstance, listener: RequestListener }> {
  let listener: RequestListener = () => {}
  const app = Fastify({
    serverFactory (handler) {
      listener = handler
      return http.createServer()
    }
  })
  app.addHook('onRequest', async () => underWay(1))
  app.addHook('onSend', async () => underWay(-1))
  await app.register(editor, options)
  await app.ready()
  return { app, listener }
}
