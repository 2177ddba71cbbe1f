import type { Opens } from '../document-server/format-list.js'
import { FileNotFoundError, InvalidActionError, UnknownFormatError, VersionNotFoundError } from '../errors.js'
import { pageAction, type PageAction } from './action.js'
import { checkedResult } from './named-result.js'
import { isEmptyBody, isHistoryDataBody, isRestoreBody } from './requests.compiled.js'
import { mayUse } from './rights.js'

/** A history without what is being typed is better than none. */
const SAVE_TIMEOUT_MS = 8000
/** For a save that the user, or somebody else, has started just before. */
const GRACE_MS = 1000

/** All versions of the page's document. What is being typed is saved before, unless the page's user may not edit. */
export const historyAction: PageAction = pageAction({
  name: 'history',
  isBody: isEmptyBody,
  async run ({ claims, open }) {
    const control = await open()
    // the diagnostics channel tells
    if (mayUse(claims.defaults, 'edit')) {
      await control.forceSave({ timeout: SAVE_TIMEOUT_MS, grace: GRACE_MS }).catch(() => {})
    }
    return await control.history()
  }
})

/** One version. The editor shows the message of one that is not kept any more. */
export const historyDataAction: PageAction = pageAction({
  name: 'history-data',
  isBody: isHistoryDataBody,
  async run ({ body: { version }, open }) {
    try {
      return await (await open()).historyData(version)
    } catch (error) {
      if (!(error instanceof VersionNotFoundError || error instanceof FileNotFoundError)) throw error
      return { error: error.message, version }
    }
  }
})

/** A version, or a change below it: of that the document server has made a file, and the editor names its URL. */
export const restoreAction = (
  { origins, opens }: { readonly origins: ReadonlySet<string>, readonly opens: Opens }
): PageAction =>
  pageAction({
    name: 'restore',
    isBody: isRestoreBody,
    async run ({ body: { version, url, fileType }, open }) {
      if ((url === undefined) !== (fileType === undefined)) {
        throw new InvalidActionError(
          'a change below a version needs url and fileType: without them the whole version would be restored'
        )
      }
      const result = url !== undefined && fileType !== undefined ? checkedResult({ url, fileType }, origins) : undefined
      // the document would never open again
      if (result && !await opens(result.fileType)) throw new UnknownFormatError(result.fileType)
      const control = await open()
      const restored = await control.restore(version, result && { result })
      return { version: restored.version }
    }
  })
