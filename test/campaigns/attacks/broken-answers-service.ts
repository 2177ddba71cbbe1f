// A host in a process of its own, since it may be ended:
// `broken-answers-service.ts <directory> <origin of the document server> <profile> <client>`.
import Fastify from 'fastify'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { Agent, request as send } from 'undici'
import editor, { fileStorage, type HttpClient, type Profile, undiciClient } from '../../../lib/index.js'
import { SECRET } from '../../kit/document-server.js'

const [directory, documentServerOrigin, profile, client] = process.argv.slice(2) as [string, string, Profile, string]

/** Of a host that asks somebody else first. */
const SLOW_MS = 100

/** It listens to nothing, and hands its bodies out when they have failed. */
const unheard: HttpClient = {
  async request ({ url }) {
    const { statusCode: status, headers, body } = await send(url)
    const decoded = pipeline(body, createGunzip(), () => {})
    await delay(SLOW_MS)
    return { status, header: name => String(headers[name]), body: decoded }
  }
}

const clients: Record<string, () => HttpClient | undefined> = {
  default: () => undefined,
  unheard: () => unheard,
  'connections of undici': () => undiciClient({ dispatcher: new Agent() })
}

const server = http.createServer()
// listens first: the plugin wants to know its own address
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const app = Fastify({ serverFactory: handler => server.on('request', handler) })
app.addHook('onSend', async (_request, _reply, payload) => {
  await delay(SLOW_MS)
  return payload
})
const httpClient = clients[client]!()
await app.register(editor, {
  profile,
  editorApiUrl: `${documentServerOrigin}/web-apps/apps/api/documents/api.js`,
  jwtSecret: SECRET,
  publicBaseUrl: origin,
  storage: fileStorage({ directory }),
  saveRetries: 0,
  authorize: (_request, { action }) => action === 'proxy' ? 'grant' : undefined,
  ...(httpClient && { httpClient })
})
await app.ready()

const { fileId } = await app.editorStorage.create('docx', Buffer.from('content'))
const { config } = await app.editorControl().openDocument(fileId)
process.send!({ origin, key: config!.document.key, callbackUrl: config!.editorConfig.callbackUrl })
