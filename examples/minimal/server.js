import './first-run.js' // for a run without settings; not for your application
import Fastify from 'fastify'
import editor from 'fastify-onlyoffice'

const { EDITOR_API_URL = '', JWT_SECRET = '', PUBLIC_BASE_URL = '', HOST = '127.0.0.1', PORT = '3000' } = process.env
const app = Fastify({ logger: true })
await app.register(editor, { editorApiUrl: EDITOR_API_URL, jwtSecret: JWT_SECRET, publicBaseUrl: PUBLIC_BASE_URL })

app.get('/', async (request, reply) => {
  const control = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument('report', {
    title: 'Report.docx'
  })
  return reply.editor(control)
})
await app.listen({ host: HOST, port: Number(PORT) })
