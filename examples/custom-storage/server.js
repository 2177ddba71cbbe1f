import '../environment.js'
import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { closeWithProcess } from '../environment.js'
import { createBlobService } from './blob-service.js'
import { blobStorage } from './blob-storage.js'
import { blobClient } from './blobs.js'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const app = Fastify({ logger: { level: 'warn' } })

// In a real set-up this is another process, on another machine.
const token = randomUUID()
const service = await createBlobService({ directory: 'App_Data/blobs', token })
const storage = blobStorage(blobClient({ url: await service.listen({ host: '127.0.0.1', port: 0 }), token }))

await app.register(editor, {
  editorApiUrl: EDITOR_API_URL,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: PUBLIC_BASE_URL,
  storage
})

const [first] =
  /** @type {string[]} */ ((await service.inject({ url: '/documents', headers: { authorization: `Bearer ${token}` } }))
    .json())
const fileId = first ?? await app.editorControl().createDocument('docx')

app.get('/', async (request, reply) => {
  const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId, {
    name: 'Report.docx'
  })
  return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').send(`<!doctype html>
    <html lang="en"><meta name="viewport" content="width=device-width"><title>Report</title><link rel="icon" href="data:,">
    <style>body { margin: 0 } [data-onlyoffice-editor] { height: 100dvh }</style>${control.render()}`)
})

closeWithProcess(app)
closeWithProcess(service)
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)
