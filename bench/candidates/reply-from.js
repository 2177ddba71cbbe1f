// @fastify/reply-from, which passes one path on.
import replyFrom from '@fastify/reply-from'
import Fastify from 'fastify'
import { answerCalls } from '../framework/child.js'

answerCalls({
  /** @param {{ documentServer: string }} options */
  async start ({ documentServer }) {
    const app = Fastify()
    await app.register(replyFrom, { base: documentServer })
    app.get('/cache/files/*', (request, reply) => reply.from(request.url))
    return { origin: await app.listen({ port: 0, host: '127.0.0.1' }) }
  }
})
