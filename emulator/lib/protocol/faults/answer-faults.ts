import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Parts } from '../parts.js'
import type { AnswerFault, Faults } from '../../../types/faults.js'

type AnswerRoute = 'file' | 'converter' | 'command' | 'builder' | 'formats' | 'healthcheck' | 'api'

const ROUTES: ReadonlyArray<readonly [path: RegExp, route: AnswerRoute]> = [
  [/^\/cache\/files\//, 'file'],
  [/^\/(converter(\/from-file)?|ConvertService\.ashx)\/?$/i, 'converter'],
  [/^\/(command|coauthoring\/CommandService\.ashx)\/?$/i, 'command'],
  [/^\/docbuilder(\/from-file)?\/?$/i, 'builder'],
  [/^\/meta\/formats\/?$/i, 'formats'],
  [/^\/healthcheck\/?$/i, 'healthcheck'],
  [/\/api\.js$/, 'api']
]

const FILE_ORIGIN = /https?:\/\/[^/"\s]+(?=\/(?:[^"<?\s]*\/)?cache\/files\/)/g

/** In real time, not by the injected clock: the client reads in real time, too. */
const READ_BY_CLIENT_MS = 10

const ERROR_PAGE =
  '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>'

/** Applies faults to answers. The request is handled normally first, so that its effects happen. */
export function answerFaults (app: FastifyInstance, { faults, time, closing }: Parts): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const path = request.url.split('?', 1)[0]!
    const route = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
    const fault: Faults[AnswerRoute] | undefined = route === undefined ? undefined : faults.take(route)
    if (fault === undefined) return payload
    const body = await bytesOf(payload)
    if (fault.type === 'origin') return body.toString().replaceAll(FILE_ORIGIN, fault.origin)
    return await withFault(fault, reply, body, { time, closing })
  })
}

async function withFault (
  fault: AnswerFault,
  reply: FastifyReply,
  body: Buffer,
  { time, closing }: Pick<Parts, 'closing' | 'time'>
): Promise<unknown> {
  const { socket } = reply.request.raw
  const setLength = (length: number) => reply.header('content-length', length)
  const end = endOf(reply)
  const pass = async (milliseconds: number) => await time.hold(milliseconds, AbortSignal.any([closing, end]))
  switch (fault.type) {
    case 'delay':
      await pass(fault.ms)
      return body
    case 'answer':
    case 'html': return replacement(fault, reply)
    case 'length':
      setLength(Math.max(body.length + fault.by, 0))
      return streamOf(withClosedEnd(body, socket))
    case 'drip':
      setLength(body.length)
      return streamOf(inPieces(body, fault, pass))
    case 'stall':
      setLength(body.length)
      return streamOf(truncated(reply, body, fault.afterBytes, async () => { if (!end.aborted) await once(end, 'abort') }))
    case 'reset':
      setLength(body.length)
      return streamOf(truncated(reply, body, fault.afterBytes, async () => await reset(socket)))
  }
}

function replacement (fault: Extract<AnswerFault, { type: 'answer' | 'html' }>, reply: FastifyReply): unknown {
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
  if (fault.type === 'html') {
    reply.code(fault.status ?? 200).type('text/html; charset=utf-8')
    return ERROR_PAGE
  }
  reply.code(fault.status).headers(fault.headers ?? {})
  return typeof fault.body === 'string' ? fault.body : Buffer.from(fault.body ?? '')
}

/** A stream: for a string or buffer, Fastify would correct the length. */
function streamOf (pieces: AsyncIterable<Buffer>): Readable {
  return Readable.from(pieces, { objectMode: false })
}

async function * withClosedEnd (body: Buffer, socket: Socket): AsyncGenerator<Buffer> {
  yield body
  await new Promise(resolve => setImmediate(resolve)) // sends the body before the connection ends
  socket.end()
}

async function * inPieces (
  body: Buffer,
  { bytes = 1024, everyMs = 1000 }: { bytes?: number, everyMs?: number },
  pass: (milliseconds: number) => Promise<void>
): AsyncGenerator<Buffer> {
  for (let start = 0; start < body.length; start += bytes) {
    if (start > 0) await pass(everyMs)
    yield body.subarray(start, start + bytes)
  }
}

async function * truncated (
  reply: FastifyReply, body: Buffer, afterBytes = 0, then: () => Promise<unknown>
): AsyncGenerator<Buffer> {
  reply.raw.flushHeaders() // otherwise they wait for the first byte of the body
  if (afterBytes > 0) yield body.subarray(0, afterBytes)
  await new Promise(resolve => setImmediate(resolve))
  await then()
}

/**
 * Waits until the client has read the last bytes: one that sees them and the reset at once takes it for a normal end.
 */
async function reset (socket: Socket): Promise<void> {
  do await delay(READ_BY_CLIENT_MS)
  while (socket.writableLength > 0 && !socket.destroyed)
  socket.resetAndDestroy()
}

/** Aborted when the answer has been sent or the client is gone. */
function endOf ({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController()
  if (raw.closed) end.abort()
  else raw.once('close', () => end.abort())
  return end.signal
}

async function bytesOf (payload: unknown): Promise<Buffer> {
  if (payload instanceof Readable) return Buffer.concat(await payload.toArray())
  if (typeof payload === 'string' || payload instanceof Uint8Array) return Buffer.from(payload as Uint8Array)
  return Buffer.alloc(0)
}
