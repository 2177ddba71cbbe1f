import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'

const DOCUMENTS = new URL('documents/', import.meta.url)

/**
 * Stores the sample documents in the same way as uploads.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./catalogue.js').Catalogue} catalogue
 */
export async function seed (app, catalogue) {
  const names = await readdir(DOCUMENTS)
  const entries = await Promise.all(names.map(async name => {
    const content = createReadStream(new URL(encodeURIComponent(name), DOCUMENTS))
    const { fileId } = await app.editorControl().uploadDocument(content, name)
    return { id: fileId, name }
  }))
  await catalogue.put(...entries)
}
