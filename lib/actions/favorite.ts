import type { ActionOptions, FavoriteAction } from '../../types/actions.js'
import type { PageClaims } from '../security/page-token.js'
import { withFavorite } from '../control/defaults.js'
import { pageAction, type PageAction } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'
import { isFavoriteBody } from './requests.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['favorite']>
  readonly hooks: HookCalls
  readonly makeToken: (claims: PageClaims) => string
}

/** Has the application note that the document is a favorite, or no longer. */
export function favoriteAction ({ hook, hooks, makeToken }: Dependencies): PageAction {
  return pageAction({
    name: 'favorite',
    isBody: isFavoriteBody,
    async run (page) {
      const { body: { favorite }, claims } = page
      await hooks.call<FavoriteAction, void>({ name: 'favorite', hook }, page, { favorite }, NOTHING)
      return { pageToken: makeToken({ ...claims, defaults: withFavorite(claims.defaults, favorite) }) }
    }
  })
}
