// @fastify/static with one document.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import files from '@fastify/static'
import Fastify from 'fastify'
import { answerCalls } from '../framework/child.js'
import { content } from '../framework/content.js'

answerCalls({
  /** @param {{ folder: string, size: number }} options */
  async start ({ folder, size }) {
    const root = join(folder, 'static')
    await mkdir(root, { recursive: true })
    await writeFile(join(root, 'document.txt'), content(size, 0))
    const app = Fastify()
    await app.register(files, { root })
    return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), downloadPath: '/document.txt' }
  }
})
