import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ConversionCode } from '../conversions/failures.js'
import { fromFileRoute } from '../conversions/from-file.js'
import type { Parts } from '../parts.js'
import { lenientRoutes, signedFields, signedRequest } from '../tokens/request-token.js'
import { baseUrlOf } from '../../url.js'
import { type Build, builds } from './builds.js'

/** `/docbuilder`. The HTTP status is always 200. Source: docs/document-server-protocol.md#document-builder */
export function builderRoutes (app: FastifyInstance, parts: Parts): void {
  const { files, tokens } = parts
  const build = builds(parts)

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
        'rejected' in signed ? { error: ConversionCode.token } : await build(signed.fields)
      )
    })
  })
  if (parts.build.behavesAs === '10.0') {
    fromFileRoute(app, '/docbuilder/from-file', async (request, reply, { fields, file }) => {
      const signed = signedFields(fields, request, tokens, 'docbuilder', true)
      return await answer(
        request,
        reply,
        'rejected' in signed
          ? { error: ConversionCode.token }
          : await build({ ...signed.fields, key: undefined }, file?.bytes)
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
