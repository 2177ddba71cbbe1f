import type { FastifyRequest } from 'fastify'
import type { ActionHook, ActionOptions, PageAction as PageFacts, PageActionName } from '../../types/actions.js'
import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import type { RequestHookContext } from '../../types/hooks.js'
import type { EditorSessions } from '../../types/sessions.js'
import type { ControlServices } from '../control/control.js'
import { type Need, userOf } from '../control/defaults.js'
import { ActionFailedError, HookTimeoutError, LockedError, NO_REASON } from '../errors.js'
import { errorStatus } from '../handler/request.js'
import type { PageClaims } from '../security/signatures.js'
import { runRequestHook } from '../services.js'
import { withoutUndefined } from '../util/validate.js'
import { results } from './actions.compiled.js'
import type { Bodies } from './actions.schema.js'

/**
 * An action that a page can ask for: `POST <handler path>/actions/<name>`, with a JSON object as body and as answer.
 * `actions.schema.ts` has the schemas of the bodies, by the action's name.
 */
export interface PageAction<Name extends PageActionName = PageActionName> {
  /** For API documentation. */
  readonly summary: string
  /** The right that the page's user needs: docs/actions.md has the table. */
  readonly needs: Need
  /**
   * The option that turns it on: a field of `actions`, or `versions`. If it is absent, every page has the action, and
   * its configuration does not list it.
   */
  readonly option?: keyof ActionOptions | 'versions'
  /** Share of the page's budget. More than 1 if the application must store, send or fetch something. */
  readonly cost: number
  run (page: PageRequest<Bodies[Name]>, services: ActionServices): Promise<object>
}

/** One request of a page. */
export interface PageRequest<Body = unknown> {
  /** The claims of the page's token. */
  readonly claims: PageClaims
  readonly body: Body
  /** For hooks of the application. */
  readonly request: FastifyRequest
  /** Opens the page's document in the same way as its control. Rejects with `FileNotFoundError`. */
  open (): Promise<EditorControl>
}

/** Services for actions. */
export interface ActionServices extends ControlServices {
  readonly createControl: (defaults: EditorControlDefaults, request: FastifyRequest) => EditorControl
  readonly editorSessions: EditorSessions
}

/** The fields of `actions` that are hooks for a page's request. */
type HookName = Exclude<keyof ActionOptions, 'links' | 'page'>
type Hook<Option> = Option extends ActionHook<infer Action, infer Result> ? { action: Action, result: Result } : never
/** A field that is `undefined` is left out. */
type Told<Name extends HookName> = OrUndefined<Omit<Hook<ActionOptions[Name]>['action'], keyof PageFacts>>
type OrUndefined<Fields> = {
  [Name in keyof Fields]: object extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name]
}
type Returned<Name extends HookName> = Hook<ActionOptions[Name]>['result']

/** A hook without a check may return anything. */
const checks: Readonly<Partial<Record<keyof ActionOptions, (result: unknown) => boolean>>> = results

/** The maximum number of entries that a user can look through. */
export const MAX_CHOICES = 200

/**
 * Calls a hook that is set. Resolves to its result. Rejects with `ActionFailedError` if it throws or returns something
 * that its check in `results` does not allow (`expected` describes what it allows), or with `HookTimeoutError`.
 * `extraTime`: milliseconds in addition to the usual time.
 */
export async function callHook<Name extends HookName> (
  services: ActionServices, name: Name, { claims: { fileId, defaults }, request }: PageRequest, told: Told<Name>,
  expected = 'anything', extraTime = 0
): Promise<Returned<Name>> {
  const hook = services.settings.actions[name] as ActionHook<object, Returned<Name>>
  const action = { fileId, user: userOf(defaults), ...withoutUndefined(told) }
  return await callInTime(services, name, context => hook(action, context), { fileId, request, expected, extraTime })
}

interface InTime {
  readonly fileId: string
  readonly request: FastifyRequest
  readonly expected: string
  readonly extraTime?: number
}

async function callInTime<Result> (
  services: ActionServices, name: keyof ActionOptions, hook: (context: RequestHookContext) => Result | Promise<Result>,
  { fileId, request, expected, extraTime = 0 }: InTime
): Promise<Result> {
  let result: Result
  try {
    const milliseconds = services.settings.timeouts.hooks + extraTime
    result = await runRequestHook(services, hook, { name: `actions.${name}`, fileId, request, milliseconds })
  } catch (cause) {
    if (cause instanceof HookTimeoutError) throw cause
    throw new ActionFailedError(name, 'failed', { cause, statusCode: refusalStatus(cause) })
  }
  if (checks[name]?.(result) === false) throw new ActionFailedError(name, `returned something other than ${expected}`)
  return result
}

/**
 * Must be called by actions that change the document. Rejects with `LockedError` if nobody, or not this user, may edit
 * it now.
 */
export async function assertUnlocked (
  { claims: { fileId, defaults }, request }: PageRequest, services: ActionServices
): Promise<void> {
  const { freezes: [freeze] } = await services.editorSessions.get(fileId)
  const reason = freeze ? freeze.reason ?? '' : await services.hooks.canEdit(fileId, defaults, request)
  if (reason !== null) throw new LockedError(reason || NO_REASON)
}

/** The status with which a hook refuses. */
function refusalStatus (error: unknown): number {
  const status = errorStatus(error ?? {})
  return status < 500 ? status : 500
}

// URLs of the application's pages.

/** A place in a document, as the editor names it. */
export interface Place {
  readonly action: { readonly type: string, readonly data: string }
}

/** URL of the application's page for a document; `undefined` without the hook `page`. */
export async function pageOf (
  { request }: PageRequest, services: ActionServices, fileId: string
): Promise<string | undefined> {
  const { page } = services.settings.actions
  const expected = 'an http(s) URL or a path'
  return page && await callInTime(services, 'page', context => page({ fileId }, context), { fileId, request, expected })
}
