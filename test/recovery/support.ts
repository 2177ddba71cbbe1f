import type { FastifyInstance } from 'fastify'

/** A switch in front of the application: while it is off, every connection is reset before the plugin sees the request. */
export function powerSwitch () {
  const power = {
    isOn: true,
    prepare (app: FastifyInstance) {
      app.addHook('onRequest', async (request, reply) => {
        if (power.isOn) return
        request.raw.socket.resetAndDestroy()
        return reply.hijack()
      })
    }
  }
  return power
}

export async function textOf (content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
