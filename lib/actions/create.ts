import { Type } from 'typebox'
import type { ActionOptions, CreateAction } from '../../types/actions.js'
import { EXTENSION } from '../document-server/formats.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { PageUrl } from './shapes.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['create']>
  readonly hooks: HookCalls
}

const Body = Type.Object({
  format: Type.Optional(Type.String({ pattern: EXTENSION })),
  lang: Type.Optional(Type.String({ pattern: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/ }))
})

/** Has the application create a document. */
export function createAction ({ hook, hooks }: Dependencies): PageAction {
  return pageAction({
    name: 'create',
    needs: 'any',
    schema: Body,
    async run (page) {
      const { format, lang } = page.body
      const { url } = await hooks.call<CreateAction, { readonly url: string }>({ name: 'create', hook }, page, {
        ...(format !== undefined && { format: format.toLowerCase() }),
        ...(lang !== undefined && { lang })
      }, { result: Type.Object({ url: PageUrl }), expected: '{ url } with an http(s) URL or a path' })
      return { url }
    }
  })
}
