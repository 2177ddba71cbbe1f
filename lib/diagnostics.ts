import { channel } from 'node:diagnostics_channel'
import type { DiagnosticsMessages } from '../types/diagnostics.js'

/*
 * Plain channels with one message at the end, and no `TracingChannel`. What they report has one moment at which
 * everything is known, and often no function that lasts until then: a download ends in the operating system, a session
 * at another callback. A metric needs that message only, and a span can be made of it, because `durationMs` tells when
 * it began. With the five channels of a `TracingChannel` every subscriber would have to match and measure them. The
 * price is that a span made of a message cannot be the parent of what happened meanwhile, such as the request that
 * fetched the saved file.
 */

export interface DiagnosticsChannel<Message> {
  readonly hasSubscribers: boolean
  /** Never throws. What subscribers throw becomes an `uncaughtException` in the next tick. */
  publish (message: Message): void
}

/**
 * What operators can subscribe to. To be asked for `hasSubscribers` before anything is measured or made for a message.
 */
export const channels = {
  save: named('fastify-onlyoffice:save'),
  download: named('fastify-onlyoffice:download'),
  proxy: named('fastify-onlyoffice:proxy'),
  conversion: named('fastify-onlyoffice:conversion'),
  forceSave: named('fastify-onlyoffice:force-save'),
  restore: named('fastify-onlyoffice:restore'),
  recovery: named('fastify-onlyoffice:recovery'),
  session: named('fastify-onlyoffice:session')
}

function named<Name extends keyof DiagnosticsMessages> (name: Name): DiagnosticsChannel<DiagnosticsMessages[Name]> {
  return channel(name)
}

/** A message about a call that may fail. */
interface CallMessage {
  readonly outcome: string
  readonly code?: string
  readonly durationMs: number
}

/**
 * Publishes one message when a call has ended: about a subject, with what `ended` makes of the result; or that it
 * failed.
 */
export async function reportEnd<Result, Message extends CallMessage> (
  channel: DiagnosticsChannel<Message>,
  subject: Partial<Message>,
  call: () => Promise<Result>,
  ended: (result: Result) => Partial<Message>
): Promise<Result> {
  if (!channel.hasSubscribers) return await call()
  const start = performance.now()
  const publish = (end: object) =>
    channel.publish({ ...subject, ...end, durationMs: performance.now() - start } as Message)
  try {
    const result = await call()
    publish(ended(result))
    return result
  } catch (error) {
    publish({ outcome: 'failed', code: codeOf(error) })
    throw error
  }
}

/** `code` of an error as messages have it. That of a DOMException is a number. */
export function codeOf (error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown, readonly name?: unknown }
  if (typeof code === 'string' && code !== '') return code
  return typeof name === 'string' ? name : 'Error'
}
