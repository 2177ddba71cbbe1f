import { basename, extname } from 'node:path/posix'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { baseUrlOf } from '../../url.js'
import { ConversionCode } from './failures.js'
import { fromFileRoute } from './from-file.js'
import { type ConversionOutcome, conversions } from './conversions.js'
import { lenientRoutes, signedFields, signedRequest } from '../tokens/request-token.js'
import type { Parts } from '../parts.js'

interface Result {
  readonly fileUrl: string
  readonly fileType: string
}

type MediaType = 'application/json' | 'application/xml'

/**
 * `/converter` answers with JSON and the older `/ConvertService.ashx` with XML, unless `Accept` prefers the other. The
 * HTTP status is always 200.
 */
export function conversionRoutes (app: FastifyInstance, parts: Parts): void {
  const { files, tokens } = parts
  const { convert: converted, convertFile } = conversions(parts)
  let lastShardKey: string | undefined

  async function convert (request: FastifyRequest, reply: FastifyReply, byDefault: MediaType): Promise<FastifyReply> {
    const signed = signedRequest(request, tokens, 'converter')
    const outcome = 'rejected' in signed
      ? { error: ConversionCode.token }
      : await converted(signed.fields)
    const result = typeof outcome === 'object' && 'path' in outcome ? withUrl(request, outcome) : outcome
    return preferredType(request, byDefault) === 'application/xml'
      ? reply.type('text/xml; charset=UTF-8').send(Buffer.from(xmlOf(result)))
      : sendJson(reply, result)
  }

  function withUrl (
    request: FastifyRequest,
    outcome: Exclude<ConversionOutcome, 'pending' | { error: number }>
  ): Result {
    const key = /\/conv_(.*)_-?\d+\/output\./.exec(outcome.path)?.[1] ?? ''
    // Source: recorded. Without a shardkey the URL has that of an earlier request.
    const { shardkey } = request.query as { shardkey?: string }
    lastShardKey = shardkey ?? lastShardKey
    return {
      fileUrl: files.urlOf(outcome.path, baseUrlOf(request.headers), lastShardKey ?? key),
      fileType: outcome.fileType
    }
  }

  lenientRoutes(app, scope => {
    scope.post('/converter', async (request, reply) => await convert(request, reply, 'application/json'))
    scope.route({
      method: ['GET', 'POST'],
      url: '/ConvertService.ashx',
      handler: async (request, reply) => await convert(request, reply, 'application/xml')
    })
  })
  if (parts.build.behavesAs === '10.0') {
    fromFileRoute(app, '/converter/from-file', async (request, reply, { fields, file }) => {
      const signed = signedFields(fields, request, tokens, 'converter', true)
      if ('rejected' in signed) return sendJson(reply, { error: ConversionCode.token })
      const outcome = await convertFile({
        filetype: extname(file?.name ?? '').slice(1),
        title: file?.name,
        ...signed.fields
      }, file?.bytes)
      if (outcome === 'pending' || 'error' in outcome) return sendJson(reply, outcome)
      const { bytes, mediaType } = files.at(outcome.path)!
      return reply.type(mediaType).header(
        'Content-Disposition',
        contentDisposition(decodeURIComponent(basename(outcome.path)))
      ).send(Buffer.from(bytes))
    })
  }
}

function sendJson (reply: FastifyReply, answer: Answer): FastifyReply {
  const content = answer === 'pending'
    ? { percent: 0, endConvert: false }
    : 'error' in answer ? answer : { ...answer, percent: 100, endConvert: true }
  return reply.type('application/json; charset=UTF-8').send(Buffer.from(JSON.stringify(content)))
}

function contentDisposition (name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, character => `%${character.charCodeAt(0).toString(16)}`)}`
}

/** The media type that `Accept` prefers, else the default. `text/xml` does not count as `application/xml`. */
function preferredType ({ raw }: FastifyRequest, byDefault: MediaType): string {
  const available = byDefault === 'application/json'
    ? ['application/json', 'application/xml']
    : ['application/xml', 'application/json']
  return new Negotiator(raw).mediaType(available) ?? byDefault
}

type Answer = Result | { readonly error: number } | 'pending'

function xmlOf (answer: Answer): string {
  const declaration = '<?xml version="1.0" encoding="utf-8"?>'
  if (answer === 'pending') {
    return `${declaration}<FileResult><FileUrl/><FileType/><Percent>0</Percent><EndConvert>False</EndConvert></FileResult>`
  }
  if ('error' in answer) return `${declaration}<FileResult><Error>${answer.error}</Error></FileResult>`
  const url = answer.fileUrl.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `${declaration}<FileResult><FileUrl>${url}</FileUrl><FileType>${answer.fileType}</FileType><Percent>100</Percent><EndConvert>True</EndConvert></FileResult>`
}
