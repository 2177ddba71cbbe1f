import { Type } from 'typebox'
import type { ActionOptions } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['sharing']>
  readonly hooks: HookCalls
}

const Result = Type.Array(Type.Object({ user: Type.String(), permissions: Type.String(), isLink: Type.Optional(Type.Boolean()) }))

/** Who may use the document, as the argument of `setSharingSettings`. */
export function sharingAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'sharing',
    needs: 'any',
    schema: Type.Object({}),
    async run (page) {
      const settings = await hooks.call({ name: 'sharing', hook }, page, {}, { result: Result, expected: 'a list of { user, permissions, isLink? }' })
      return { sharingSettings: settings.map(({ user, permissions, isLink }) => ({ user, permissions, ...(isLink !== undefined && { isLink }) })) }
    }
  })
}
