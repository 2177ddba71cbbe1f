import type { ActionOptions, CreateAction } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { isCreateBody } from './requests.compiled.js'
import { isCreatedPage } from './results.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['create']>
  readonly hooks: HookCalls
}

/** Has the application create a document. */
export function createAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'create',
    isBody: isCreateBody,
    async run (page) {
      const { format, lang } = page.body
      const { url } = await hooks.call<CreateAction, { readonly url: string }>({ name: 'create', hook }, page, {
        ...(format !== undefined && { format: format.toLowerCase() }),
        ...(lang !== undefined && { lang })
      }, { isResult: isCreatedPage, expected: '{ url } with an http(s) URL or a path' })
      return { url }
    }
  })
}
