import { once } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { baseUrlOf } from '../../url.js'
import type { ForgottenFile, Parts } from '../parts.js'
import type { Sessions } from '../sessions/sessions.js'
import { lenientRoutes, signedRequest } from '../tokens/request-token.js'
import { answerFor, runCommand } from './commands.js'

const INVALID_TOKEN = 6
const EXPIRED_TOKEN = 7

/** The command service at its two paths. The older one accepts GET, too. Answers always have HTTP status 200. */
export function commandRoutes (app: FastifyInstance, parts: Parts, sessions: Sessions): void {
  async function answer (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const urlOf = (key: string, { fileType, bytes, storedAt }: ForgottenFile): string => {
      const stored = parts.files.put(
        `forgotten/${key}/output.${fileType}`,
        `output.${fileType}`,
        bytes,
        fileType,
        storedAt
      )
      return parts.files.urlOf(stored, baseUrlOf(request.headers), key)
    }
    const signed = signedRequest(request, parts.tokens, 'command')
    const answer = 'rejected' in signed
      ? answerFor(signed.key, signed.rejected === 'expired' ? EXPIRED_TOKEN : INVALID_TOKEN)
      : await runCommand(parts, sessions, signed.fields, { urlOf, sent: once(reply.raw, 'close') })
    return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
  }

  lenientRoutes(app, scope => {
    scope.post('/command', answer)
    scope.route({ method: ['GET', 'POST'], url: '/coauthoring/CommandService.ashx', handler: answer })
  })
}
