import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonObject } from '../../json.js'
import { ConversionCode } from './failures.js'

/** The parts of a form with a file. */
export interface FromFileForm {
  /** Of the part `params`, with the token of the part `token`. */
  readonly fields: Record<string, unknown>
  readonly file?: { readonly name: string, readonly bytes: Uint8Array }
}

// Source: the document server's default of maxDownloadBytes.
const MAX_FILE_BYTES = 104_857_600
const KNOWN_PARTS = new Set(['params', 'token', 'file'])

/**
 * A route that takes a file in the request, as multipart/form-data. A larger file than the document server downloads
 * gives HTTP 413, any other part or malformed parameters the error -7. Source:
 * docs/document-server-protocol.md#files-in-requests
 */
export function fromFileRoute (
  app: FastifyInstance,
  path: string,
  handle: (request: FastifyRequest, reply: FastifyReply, form: FromFileForm) => Promise<FastifyReply>
): void {
  app.register(async scope => {
    await scope.register(multipart, { limits: { fileSize: MAX_FILE_BYTES } })
    scope.post(path, { bodyLimit: 2 * MAX_FILE_BYTES }, async (request, reply) => {
      const form = request.isMultipart() ? await formOf(request) : undefined
      return form
        ? await handle(request, reply, form)
        : await reply.type('application/json').send(JSON.stringify({ error: ConversionCode.input }))
    })
  })
}

/**
 * `undefined` if it has another part, or a part twice. Rejects with an error of status 413 for a file that is too
 * large.
 */
async function formOf (request: FastifyRequest): Promise<FromFileForm | undefined> {
  const parts = new Map<string, string>()
  let file: FromFileForm['file']
  let isKnown = true
  for await (const part of request.parts()) {
    isKnown &&= KNOWN_PARTS.has(part.fieldname) && !parts.has(part.fieldname)
    parts.set(part.fieldname, part.type === 'file' ? '' : String(part.value))
    if (part.type === 'file') file = { name: part.filename, bytes: await part.toBuffer() }
  }
  const params = jsonObject(parts.get('params') ?? '{}')
  if (!isKnown || params === undefined || (parts.has('file') && file === undefined)) return undefined
  const token = parts.get('token')
  return { fields: { ...params, ...(token !== undefined && { token }) }, ...(file && { file }) }
}
