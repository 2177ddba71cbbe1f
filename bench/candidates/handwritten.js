// What one would write by hand: Fastify routes with a schema and fast-jwt. A save is durable. There is no state: no
// sessions, no repeats, no conflicts, no order of saves, no versions, no retries.
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createSigner, createVerifier } from 'fast-jwt'
import Fastify from 'fastify'
import { request as fetchFile } from 'undici'
import { answerCalls } from '../framework/child.js'
import { JWT_SECRET } from '../framework/secret.js'

const SCHEMA = {
  querystring: {
    type: 'object',
    required: ['fileId'],
    properties: { fileId: { type: 'string', pattern: '^[\\w-]+$' } }
  },
  body: {
    type: 'object',
    required: ['key', 'status', 'token'],
    properties: {
      key: { type: 'string' },
      status: { type: 'integer' },
      url: { type: 'string' },
      filetype: { type: 'string' },
      users: { type: 'array', items: { type: 'string' } },
      token: { type: 'string' }
    }
  }
}
const verify = createVerifier({ key: JWT_SECRET, algorithms: ['HS256'] })
const sign = createSigner({ key: JWT_SECRET, algorithm: 'HS256' })
const app = Fastify()
let directory = ''

app.get('/page', async request => openPage(/** @type {{ fileId: string }} */ (request.query).fileId))
app.post('/callback', { schema: SCHEMA }, async request => {
  const { fileId } = /** @type {{ fileId: string }} */ (request.query)
  const { status, url } = verify(/** @type {{ token: string }} */ (request.body).token)
  if (status === 2) await store(fileId, url)
  return { error: 0 }
})

answerCalls({
  /** @param {{ folder: string, documents: number }} options */
  async start ({ folder, documents }) {
    directory = join(folder, 'handwritten')
    await mkdir(directory, { recursive: true })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, fileIds: Array.from({ length: documents }, (_, number) => `document-${number}`), directory }
  },
  openPage
})

/** @param {string} fileId */
function openPage (fileId) {
  const callbackPath = `/callback?fileId=${fileId}`
  const config = {
    document: { key: fileId, title: `${fileId}.txt`, fileType: 'txt' },
    editorConfig: { callbackUrl: callbackPath }
  }
  return { fileId, key: fileId, callbackPath, token: sign(config), file: join(directory, `${fileId}.txt`) }
}

/**
 * @param {string} fileId
 * @param {string} url
 */
async function store (fileId, url) {
  const { statusCode, body } = await fetchFile(url)
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
  const path = join(directory, `${fileId}.txt`)
  await pipeline(body, createWriteStream(`${path}.temp`, { flush: true }))
  await rename(`${path}.temp`, path)
  const folder = await open(directory)
  await folder.sync()
  await folder.close()
}
