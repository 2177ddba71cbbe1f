/*
The settings of ../environment.js are those of the customer North. South has its own document server:

SOUTH_EDITOR_API_URL, SOUTH_JWT_SECRET    Default: an emulated one
*/
import { closeWithProcess, startDocumentServer } from '../environment.js'
import { randomBytes } from 'node:crypto'
import Fastify from 'fastify'
import { firstDocument } from '../first-document.js'
import { tenantRoutes } from './tenant.js'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const { SOUTH_JWT_SECRET = randomBytes(32).toString('hex') } = process.env
const { SOUTH_EDITOR_API_URL = (await startDocumentServer(SOUTH_JWT_SECRET)).editorApiUrl } = process.env

const tenants = [
  { name: 'north', editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, directory: 'App_Data/north' },
  { name: 'south', editorApiUrl: SOUTH_EDITOR_API_URL, jwtSecret: SOUTH_JWT_SECRET, directory: 'App_Data/south' }
]

const app = Fastify({ logger: { level: 'warn' } })
for (const tenant of tenants) {
  await firstDocument(tenant.directory)
  await app.register(tenantRoutes, { prefix: `/${tenant.name}`, tenant, publicBaseUrl: PUBLIC_BASE_URL })
}

closeWithProcess(app)
await app.listen({ host: HOST, port: Number(PORT) })
for (const { name } of tenants) console.log(`Open http://${HOST}:${PORT}/${name}/report`)
