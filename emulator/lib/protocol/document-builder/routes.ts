import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConversionCode } from '../conversions/error-codes.js'
import { fromFileRoute } from '../conversions/from-file.js'
import type { ResultFiles } from '../result-files/files.js'
import { lenientRoutes, signedFields, signedRequest } from '../tokens/request-token.js'
import type { Tokens } from '../tokens/tokens.js'
import { baseUrlOf } from '../../url.js'
import type { Build, Builds } from './builds.js'

interface Parts {
  readonly builds: Builds
  readonly files: ResultFiles
  readonly tokens: Tokens
  readonly hasFromFile: boolean
}

/** `/docbuilder`. The HTTP status is always 200. Source: docs/document-server-protocol.md#document-builder */
export function builderRoutes (app: FastifyInstance, { builds, files, tokens, hasFromFile }: Parts): void {
  function answerOf ({ key, outcome }: Build, baseUrl: string): object {
    if (outcome === 'pending') return { key, end: false }
    if ('error' in outcome) return outcome
    const urls = Object.fromEntries(
      [...outcome.paths].map(([name, path]) => [name, files.urlOf(path, baseUrl, String(key))])
    )
    return { key, urls, end: true }
  }

  lenientRoutes(app, scope => {
    scope.post('/docbuilder', async (request, reply) => {
      const signed = signedRequest(request, tokens, 'docbuilder')
      return await answer(
        request,
        reply,
        'rejected' in signed ? { error: ConversionCode.token } : await builds.build(signed.fields)
      )
    })
  })
  if (hasFromFile) {
    fromFileRoute(app, '/docbuilder/from-file', async (request, reply, { fields, file }) => {
      const signed = signedFields(fields, request, tokens, 'docbuilder', true)
      return await answer(
        request,
        reply,
        'rejected' in signed
          ? { error: ConversionCode.token }
          : await builds.build({ ...signed.fields, key: undefined }, file?.bytes)
      )
    })
  }

  async function answer (
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: Build | { readonly error: number }
  ): Promise<FastifyReply> {
    return await reply.type('application/json').send(
      Buffer.from(JSON.stringify('outcome' in outcome ? answerOf(outcome, baseUrlOf(request.headers)) : outcome))
    )
  }
}
