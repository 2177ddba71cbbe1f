import Fastify from 'fastify'
import editor, { fileStorage } from 'fastify-onlyoffice'

const { DIRECTORY, EDITOR_API_URL, JWT_SECRET } = process.env
const app = Fastify()
await app.register(editor, {
  editorApiUrl: EDITOR_API_URL,
  jwtSecret: JWT_SECRET,
  publicBaseUrl: 'http://host.example',
  storage: fileStorage({ directory: DIRECTORY })
})
const control = app.editorControl({ user: { id: '7', name: 'Ada' } })
const { fileId } = await control.setDocumentFromBytes(Buffer.from('first'), 'Notes.txt')
const address = await app.listen({ port: 0, host: '127.0.0.1' })

process.send({ address, fileId, config: control.config })
process.once('message', async () => {
  await app.close()
  process.disconnect()
})
