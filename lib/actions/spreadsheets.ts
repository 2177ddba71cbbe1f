import type { ActionOptions } from '../../types/actions.js'
import { pageAction, type PageAction } from './action.js'
import type { ChosenFile, Choices } from './choices.js'
import { type LinkedData, linkedOf } from './linked-data.js'
import { isSpreadsheetsBody } from './requests.compiled.js'
import type { SignMethod } from './signing.js'

interface Dependencies {
  readonly hook: NonNullable<ActionOptions['spreadsheets']>
  readonly choices: Choices
  readonly sign: SignMethod
  readonly linkedData: LinkedData
}

/**
 * Spreadsheets with recipients, or other sources of linked data, each with the argument of the method that takes it.
 */
export function spreadsheetsAction ({ hook, choices, sign, linkedData }: Dependencies): PageAction {
  return pageAction({
    name: 'spreadsheets',
    isBody: isSpreadsheetsBody,
    async run (page) {
      const { c, search } = page.body
      const linked = c === 'reference' ? linkedOf(page.body) : {}
      return await choices.offer({ name: 'spreadsheets', hook }, page, {
        purpose: c,
        ...(search !== undefined && { search }),
        ...linked
      }, c === 'mailmerge' ? recipients : source)
    }
  })

  function recipients ({ fileType, url }: ChosenFile): object {
    return sign('setRequestedSpreadsheet', { c: 'mailmerge', fileType, url })
  }

  function source ({ name, fileType, url, info }: ChosenFile): object {
    return info ? linkedData.source(info, name, url) : sign('setReferenceSource', { fileType, path: name, url })
  }
}
