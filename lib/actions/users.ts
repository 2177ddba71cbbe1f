import type { ActionOptions, ListedUser, UsersAction } from '../../types/actions.js'
import { ForbiddenError } from '../errors.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { isUsersBody, MAX_USERS } from './requests.compiled.js'
import { isUsers } from './results.compiled.js'
import { mayUse, NEEDS_OF_USERS } from './rights.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['users']>
  readonly hooks: HookCalls
}

/** Users, as the argument of `setUsers`. */
export function usersAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'users',
    isBody: isUsersBody,
    async run (page) {
      const { c, id, search, from, count } = page.body
      // The authors of versions that nobody is known to have made have empty ones.
      const ids = id?.filter(one => one.trim() !== '')
      const { defaults } = page.claims
      if (!mayUse(defaults, NEEDS_OF_USERS[c])) {
        throw new ForbiddenError(`the page's control does not allow its user to ${NEEDS_OF_USERS[c]}`)
      }
      if (ids?.length === 0) return { c, users: [] }
      const users = await hooks.call<UsersAction, readonly ListedUser[]>({ name: 'users', hook }, page, {
        kind: c,
        ...(ids && { ids }),
        ...(search !== undefined && { search }),
        ...(from !== undefined && { from }),
        ...(count !== undefined && { count })
      }, {
        isResult: isUsers,
        expected: 'a list of { id, name, email?, image? }, with http(s) or data: URLs of images'
      })
      return {
        c,
        users: users.slice(0, MAX_USERS).map(({ id, name, email, image }) => ({
          id,
          name,
          ...(mayUse(defaults, 'comment') && { email }),
          image
        }))
      }
    }
  })
}
