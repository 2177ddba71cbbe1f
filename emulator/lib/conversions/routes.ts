import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { baseUrlOf } from '../base-url.js'
import { ConversionCode, type Conversions, type ConversionOutcome } from './conversions.js'
import { signedRequest } from '../tokens/request-token.js'
import type { ResultFiles } from '../results/files.js'
import type { Tokens } from '../tokens/tokens.js'

interface Parts {
  readonly conversions: Conversions
  readonly files: ResultFiles
  readonly tokens: Tokens
  readonly url: () => string
}

interface Result {
  readonly fileUrl: string
  readonly fileType: string
}

/** `/converter` answers JSON, the older `/ConvertService.ashx` XML, unless `Accept` names the other. Always HTTP 200. */
export function conversionRoutes (app: FastifyInstance, { conversions, files, tokens, url }: Parts): void {
  let lastShardKey: string | undefined

  async function convert (request: FastifyRequest, reply: FastifyReply, xmlByDefault: boolean): Promise<FastifyReply> {
    const accept = request.headers.accept ?? ''
    const asXml = xmlByDefault ? !accept.includes('application/json') : /\b(application|text)\/xml\b/.test(accept)
    const signed = signedRequest(request, tokens)
    const outcome = 'rejected' in signed
      ? { error: ConversionCode.token }
      : await conversions.convert(signed.fields)
    const result = typeof outcome === 'object' && 'path' in outcome ? withUrl(request, outcome) : outcome
    return asXml
      ? reply.type('text/xml; charset=UTF-8').send(Buffer.from(xmlOf(result)))
      : reply.type('application/json; charset=UTF-8').send(Buffer.from(jsonOf(result)))
  }

  function withUrl (request: FastifyRequest, outcome: Exclude<ConversionOutcome, 'pending' | { error: number }>): Result {
    const key = /\/conv_(.*)_-?\d+\/output\./.exec(outcome.path)?.[1] ?? ''
    // Source: recorded; without a shardkey the address has that of an earlier request.
    const { shardkey } = request.query as { shardkey?: string }
    lastShardKey = shardkey ?? lastShardKey
    return { fileUrl: files.urlOf(outcome.path, baseUrlOf(request, url()), lastShardKey ?? key), fileType: outcome.fileType }
  }

  app.post('/converter', async (request, reply) => await convert(request, reply, false))
  app.post('/ConvertService.ashx', async (request, reply) => await convert(request, reply, true))
}

type Answer = Result | { readonly error: number } | 'pending'

function jsonOf (answer: Answer): string {
  if (answer === 'pending') return JSON.stringify({ percent: 0, endConvert: false })
  if ('error' in answer) return JSON.stringify(answer)
  return JSON.stringify({ ...answer, percent: 100, endConvert: true })
}

function xmlOf (answer: Answer): string {
  const declaration = '<?xml version="1.0" encoding="utf-8"?>'
  if (answer === 'pending') return `${declaration}<FileResult><FileUrl/><FileType/><Percent>0</Percent><EndConvert>False</EndConvert></FileResult>`
  if ('error' in answer) return `${declaration}<FileResult><Error>${answer.error}</Error></FileResult>`
  const url = answer.fileUrl.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `${declaration}<FileResult><FileUrl>${url}</FileUrl><FileType>${answer.fileType}</FileType><Percent>100</Percent><EndConvert>True</EndConvert></FileResult>`
}
