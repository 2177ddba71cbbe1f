/*
EDITOR_API_URL, JWT_SECRET, PUBLIC_BASE_URL   the plugin's options editorApiUrl, jwtSecret and publicBaseUrl
HOST, PORT                                    IP address and port to listen on. Default: 127.0.0.1, 3000
METRICS_HOST, METRICS_PORT                    the same for GET /metrics. Default: 127.0.0.1, 9464
*/
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'
import { prometheus } from './prometheus.js'

const {
  EDITOR_API_URL = '',
  JWT_SECRET = '',
  PUBLIC_BASE_URL = '',
  HOST = '127.0.0.1',
  PORT = '3000',
  METRICS_HOST = '127.0.0.1',
  METRICS_PORT = '9464'
} = process.env

const metrics = Fastify()
await metrics.register(prometheus)
await metrics.listen({ host: METRICS_HOST, port: Number(METRICS_PORT) })

const app = Fastify({ logger: true })
await app.register(editor, { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, publicBaseUrl: PUBLIC_BASE_URL })
app.addHook('onClose', async () => await metrics.close())
app.get('/edit/:fileId', async (request, reply) => {
  const { fileId } = /** @type {{ fileId: string }} */ (request.params)
  const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
  return reply.type('text/html').header('cache-control', 'no-store').send(`<!doctype html>
    <html lang="en">
    <meta name="viewport" content="width=device-width">
    <title>Document</title>
    <style>body { margin: 0 }</style>
    ${control.render()}`)
})
app.log.info(`metrics at ${metrics.listeningOrigin}/metrics`)
await app.listen({ host: HOST, port: Number(PORT) })
