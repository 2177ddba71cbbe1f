import type { FastifyRequest } from 'fastify'
import type { ActionHook, ActionOptions, PageAction as PageFacts, PageActionName } from '../../types/actions.js'
import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { EditorSessions } from '../../types/sessions.js'
import { askCanEdit, type Need, type OfferedActions } from '../control/defaults.js'
import type { Opens } from '../document-server/formats.js'
import type { FetchResult } from '../document-server/result-file.js'
import { ActionFailedError, HookTimeoutError, LockedError, NO_REASON } from '../errors.js'
import type { Credentials } from '../handler/credentials.js'
import { errorStatus } from '../handler/request.js'
import type { PageClaims } from '../security/signatures.js'
import type { Services } from '../services.js'
import { withTimeout } from '../util/limits.js'
import { withoutUndefined } from '../util/validate.js'
import type { Bodies } from './requests.schema.js'

/**
 * What a page can ask for: `POST <handler path>/actions/<name>` with a JSON object as body, which is answered with
 * another one. `requests.schema.ts` describes both, by the action's name.
 */
export interface PageAction<Name extends PageActionName = PageActionName> {
  readonly name: Name
  /** For API documentation. */
  readonly summary: string
  /** What the page must allow its user: docs/actions.md shows the table. */
  readonly needs: Need
  /** What turns it on: a field of `actions`, or `versions`. Without one, each page has it, and is not told so. */
  readonly option?: keyof ActionOptions | 'versions'
  /** Of the page's budget. More than 1 if the application must store, send or fetch something. */
  readonly cost: number
  run (page: PageRequest<Bodies[Name]>, services: ActionServices): Promise<object>
}

/** One request of a page. */
export interface PageRequest<Body = unknown> {
  /** Of the page's token. */
  readonly claims: PageClaims
  readonly body: Body
  /** For hooks of the application. */
  readonly request: FastifyRequest
  /** Opens the page's document as its control did. Rejects with `FileNotFoundError`. */
  open (): Promise<EditorControl>
}

/** What actions work with. */
export interface ActionServices extends Services {
  readonly credentials: Credentials
  readonly createControl: (defaults: EditorControlDefaults, request: FastifyRequest) => EditorControl
  readonly editorSessions: EditorSessions
  readonly fetchResult: FetchResult
  /**
   * The document server can't open the document under this key, and never will. Resolves to whether it makes sense to
   * ask again soon.
   */
  readonly giveUpKey: (fileId: string, key: string) => Promise<boolean>
  /** Identifies this application in copied cells. */
  readonly instanceId: string
  readonly offered: OfferedActions
  readonly opens: Opens
  /**
   * Why and since when (milliseconds since the epoch) the latest save of a session is not stored; `undefined` if it is,
   * as far as is known.
   */
  readonly refusalOf: (fileId: string, key: string) =>
  Promise<{ readonly since: number, readonly code: string, readonly message?: string } | undefined>
  readonly sign: EditorControl['sign']
  /** Resolves when the saves of a file that have arrived are stored, or after a while. */
  readonly whenSaved: (fileId: string) => Promise<void>
}

/** The fields of `actions` that are called with a page's request. */
type HookName = Exclude<keyof ActionOptions, 'links' | 'page'>
type Hook<Option> = Option extends ActionHook<infer Action, infer Result> ? { action: Action, result: Result } : never
/** A field that is `undefined` is left out. */
type Told<Name extends HookName> = OrUndefined<Omit<Hook<ActionOptions[Name]>['action'], keyof PageFacts>>
type OrUndefined<Fields> = {
  [Name in keyof Fields]: object extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name]
}
type Returned<Name extends HookName> = Hook<ActionOptions[Name]>['result']

interface CallOptions {
  readonly isResult: (result: unknown) => boolean
  /** Follows "returned something other than". */
  readonly expected: string
  /** Milliseconds in addition to the usual time. */
  readonly extraTime?: number
}

/** A list that a user can look through. */
export const MAX_CHOICES = 200

/** For a hook whose result does not matter. */
const ANYTHING: CallOptions = { isResult: () => true, expected: 'anything' }

/**
 * Calls a hook that is set. Resolves to what it returned. Rejects with `ActionFailedError` if it throws or returns
 * something other than `isResult` accepts, or with `HookTimeoutError`.
 */
export async function callHook<Name extends HookName> (
  services: ActionServices, name: Name, { claims: { fileId, defaults }, request }: PageRequest, told: Told<Name>,
  options = ANYTHING
): Promise<Returned<Name>> {
  const hook = services.settings.actions[name] as ActionHook<object, Returned<Name>>
  const action = { fileId, user: defaults.user, ...withoutUndefined(told) }
  return await callInTime(services, name, () => hook(action, request), options)
}

/** Like `callHook`, for hooks that receive no request. */
export async function callInTime<Result> (
  { settings, shutdown }: ActionServices, name: keyof ActionOptions, run: () => Result | Promise<Result>,
  { isResult, expected, extraTime = 0 }: CallOptions
): Promise<Result> {
  let result: Result
  try {
    result = await withTimeout(run, {
      milliseconds: settings.timeouts.hooks + extraTime,
      timeoutError: ms => new HookTimeoutError(`actions.${name}`, ms),
      signal: shutdown.endAll
    })
  } catch (cause) {
    if (cause instanceof HookTimeoutError) throw cause
    throw new ActionFailedError(name, 'failed', { cause, statusCode: refusalStatus(cause) })
  }
  if (!isResult(result)) throw new ActionFailedError(name, `returned something other than ${expected}`)
  return result
}

/** For an action that changes the document. Rejects with `LockedError` if nobody, or not this user, may edit it now. */
export async function assertUnlocked (
  { claims: { fileId, defaults }, request }: PageRequest, services: ActionServices
): Promise<void> {
  const { freezes: [freeze] } = await services.editorSessions.get(fileId)
  const reason = freeze ? freeze.reason ?? '' : await askCanEdit(services, fileId, defaults, request)
  if (reason !== null) throw new LockedError(reason || NO_REASON)
}

/** How a hook refuses. */
function refusalStatus (error: unknown): number {
  const status = errorStatus(error ?? {})
  return status < 500 ? status : 500
}
