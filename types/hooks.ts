import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/** The second argument of every hook. */
export interface HookContext {
  /** The request that waits for the hook, if a page or another client of the application sent one. */
  readonly request?: FastifyRequest | undefined
  /** A logger whose lines contain the plugin, the hook, and the event's `fileId` and `key`. */
  readonly log: FastifyBaseLogger
  /** Aborted when nobody waits for the hook any more, because its time is up or the application closes. */
  readonly signal: AbortSignal
}

/** The second argument of hooks that always run for a request. */
export interface RequestHookContext extends HookContext {
  readonly request: FastifyRequest
}
