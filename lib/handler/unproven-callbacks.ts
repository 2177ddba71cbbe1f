import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { createCountingLimit } from './line-limit.js'
import { namedFileId } from './request.js'

const INTERVAL_MS = 60_000
/** Of each kind within that time. */
const MAX_LINES = 10
/** More than callbacks can cause without proof, besides the codes of what hooks of the application throw. */
const MAX_KINDS = 50
/** A reason may quote what the sender has chosen, such as names of headers. */
const MAX_REASON_CHARACTERS = 500

/**
 * Logs that a callback was refused of which nothing proves that the document server sent it. Anybody can cause that as often as they
 * like: the lines are few and short, and differ from the one of a save that was refused, which is to alert somebody.
 */
export function createUnprovenLog () {
  const take = createCountingLimit({ interval: INTERVAL_MS, max: MAX_LINES, maxKinds: MAX_KINDS })

  /** `isUrlSigned`: the sender knows the callback URL, as the document server does, and users for whom the document was opened. */
  return function logUnproven (request: FastifyRequest, reply: FastifyReply, { error, isUrlSigned }: { readonly error: FastifyError, readonly isUrlSigned: boolean }): void {
    const { code, message, found } = error as FastifyError & { readonly found?: object }
    const { isDue, suppressed } = take(`${code} ${isUrlSigned}`)
    if (!isDue) return
    request.log.warn({
      err: { code, message: message.slice(0, MAX_REASON_CHARACTERS), ...(found && { found }) },
      fileId: namedFileId(request),
      isUrlSigned,
      ...(suppressed > 0 && { suppressed }),
      durationMs: reply.elapsedTime
    }, 'an unproven callback was refused: if the document server sent it, it keeps the unsaved changes')
  }
}
