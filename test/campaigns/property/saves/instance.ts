import Fastify, { type FastifyInstance } from 'fastify'
import http, { type RequestListener, type ServerResponse } from 'node:http'
import editor, { type FastifyOnlyofficeOptions, type EditorHttpClient, type SavedEvent, undiciClient } from '../../../../lib/index.js'
import type { DocumentStore } from '../../../../lib/store/contract.js'
import { type Moments, type UnreliableStorage, unreliableStorage } from './unreliable-storage.js'

/** One instance of the application, as long as it lives. */
export interface Instance {
  readonly app: FastifyInstance
  readonly disk: UnreliableStorage
  readonly isDead: () => boolean
  /** It stands still, and requests go to the other instance. */
  isPaused: boolean
  /** Handles a request that arrived at the application's URL. */
  handle: RequestListener
  /** Dies: requests under way get no answer. */
  die (): void
  /** Resolves when nothing is under way. */
  quiet (): Promise<void>
}

export interface InstanceOptions {
  readonly storage: DocumentStore
  readonly moments: Moments
  readonly options: Omit<FastifyOnlyofficeOptions, 'storage' | 'onSaved'>
  readonly onSaved: (event: SavedEvent) => void
}

/** Whatever an answer sets off starts within so many turns of the event loop. */
const TURNS = 3

export async function startInstance ({ storage, moments, options, onSaved }: InstanceOptions): Promise<Instance> {
  const disk = unreliableStorage(storage, moments)
  const unanswered = new Set<ServerResponse>()
  let dead = false
  let underWay = 0
  const count = (change: 1 | -1) => { underWay += change }
  const { app, listener } = await startApp({ ...options, httpClient: counted(count), storage: disk.storage, onSaved }, count)

  return {
    app,
    disk,
    isPaused: false,
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
      for (let turns = 0; turns < TURNS; turns = underWay === 0 && disk.isIdle() ? turns + 1 : 0) await new Promise(resolve => setImmediate(resolve))
    }
  }
}

/** An app that does not listen itself: its requests arrive through the listener. */
async function startApp (
  options: FastifyOnlyofficeOptions & { readonly httpClient: EditorHttpClient },
  underWay: (change: 1 | -1) => void
): Promise<{ app: FastifyInstance, listener: RequestListener }> {
  let listener: RequestListener = () => {}
  const app = Fastify({
    serverFactory (handler) {
      listener = handler
      return http.createServer()
    }
  })
  app.addHook('onRequest', async () => underWay(1))
  app.addHook('onSend', async () => underWay(-1))
  app.addHook('onClose', async () => await options.httpClient.close?.())
  await app.register(editor, options)
  await app.ready()
  return { app, listener }
}

/** The plugin also sends requests to the document server whose answer nobody waits for. */
function counted (underWay: (change: 1 | -1) => void): EditorHttpClient {
  const client = undiciClient()
  return {
    async request (request) {
      underWay(1)
      try {
        const response = await client.request(request)
        response.body.once('close', () => underWay(-1))
        return response
      } catch (error) {
        underWay(-1)
        throw error
      }
    },
    close: async () => await client.close?.()
  }
}
