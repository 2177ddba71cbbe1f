import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import type { DocumentServer } from '../../lib/index.js'
import { forgedToken } from '../../../test/kit/document-server.js'
import type { SeenAnswer } from './log.js'
import { type Call, type Headers, type Json, type JsonObject, RECORDED, SECRET } from './recording.js'

/** A token signed as the recorded one was. */
export function signed (claims: JsonObject, signedWith = SECRET): string {
  return forgedToken(claims, { secret: signedWith })
}

/** The same JSON, naming our host. */
export function toHost<Value> (value: Value, host: string): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(RECORDED.host, host)) as Value
}

export interface Sent {
  readonly answer: Promise<SeenAnswer>
  /** Resolves as soon as the document server has answered: before the answer is here. */
  readonly answered: Promise<unknown>
  isAnswered (): boolean
  giveUp (): void
}

/** Calls the document server. Resolves when the call has arrived there. */
export async function send (server: DocumentServer, path: string, call: Call): Promise<Sent> {
  const { method, headers, body, headerClaims, bodyClaims, signedWith } = call
  const request = http.request(`${server.url}${path}`, {
    method,
    agent: false,
    headers: { Connection: 'keep-alive', ...headers, ...(headerClaims === undefined ? {} : { Authorization: `Bearer ${signed(headerClaims, signedWith)}` }) }
  })
  const answer = received(request)
  const arrived = once(server.server, 'request')
  request.end(body === undefined ? '' : JSON.stringify(bodyClaims === undefined ? body : { ...body, token: signed(bodyClaims, signedWith) }))
  const [, response] = await arrived as [http.IncomingMessage, http.ServerResponse]
  return {
    answer,
    answered: once(response, 'prefinish'),
    isAnswered: () => response.writableEnded,
    giveUp () {
      answer.catch(() => {})
      request.destroy()
    }
  }
}

async function received (request: http.ClientRequest): Promise<SeenAnswer> {
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  const bytes = Buffer.concat(await response.toArray() as Buffer[])
  request.destroy()
  return { status: response.statusCode!, headers: response.headers as Headers, body: bodyOf(response, bytes) }
}

function bodyOf ({ statusCode, headers }: http.IncomingMessage, bytes: Buffer): Json {
  const type = headers['content-type'] ?? ''
  if (statusCode === 206) return { bytes: bytes.length }
  if (type.startsWith('application/json')) {
    const json = JSON.parse(bytes.toString()) as Json
    return JSON.stringify(json) === bytes.toString() ? json : bytes.toString()
  }
  return type.startsWith('text/') ? bytes.toString() : { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
