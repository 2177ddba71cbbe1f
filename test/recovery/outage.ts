import type { FastifyInstance } from 'fastify'
import type { EditorConfig } from 'onlyoffice-emulator'
import { type EditorHttpClient, type EditorHttpRequest, type RecoveredFile, undiciClient } from '../../lib/index.js'
import { forgedToken, SECRET } from '../kit/document-server.js'
import { type Service, type ServiceOptions, startService } from '../kit/sessions.js'

/**
 * A switch in front of the application: while it is off, every connection is reset before the plugin sees the request.
 */
export function powerSwitch () {
  const power = {
    isOn: true,
    prepare (app: FastifyInstance) {
      app.addHook('onRequest', async (request, reply) => {
        if (power.isOn) return
        request.raw.socket.resetAndDestroy()
        return reply.hijack()
      })
    }
  }
  return power
}

export async function textOf (content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export interface Outage extends Service {
  readonly power: { isOn: boolean }
  /** The document key under which the edit was lost. */
  readonly lostKey: string
  recover (dryRun?: boolean): Promise<readonly RecoveredFile[]>
}

/** An edit whose final save came while the application was down. `before` runs before it goes down. */
export async function startAfterOutage (
  t: import('tap').Test,
  edit: string,
  options: ServiceOptions = {},
  before: (service: Service) => unknown = () => {}
): Promise<Outage> {
  const power = powerSwitch()
  const service = await startService(t, { prepare: power.prepare, ...options })
  const session = await service.open()
  await before(service)
  await session.edit(edit)
  power.isOn = false
  t.match(await session.close(), { status: 2, accepted: false }, 'the application is down')
  power.isOn = true
  t.strictSame(service.forgotten(), [edit], 'the document server keeps the edit')
  return { ...service, power, lostKey: session.key, recover: async (dryRun = false) => await service.app.editorServer.recoverForgotten({ dryRun }) }
}

interface Watched {
  readonly httpClient: EditorHttpClient
  /** Runs once, immediately before the given request: `file 2` is the second one for a file from now on. */
  before (request: string, act: () => unknown): void
  hideDates (): void
}

/** An HTTP client that lets something else happen between two requests. */
export function watchedClient (): Watched {
  const inner = undiciClient()
  const acts = new Map<string, () => unknown>()
  const counts = new Map<string, number>()
  let areDatesHidden = false

  return {
    before (request, act) {
      counts.clear()
      acts.set(request, act)
    },
    hideDates () { areDatesHidden = true },
    httpClient: {
      async request (request) {
        const name = nameOf(request)
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        const numbered = `${name} ${count}`
        const act = acts.get(numbered)
        acts.delete(numbered)
        await act?.()
        const response = await inner.request(request)
        return areDatesHidden ? { ...response, header: header => header.toLowerCase() === 'last-modified' ? undefined : response.header(header) } : response
      },
      close: async () => await inner.close?.()
    }
  }
}

function nameOf ({ method, body }: EditorHttpRequest): string {
  return method === 'GET' ? 'file' : String((JSON.parse(String(body)) as { c: unknown }).c)
}

/** A configuration for a key of which the application hears nothing. */
export async function unknownHere ({ app, fileId }: Service, key: string): Promise<EditorConfig> {
  const { token: _, ...config } = (await app.editorControl({ user: { id: 'ada', name: 'Ada' } }).openDocument(fileId)).config!
  const changed = { ...config, document: { ...config.document, key }, editorConfig: { ...config.editorConfig, callbackUrl: 'http://127.0.0.1:9/' } }
  return { ...changed, token: forgedToken({ iat: Math.floor(Date.now() / 1000), ...changed }, { secret: SECRET }) }
}
