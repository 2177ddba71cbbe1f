import type { SharingResult } from '../../types/actions.js'
import { mayUse, type Need } from '../control/defaults.js'
import { ForbiddenError } from '../errors.js'
import { callHook, type PageAction } from './action.js'
import { pageAt } from './page-links.js'
import { MAX_USERS } from './requests.compiled.js'
import { isSharing, isUsers } from './results.compiled.js'

/**
 * What `users` needs, by what the editor asks for. With `info`, only those who may comment get mail addresses.
 */
export const NEEDS_OF_USERS = { info: 'any', mention: 'comment', protect: 'edit', filler: 'edit' } as const satisfies Record<
  string,
  Need
>

/** Users, as the argument of `setUsers`. */
const users: PageAction<'users'> = {
  name: 'users',
  summary: 'List users to mention, to protect ranges for, or to give roles in a form',
  needs: 'any',
  option: 'users',
  cost: 1,
  async run (page, services) {
    const { c, id, search, from, count } = page.body
    // The authors of versions that nobody is known to have made have empty ones.
    const ids = id?.filter(one => one.trim() !== '')
    const { defaults } = page.claims
    if (!mayUse(defaults, NEEDS_OF_USERS[c])) {
      throw new ForbiddenError(`the page's control does not allow its user to ${NEEDS_OF_USERS[c]}`)
    }
    if (ids?.length === 0) return { c, users: [] }
    const users = await callHook(services, 'users', page, { kind: c, ids, search, from, count }, {
      isResult: isUsers,
      expected: 'a list of { id, name, email?, image? }, with http(s) or data: URLs of images'
    })
    return {
      c,
      users: users.slice(0, MAX_USERS).map(({ id, name, email, image }) =>
        ({ id, name, email: mayUse(defaults, 'comment') ? email : undefined, image })
      )
    }
  }
}

/** Has the application tell users that a comment mentions them. */
const notify: PageAction<'notify'> = {
  name: 'notify',
  summary: 'Tell users that a comment mentions them',
  needs: 'comment',
  option: 'notify',
  cost: 5,
  async run (page, services) {
    const { emails, message, actionLink, link: given } = page.body
    const link = await pageAt(services, page.claims.fileId, actionLink, given)
    await callHook(services, 'notify', page, { emails, message, link })
    return {}
  }
}

/** Who may use the document, as the argument of `setSharingSettings`, and where that is changed. */
const sharing: PageAction<'sharing'> = {
  name: 'sharing',
  summary: 'List who may use the document',
  needs: 'edit',
  option: 'sharing',
  cost: 1,
  async run (page, services) {
    const answer = await callHook(services, 'sharing', page, {}, {
      isResult: isSharing,
      expected:
        'a list of { user, permissions, isLink? }, or { settings?, url? } with such a list and an http(s) URL or a path'
    })
    const { settings, url }: SharingResult = Array.isArray(answer) ? { settings: answer } : answer as SharingResult
    return { sharingSettings: settings?.map(({ user, permissions, isLink }) => ({ user, permissions, isLink })), url }
  }
}

export const peopleActions = [users, notify, sharing]
