import type { ActionOptions, ReferenceAction } from '../../types/actions.js'
import type { EditorControl } from '../../types/control.js'
import type { Storage } from '../../types/storage.js'
import { InvalidActionError } from '../errors.js'
import { pageAction, type PageAction } from './action.js'
import type { HookCalls } from './hook-calls.js'
import { type LinkedData, linkedOf } from './linked-data.js'
import type { PageLinks } from './page-links.js'
import { isReferenceBody } from './requests.compiled.js'
import { isReferencedFile } from './results.compiled.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['reference']>
  readonly hooks: HookCalls
  readonly storage: Pick<Storage, 'stat'>
  readonly linkedData: LinkedData
  readonly pageLinks: PageLinks
  readonly createControl: () => EditorControl
}

/** The application need not say whether there is a file that the user may not read. */
const NOT_FOUND = { error: 'The linked file was not found' } as const

/** The file that a cell links to, as the argument of `setReferenceData`, and the URL of its page. */
export function referenceAction (
  { hook, hooks, storage, linkedData, pageLinks, createControl }: Dependencies
): PageAction {
  return pageAction({
    name: 'reference',
    isBody: isReferenceBody,
    async run (page) {
      const linked = { ...linkedOf(page.body), ...(page.body.link !== undefined && { link: page.body.link }) }
      if (Object.keys(linked).length === 0) {
        throw new InvalidActionError('it names no file: path, link or referenceData is needed')
      }
      const file = await hooks.call<ReferenceAction, { readonly fileId: string, readonly name: string } | null>(
        { name: 'reference', hook },
        page,
        linked,
        {
          isResult: isReferencedFile,
          expected: '{ fileId, name } or null'
        }
      )
      const info = file && await storage.stat(file.fileId)
      if (!info) return NOT_FOUND
      const control = await createControl().openDocument(info.fileId, { name: file.name })
      const url = await pageLinks.pageOf(info.fileId)
      return { ...linkedData.answer(control, info), ...(url !== undefined && { page: url }) }
    }
  })
}
