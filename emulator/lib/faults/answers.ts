import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Time } from '../clock/time.js'
import type { FaultRegistry } from './registry.js'
import type { AnswerFault, Faults } from '../../types/faults.js'

type AnswerRoute = 'file' | 'converter' | 'command' | 'healthcheck' | 'api'

interface Parts {
  readonly faults: FaultRegistry
  readonly time: Time
  readonly closing: AbortSignal
}

const ROUTES: ReadonlyArray<readonly [path: RegExp, route: AnswerRoute]> = [
  [/^\/cache\/files\//, 'file'],
  [/^\/(converter|ConvertService\.ashx)\/?$/i, 'converter'],
  [/^\/(command|coauthoring\/CommandService\.ashx)\/?$/i, 'command'],
  [/^\/healthcheck\/?$/i, 'healthcheck'],
  [/\/api\.js$/, 'api']
]

/** By the system's clock, not the injected one: the client reads in real time. */
const READ_BY_CLIENT_MS = 10

const ERROR_PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Something went wrong</h1></body></html>'

/** Spoils answers as `fault()` asked. The right answer is made first, so that what it does has been done. */
export function answerFaults (app: FastifyInstance, { faults, time, closing }: Parts): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const path = request.url.split('?', 1)[0]!
    const route = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
    const fault: Faults[AnswerRoute] | undefined = route === undefined ? undefined : faults.take(route)
    if (fault === undefined) return payload
    const body = await bytesOf(payload)
    if (fault.type === 'origin') return body.toString().replace(/https?:\/\/[^/]+(?=\/cache\/files\/)/, fault.origin)
    return await spoiled(fault, reply, body, { time, closing })
  })
}

async function spoiled (fault: AnswerFault, reply: FastifyReply, body: Buffer, { time, closing }: Omit<Parts, 'faults'>): Promise<unknown> {
  const { socket } = reply.request.raw
  const announced = (length: number) => reply.header('content-length', length)
  const end = endOf(reply)
  const pass = async (milliseconds: number) => await time.hold(milliseconds, AbortSignal.any([closing, end]))
  switch (fault.type) {
    case 'delay':
      await pass(fault.ms)
      return body
    case 'answer':
    case 'html': return other(fault, reply)
    case 'length':
      announced(Math.max(body.length + fault.by, 0))
      return closedAfter(body, socket)
    case 'drip':
      announced(body.length)
      return dripping(body, fault, pass)
    case 'stall':
      announced(body.length)
      return cut(reply, body, fault.afterBytes, async () => { if (!end.aborted) await once(end, 'abort') })
    case 'reset':
      announced(body.length)
      return cut(reply, body, fault.afterBytes, async () => await reset(socket))
  }
}

function other (fault: Extract<AnswerFault, { type: 'answer' | 'html' }>, reply: FastifyReply): unknown {
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
  if (fault.type === 'html') {
    reply.code(fault.status ?? 200).type('text/html; charset=utf-8')
    return ERROR_PAGE
  }
  reply.code(fault.status).headers(fault.headers ?? {})
  return typeof fault.body === 'string' ? fault.body : Buffer.from(fault.body ?? '')
}

/** Streams, because what fastify is given whole it announces with the right length. */
function closedAfter (body: Buffer, socket: Socket): Readable {
  return Readable.from((async function * () {
    yield body
    await new Promise(resolve => setImmediate(resolve)) // the body is on its way before the connection ends
    socket.end()
  })(), { objectMode: false })
}

function dripping (body: Buffer, { bytes = 1024, everyMs = 1000 }: { bytes?: number, everyMs?: number }, pass: (milliseconds: number) => Promise<void>): Readable {
  return Readable.from((async function * () {
    for (let start = 0; start < body.length; start += bytes) {
      if (start > 0) await pass(everyMs)
      yield body.subarray(start, start + bytes)
    }
  })(), { objectMode: false })
}

function cut (reply: FastifyReply, body: Buffer, afterBytes = 0, then: () => Promise<void>): Readable {
  return Readable.from((async function * () {
    reply.raw.flushHeaders() // without a byte of the body they would wait for one
    if (afterBytes > 0) yield body.subarray(0, afterBytes)
    await new Promise(resolve => setImmediate(resolve))
    await then()
  })(), { objectMode: false })
}

/** A client that finds the last bytes and the reset at once takes it for the end. */
async function reset (socket: Socket): Promise<void> {
  do await delay(READ_BY_CLIENT_MS)
  while (socket.writableLength > 0 && !socket.destroyed)
  socket.resetAndDestroy()
}

/** Aborted when the answer has been sent or nobody is there to take it. */
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
