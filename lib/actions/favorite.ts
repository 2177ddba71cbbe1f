import { Type } from 'typebox'
import type { ActionOptions, FavoriteAction } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import { type HookCalls, NOTHING } from './hook-calls.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['favorite']>
  readonly hooks: HookCalls
}

/** Has the application note that the document is a favorite, or no longer. */
export function favoriteAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'favorite',
    needs: 'any',
    schema: Type.Object({ favorite: Type.Boolean() }),
    async run (page) {
      await hooks.call<FavoriteAction, void>({ name: 'favorite', hook }, page, { favorite: page.body.favorite }, NOTHING)
      return {}
    }
  })
}
