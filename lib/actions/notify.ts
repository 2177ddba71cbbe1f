import type { ActionOptions, NotifyAction } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'
import type { PageLinks } from './page-links.js'
import { isNotifyBody } from './requests.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['notify']>
  readonly hooks: HookCalls
  readonly pageLinks: PageLinks
}

/** Has the application tell users that a comment mentions them. */
export function notifyAction ({ hook, hooks, pageLinks }: Dependencies): PageAction {
  return pageAction({
    name: 'notify',
    isBody: isNotifyBody,
    async run (page) {
      const { emails, message, actionLink, link: given } = page.body
      const link = await pageLinks.pageAt(page.claims.fileId, actionLink, given)
      await hooks.call<NotifyAction, void>({ name: 'notify', hook }, page, {
        emails,
        message,
        ...(link !== undefined && { link })
      }, NOTHING)
      return {}
    }
  })
}
