import type { ActionOptions } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { isEmptyBody } from './requests.compiled.js'
import { isSharing } from './results.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['sharing']>
  readonly hooks: HookCalls
}

/** Who may use the document, as the argument of `setSharingSettings`. */
export function sharingAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'sharing',
    isBody: isEmptyBody,
    async run (page) {
      const settings = await hooks.call({ name: 'sharing', hook }, page, {}, { isResult: isSharing, expected: 'a list of { user, permissions, isLink? }' })
      return { sharingSettings: settings.map(({ user, permissions, isLink }) => ({ user, permissions, ...(isLink !== undefined && { isLink }) })) }
    }
  })
}
