import '../environment.js'
import { mkdir } from 'node:fs/promises'
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { documentStorage } from 'fastify-onlyoffice/storage'
import { closeWithProcess } from '../environment.js'
import { sqliteDriver } from './sqlite-driver.js'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const app = Fastify({ logger: { level: 'warn' } })

await mkdir('App_Data', { recursive: true })
const driver = sqliteDriver('App_Data/documents.db')
const storage = documentStorage(driver)

await app.register(editor, {
  editorApiUrl: EDITOR_API_URL,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: PUBLIC_BASE_URL,
  storage
})

const { value: first } = await driver.list()[Symbol.asyncIterator]().next()
const fileId = first ?? (await app.editorControl().createDocument('docx')).fileId

app.get('/', async (request, reply) => {
  const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId, {
    title: 'Report.docx'
  })
  return reply.editor(control)
})

closeWithProcess(app)
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)
