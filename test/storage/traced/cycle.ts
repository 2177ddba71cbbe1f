import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createSigner } from 'fast-jwt'
import Fastify from 'fastify'
import editor, { fileStorage } from '../../../lib/index.js'
import { savedAt } from '../../kit/http.js'
import { between } from './mark.js'

/**
 * The documents in the directory: page, status 1 and final save of each of them, one after another. Besides them, one
 * called `warm-up`.
 */
const [directory, ...documents] = process.argv.slice(2) as [string, ...string[]]
const SECRET = 'a secret of tests, long enough to be one'
const PUBLIC = 'http://documents.test'
const SETTLED_MS = 80

const sign = createSigner({ key: SECRET, algorithm: 'HS256', expiresIn: 600_000 })

const documentServer = createServer(({ url }, response) => {
  response.end(url?.startsWith('/cache/') ? `${url} `.repeat(50) : JSON.stringify({ error: 1 }))
})
documentServer.listen(0, '127.0.0.1')
await once(documentServer, 'listening')
const origin = `http://127.0.0.1:${(documentServer.address() as AddressInfo).port}`

const app = Fastify()
const storage = fileStorage({ directory })
await app.register(editor, {
  editorApiUrl: `${origin}/web-apps/apps/api/documents/api.js`,
  jwtSecret: SECRET,
  publicBaseUrl: PUBLIC,
  path: '/handler',
  storage
})
app.get<{ Params: { fileId: string } }>('/:fileId', async ({ params }) => (await app.editorControl().openDocument(params.fileId)).config)
const host = await app.listen({ port: 0, host: '127.0.0.1' })

let saves = 0
await storage.close() // else a scan in the background could come in between
await delay(SETTLED_MS)
await cycle('warm-up') // loads what the first request needs
for (const fileId of documents) await storage.stat(fileId)
for (const fileId of documents) await between(() => cycle(fileId))
process.exit()

interface Page {
  readonly document: { readonly key: string }
  readonly editorConfig: { readonly callbackUrl: string }
}

async function cycle (fileId: string): Promise<void> {
  const page = await (await fetch(`${host}/${fileId}`)).json() as Page
  await post(page, { status: 1, users: ['ada'], actions: [{ type: 1, userid: 'ada' }] })
  const url = savedAt(origin, page.document.key, ++saves)
  await post(page, { status: 2, users: ['ada'], url, filetype: 'txt' })
}

async function post ({ document: { key }, editorConfig: { callbackUrl } }: Page, event: object): Promise<void> {
  const payload = { key, ...event }
  const response = await fetch(callbackUrl.replace(PUBLIC, host), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...payload, token: sign(payload) })
  })
  const answer = await response.text()
  if (answer !== '{"error":0}') throw new Error(`A callback was answered with ${response.status} ${answer}`)
}
