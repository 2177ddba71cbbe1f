import { closeWithProcess } from '../environment.js'
import { randomBytes } from 'node:crypto'
import { createApp } from './app.js'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const {
  COOKIE_SECRET = randomBytes(32).toString('hex'),
  CORS_ORIGIN = 'https://intranet.example',
  PER_MINUTE = '300'
} = process.env

const app = await createApp({
  cookieSecret: COOKIE_SECRET,
  corsOrigin: CORS_ORIGIN,
  perMinute: Number(PER_MINUTE),
  directory: 'App_Data/company-app',
  editor: { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, publicBaseUrl: PUBLIC_BASE_URL }
})
closeWithProcess(app)
await app.listen({ host: HOST, port: Number(PORT) })
console.log(`Open http://${HOST}:${PORT}`)
