import type { ActionOptions } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { Choices } from './choices.js'
import { isDocumentsBody } from './requests.compiled.js'
import type { SignMethod } from './signing.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['documents']>
  readonly choices: Choices
  readonly sign: SignMethod
}

/** Documents to compare or combine with, or to insert text from, each with the argument of `setRequestedDocument`. */
export function documentsAction ({ hook, choices, sign }: Dependencies): PageAction {
  return pageAction({
    name: 'documents',
    isBody: isDocumentsBody,
    async run (page) {
      const { c, search } = page.body
      return await choices.offer({ name: 'documents', hook }, page, {
        purpose: c,
        ...(search !== undefined && { search })
      }, ({ fileType, url }) => sign('setRequestedDocument', { c, fileType, url }))
    }
  })
}
