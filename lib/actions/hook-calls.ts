import type { FastifyRequest } from 'fastify'
import type { ActionHook, ActionOptions, PageAction } from '../../types/actions.js'
import { ActionFailedError, HookTimeoutError } from '../errors.js'
import { errorStatus } from '../handler/responses.js'
import { withTimeout } from '../util/with-timeout.js'
import type { PageRequest } from './action.js'

/** Calls the hooks of the option `actions`. */
export interface HookCalls {
  /**
   * Resolves to what the hook returned. Rejects with `ActionFailedError` if it throws or returns something else than
   * `isResult` accepts, or with `HookTimeoutError`.
   */
  call<Action extends PageAction, Result>(
    hook: NamedHook<Action, Result>,
    page: PageRequest<unknown>,
    action: NoInfer<Omit<Action, keyof PageAction>>,
    options: CallOptions
  ): Promise<Result>
  /** As `call`, for a hook that is not told of a request. */
  limited<Result>(name: keyof ActionOptions, run: () => Result | Promise<Result>, options: CallOptions): Promise<Result>
}

/** A hook with the name of its option. */
export interface NamedHook<Action, Result> {
  readonly name: keyof ActionOptions
  readonly hook: ActionHook<Action, Result>
}

interface CallOptions {
  readonly isResult: (result: unknown) => boolean
  /** Follows "returned something else than". */
  readonly expected: string
  /** Milliseconds in addition to the usual time. */
  readonly extraTime?: number
}

/** For a hook whose result does not matter. */
export const NOTHING: CallOptions = { isResult: () => true, expected: 'anything' }

interface Dependencies {
  /** Milliseconds. */
  readonly timeout: number
  /** Ends all waiting. */
  readonly signal: AbortSignal
}

export function createHookCalls ({ timeout, signal }: Dependencies): HookCalls {
  async function limited<Result> (
    name: keyof ActionOptions,
    run: () => Result | Promise<Result>,
    { isResult, expected, extraTime = 0 }: CallOptions
  ): Promise<Result> {
    let result: Result
    try {
      result = await withTimeout(run, {
        milliseconds: timeout + extraTime,
        timeoutError: ms => new HookTimeoutError(`actions.${name}`, ms),
        signal
      })
    } catch (cause) {
      if (cause instanceof HookTimeoutError) throw cause
      throw new ActionFailedError(name, 'failed', { cause, statusCode: refusalStatus(cause) })
    }
    if (!isResult(result)) throw new ActionFailedError(name, `returned something else than ${expected}`)
    return result
  }

  return {
    limited,
    call ({ name, hook }, { claims: { fileId, defaults }, request }, fields, options) {
      const action = { fileId, user: defaults.user, ...fields } as unknown as Parameters<typeof hook>[0]
      return limited(name, () => hook(action, request as FastifyRequest), options)
    }
  }
}

/** How a hook refuses. */
function refusalStatus (error: unknown): number {
  const status = errorStatus(error ?? {})
  return status < 500 ? status : 500
}
