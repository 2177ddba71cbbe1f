import type { ActionOptions, SharingResult } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { isEmptyBody } from './requests.compiled.js'
import { isSharing } from './results.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['sharing']>
  readonly hooks: HookCalls
}

/** Who may use the document, as the argument of `setSharingSettings`, and where that is changed. */
export function sharingAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'sharing',
    isBody: isEmptyBody,
    async run (page) {
      const answer = await hooks.call({ name: 'sharing', hook }, page, {}, {
        isResult: isSharing,
        expected:
          'a list of { user, permissions, isLink? }, or { settings?, url? } with such a list and an http(s) URL or a path'
      })
      const { settings, url }: SharingResult = Array.isArray(answer) ? { settings: answer } : answer as SharingResult
      return {
        ...(settings &&
          {
            sharingSettings: settings.map(({ user, permissions, isLink }) => ({
              user,
              permissions,
              ...(isLink !== undefined && { isLink })
            }))
          }),
        ...(url !== undefined && { url })
      }
    }
  })
}
