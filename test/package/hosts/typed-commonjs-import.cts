import type { FastifyOnlyofficeOptions } from 'fastify-onlyoffice' with { 'resolution-mode': 'import' }
import Fastify = require('fastify')

async function start (options: FastifyOnlyofficeOptions): Promise<string> {
  const { default: editor, FileNotFoundError, memoryStorage } = await import('fastify-onlyoffice')
  const app = Fastify()
  await app.register(editor, { ...options, storage: memoryStorage() })
  const code: string = new FileNotFoundError().code
  // @ts-expect-error there is no such profile
  await app.register(editor, { ...options, profile: 'lax' })
  // @ts-expect-error a required option is missing
  await app.register(editor, { jwtSecret: 'secret' })
  return app.editorControl().render() + code
}

export = start
