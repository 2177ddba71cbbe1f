import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { SavedEvent } from '../types/events.js'
import type { HookContext, RequestHookContext } from '../types/hooks.js'
import type { InspectEvent } from '../types/inspection.js'
import type { Commands } from './document-server/commands.js'
import type { DocumentKeys } from './document-server/document-key.js'
import type { TokenSigner } from './document-server/token.js'
import { HookTimeoutError } from './errors.js'
import type { Settings } from './options.js'
import type { Outbound } from './outbound/outbound.js'
import type { HandlerUrls, PageTokens } from './security/signatures.js'
import type { Retention } from './save/retention.js'
import type { StagedContent } from './store/contract.js'
import type { TimedStorage } from './store/timed-storage.js'
import { type Limits, withTimeout } from './util/limits.js'
import { withoutUndefined } from './util/validate.js'

/** The description of content to inspect. */
export interface Inspected extends Omit<InspectEvent, 'content' | 'size'> {
  /** Ends the inspection early, which then rejects with its reason. */
  readonly signal?: AbortSignal
}

/** Services that all rooms share. Made in `parts.ts`, once per registration of the plugin. */
export interface Services {
  readonly settings: Settings
  readonly storage: TimedStorage
  /** The present limits of earlier versions; absent if no versions are kept. */
  readonly retention: (() => Retention) | undefined
  readonly keys: DocumentKeys
  readonly commands: Commands
  readonly outbound: Outbound
  readonly tokens: TokenSigner
  readonly urls: HandlerUrls
  readonly pageTokens: PageTokens
  readonly hooks: {
    /** Never rejects. */
    call (name: 'onSaved', event: SavedEvent): Promise<void>
    /** Like `runHook`, and `isInHookOf` knows. */
    run<Result>(hook: (context: HookContext) => Promise<Result>, call: HookCall): Promise<Result>
    /** Whether the caller is inside a hook that a callback of this file waits for. */
    isInHookOf (fileId: string): boolean
  }
  /**
   * Calls `publish` with the staged content once the hook `inspect` has accepted it, or with its replacement, which is
   * discarded afterwards. Rejects with `RejectedError`, or with `InspectionFailedError` if it is unknown whether the
   * content may be stored. Call it again for each content.
   */
  readonly inspected: <Result>(
    staged: StagedContent, about: Inspected, publish: (content: StagedContent) => Promise<Result>
  ) => Promise<Result>
  readonly log: FastifyBaseLogger
  readonly shutdown: Shutdown
}

/** A call of a hook of the application. */
export interface HookCall extends Partial<Limits> {
  /** The application's name for it: `onSaved`, `actions.rename`. */
  readonly name: string
  /** What it is about. */
  readonly fileId?: string | undefined
  readonly key?: string | undefined
  readonly request?: FastifyRequest | undefined
}

/** Calls a hook. By default it has `timeouts.hooks`, and the wait ends when the application closes. */
export async function runHook<Result> (
  { settings, log, shutdown }: Pick<Services, 'settings' | 'log' | 'shutdown'>,
  hook: (context: HookContext) => Result | Promise<Result>,
  {
    name, fileId, key, request, milliseconds = settings.timeouts.hooks,
    timeoutError = ms => new HookTimeoutError(name, ms), signal = shutdown.endAll
  }: HookCall
): Promise<Result> {
  const ending = new AbortController()
  const about = withoutUndefined({ plugin: 'fastify-onlyoffice', hook: name, fileId, key })
  const context = { request, log: (request?.log ?? log).child(about), signal: ending.signal }
  try {
    return await withTimeout(() => hook(context), { milliseconds, timeoutError, signal })
  } catch (error) {
    ending.abort(error)
    throw error
  }
}

/** Calls a hook that gets a request. */
export async function runRequestHook<Result> (
  services: Pick<Services, 'settings' | 'log' | 'shutdown'>,
  hook: (context: RequestHookContext) => Result | Promise<Result>,
  call: HookCall & { readonly request: FastifyRequest }
): Promise<Result> {
  return await runHook(services, async context => await hook({ ...context, request: call.request }), call)
}

/** Stops the plugin: three signals that are aborted one after the other. */
export interface Shutdown {
  /** The app is closing. */
  readonly closing: AbortSignal
  /** `timeouts.close` has passed: the saves in progress are refused, so that the document server keeps them. */
  readonly endSaves: AbortSignal
  /** Ends everything that still waits, such as for a hook or a storage. */
  readonly endAll: AbortSignal
  /** Starts closing. Resolves when `idle` does, at the latest half a second after `timeouts.close`. */
  start (idle: () => Promise<void>): Promise<void>
}

/** Time for refused saves to clean up. */
const CLEAN_UP_MS = 500

/** `timeout`: milliseconds, `timeouts.close`. */
export function createShutdown (timeout: number): Shutdown {
  const [closing, endSaves, endAll] = [new AbortController(), new AbortController(), new AbortController()]
  setMaxListeners(0, closing.signal, endSaves.signal, endAll.signal) // every save and every request listens

  return {
    closing: closing.signal,
    endSaves: endSaves.signal,
    endAll: endAll.signal,
    async start (idle) {
      const reason = new Error('The application is closing')
      closing.abort(reason)
      for (const [controller, milliseconds] of [[endSaves, timeout], [endAll, CLEAN_UP_MS]] as const) {
        await Promise.race([idle(), delay(milliseconds, undefined, { ref: false })])
        controller.abort(reason)
      }
    }
  }
}
