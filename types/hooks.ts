import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/** What every hook gets besides its event. */
export interface HookContext {
  /** The request that waits for the hook, if a page or another client of the application sent it. */
  readonly request?: FastifyRequest | undefined
  /** A logger whose lines name the plugin and the hook, and the `fileId` and `key` that the hook is about. */
  readonly log: FastifyBaseLogger
  /** Aborted when nobody waits for the hook any more: its time is up, or the application closes. */
  readonly signal: AbortSignal
}

/** What hooks get that are always called for a request. */
export interface RequestHookContext extends HookContext {
  readonly request: FastifyRequest
}
