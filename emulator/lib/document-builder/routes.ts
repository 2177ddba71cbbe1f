import type { FastifyInstance } from 'fastify'
import { ConversionCode } from '../conversions/error-codes.js'
import type { ResultFiles } from '../result-files/files.js'
import { lenientRoutes, signedRequest } from '../tokens/request-token.js'
import type { Tokens } from '../tokens/tokens.js'
import { baseUrlOf } from '../url.js'
import type { Build, Builds } from './builds.js'

interface Parts {
  readonly builds: Builds
  readonly files: ResultFiles
  readonly tokens: Tokens
  readonly url: () => string
}

/** `/docbuilder`. The HTTP status is always 200. Source: docs/document-server-protocol.md#document-builder */
export function builderRoutes (app: FastifyInstance, { builds, files, tokens, url }: Parts): void {
  function answerOf ({ key, outcome }: Build, baseUrl: string): object {
    if (outcome === 'pending') return { key, end: false }
    if ('error' in outcome) return outcome
    const urls = Object.fromEntries([...outcome.paths].map(([name, path]) => [name, files.urlOf(path, baseUrl, String(key))]))
    return { key, urls, end: true }
  }

  lenientRoutes(app, scope => {
    scope.post('/docbuilder', async (request, reply) => {
      const signed = signedRequest(request, tokens)
      const answer = 'rejected' in signed
        ? { error: ConversionCode.token }
        : answerOf(await builds.build(signed.fields), baseUrlOf(request, url()))
      return await reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
    })
  })
}
