import Fastify = require('fastify')
import editor = require('fastify-onlyoffice')
import type { EditorControl, FastifyOnlyofficeOptions } from 'fastify-onlyoffice'

const options: FastifyOnlyofficeOptions = {
  editorApiUrl: 'https://docs.example.com/web-apps/apps/api/documents/api.js',
  jwtSecret: 'secret',
  publicBaseUrl: 'https://app.example.com',
  storage: editor.memoryStorage(),
  httpClient: editor.undiciClient()
}

async function start (): Promise<string> {
  const app = Fastify()
  await app.register(editor, options)
  const { fileId } = await app.editorStorage.create('docx', new Uint8Array())
  const control: EditorControl = await app.editorControl({ user: { id: '7', name: 'Ada' } }).openDocument(fileId)
  const code: string = new editor.FileNotFoundError().code
  // @ts-expect-error there is no such profile
  await app.register(editor, { ...options, profile: 'lax' })
  // @ts-expect-error there is no such export
  editor.noStorage()
  return control.render() + code
}

export = start
