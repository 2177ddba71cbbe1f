import { Type } from 'typebox'
import type { ActionOptions, NotifyAction } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'
import type { PageLinks } from './page-links.js'
import { ActionLink } from './shapes.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['notify']>
  readonly hooks: HookCalls
  readonly pageLinks: PageLinks
}

/** Nothing that could begin another header or address of a mail. */
const Email = Type.String({ maxLength: 320, pattern: /^[^\s,;<>"()\p{Cc}]+@[^\s,;<>"()@\p{Cc}]+$/u })

const Body = Type.Object({
  emails: Type.Array(Email, { minItems: 1, maxItems: 100 }),
  message: Type.String({ maxLength: 10_000 }),
  actionLink: Type.Optional(ActionLink),
  /** URL of the page. */
  link: Type.Optional(Type.String({ maxLength: 4000 }))
})

/** Has the application tell users that a comment mentions them. */
export function notifyAction ({ hook, hooks, pageLinks }: Dependencies): PageAction {
  return pageAction({
    name: 'notify',
    needs: 'comment',
    schema: Body,
    async run (page) {
      const { emails, message, actionLink, link: given } = page.body
      const link = await pageLinks.pageAt(page.claims.fileId, actionLink, given)
      await hooks.call<NotifyAction, void>({ name: 'notify', hook }, page, { emails, message, ...(link !== undefined && { link }) }, NOTHING)
      return {}
    }
  })
}
