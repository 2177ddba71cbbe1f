import { channel } from 'node:diagnostics_channel'
import type { DiagnosticsMessages } from '../types/diagnostics.js'

/*
 * These are plain channels with one message at the end instead of a `TracingChannel`. Everything about an operation is
 * known at one moment, often without a function that lasts until then: a download ends in the operating system, a
 * session at another callback. A metric needs only that message, and a span can be made from it, because `durationMs`
 * gives its start. With the five channels of a `TracingChannel`, every subscriber would have to match and measure their
 * messages. The drawback is that a span made from a message cannot be the parent of what happened meanwhile, such as
 * the request that fetched the saved file.
 */

export interface DiagnosticsChannel<Message> {
  readonly hasSubscribers: boolean
  /** Never throws. An error thrown by a subscriber becomes an `uncaughtException` in the next tick. */
  publish (message: Message): void
}

/** Diagnostics channels for operators. Check `hasSubscribers` before measuring or building anything for a message. */
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
 * Publishes one message when a call has ended. The message contains `subject` and either the fields that `ended` makes
 * from the result, or the failure.
 */
export async function reportEnd<Result, Message extends CallMessage> (
  channel: DiagnosticsChannel<Message>, subject: Partial<Message>, call: () => Promise<Result>,
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

/** The `code` of an error in messages. Falls back to the name: the code of a DOMException is a number. */
export function codeOf (error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown, readonly name?: unknown }
  if (typeof code === 'string' && code !== '') return code
  return typeof name === 'string' ? name : 'Error'
}
