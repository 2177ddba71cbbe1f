import { mayUse } from '../control/defaults.js'
import { FileNotFoundError, InvalidActionError, UnknownFormatError, VersionNotFoundError } from '../errors.js'
import { assertUnlocked, type PageAction } from './action.js'
import { checkedResult } from './files.js'

/** Short: a history without the latest changes is better than none. */
const SAVE_TIMEOUT_MS = 8000
/** Waits for a save that the user, or somebody else, has just started. */
const GRACE_MS = 1000

/** All versions of the page's document. Unsaved changes are saved first, unless the page's user may not edit. */
const history: PageAction<'history'> = {
  summary: 'List the versions of the document',
  needs: 'history',
  option: 'versions',
  cost: 5,
  async run ({ claims, open }) {
    const control = await open()
    if (mayUse(claims.defaults, 'edit')) {
      // The diagnostics channel reports a failure.
      await control.forceSave({ timeout: SAVE_TIMEOUT_MS, grace: GRACE_MS }).catch(() => {})
    }
    return await control.history()
  }
}

/** One version. If it is no longer kept, the editor shows the error's message. */
const historyData: PageAction<'historyData'> = {
  summary: 'Get a version of the document',
  needs: 'history',
  option: 'versions',
  cost: 1,
  async run ({ body: { version }, open }) {
    try {
      return await (await open()).historyData(version)
    } catch (error) {
      if (!(error instanceof VersionNotFoundError || error instanceof FileNotFoundError)) throw error
      return { error: error.message, version }
    }
  }
}

/**
 * A version, or a change within it: the document server has made a file of the change, and the editor sends its URL.
 */
const restore: PageAction<'restore'> = {
  summary: 'Restore a version of the document',
  needs: 'edit',
  option: 'versions',
  cost: 10,
  async run (page, services) {
    const { body: { version, url, fileType } } = page
    if ((url === undefined) !== (fileType === undefined)) {
      throw new InvalidActionError(
        'a change within a version needs url and fileType, or else the whole version would be restored'
      )
    }
    const result = url !== undefined && fileType !== undefined ? checkedResult({ url, fileType }, services) : undefined
    // the document would never open again
    if (result && !await services.opens(result.fileType)) throw new UnknownFormatError(result.fileType)
    await assertUnlocked(page, services)
    const control = await page.open()
    const restored = await control.restore(version, result && { result })
    return { version: restored.version }
  }
}

export const historyActions = { history, historyData, restore }
