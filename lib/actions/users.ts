import { Type } from 'typebox'
import type { ActionOptions, ListedUser, UsersAction } from '../../types/actions.js'
import { isPageUrl } from '../url.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { Search } from './shapes.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['users']>
  readonly hooks: HookCalls
}

const MAX_USERS = 1000

const Ids = Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MAX_USERS })
const Body = Type.Object({
  c: Type.Enum(['mention', 'protect', 'info']),
  /** As the editor calls it. */
  id: Type.Optional(Ids),
  search: Type.Optional(Search),
  from: Type.Optional(Type.Integer({ minimum: 0 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_USERS }))
})

const Result = Type.Array(Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.Optional(Type.String()),
  image: Type.Optional(Type.Refine(Type.String(), url => isPageUrl(url) || /^data:image\/[\w.+-]+[;,]/.test(url)))
}))

/** Users, as the argument of `setUsers`. */
export function usersAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'users',
    needs: 'any',
    schema: Body,
    async run (page) {
      const { c, id: ids, search, from, count } = page.body
      const users = await hooks.call<UsersAction, readonly ListedUser[]>({ name: 'users', hook }, page, {
        kind: c,
        ...(ids && { ids }),
        ...(search !== undefined && { search }),
        ...(from !== undefined && { from }),
        ...(count !== undefined && { count })
      }, { result: Result, expected: 'a list of { id, name, email?, image? }, with http(s) or data: URLs of images' })
      return { c, users: users.slice(0, MAX_USERS).map(({ id, name, email, image }) => ({ id, name, email, image })) }
    }
  })
}
