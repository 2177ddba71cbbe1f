import { setTimeout as delay } from 'node:timers/promises'
import type { ActionOptions, PageAction as PageFacts } from '../../types/actions.js'
import type { EditorControl, EditorControlDefaults } from '../../types/control.js'
import { checkedDefaults, editingDefaults } from '../control/defaults.js'
import { ActionFailedError, ForbiddenError } from '../errors.js'
import type { NewPageClaims } from '../security/page-token.js'
import { pageAction, type PageAction, type PageRequest } from './action.js'
import type { HookCalls } from './hook-calls.js'
import type { Place } from './page-links.js'
import { isConfigBody } from './requests.compiled.js'
import { isDocumentName, isEditRights } from './results.compiled.js'

interface Dependencies {
  readonly options: Pick<ActionOptions, 'documentName' | 'editRights'>
  readonly hooks: HookCalls
  readonly createControl: (defaults: EditorControlDefaults) => EditorControl
  readonly makeToken: (claims: NewPageClaims) => string
  readonly namesFor: (defaults: EditorControlDefaults) => readonly string[]
  /** Resolves when the saves of a file that have arrived are stored, or after a while. */
  readonly whenSaved: (fileId: string) => Promise<void>
  /**
   * The document server can't open the document under this key, and never will. Resolves to whether it makes sense to
   * ask again soon.
   */
  readonly giveUpKey: (fileId: string, key: string) => Promise<boolean>
}

/**
 * A save that another instance handles is about to be noted, or that an editor that could not open the document has
 * left.
 */
const PAUSES_MS = [100, 200, 400, 800, 800]

/** A configuration as the page would have if it was made now. */
export function configAction (
  { options, hooks, createControl, makeToken, namesFor, whenSaved, giveUpKey }: Dependencies
): PageAction {
  return pageAction({
    name: 'config',
    isBody: isConfigBody,
    async run (page) {
      const { body: { purpose, actionLink, key }, claims } = page
      const { page: pageId, fileId } = claims
      const defaults = purpose === 'edit' ? await withEditRights(page) : claims.defaults
      const name = await presentName(page) ?? claims.name
      const control = createControl(actionLink ? leadingTo(actionLink, defaults) : defaults)
      let mayChange = true
      const open = async () => {
        if (purpose === 'retry' && key !== undefined) mayChange = await giveUpKey(fileId, key)
        await control.openDocument(fileId, { name })
      }
      await whenSaved(fileId)
      await open()
      // The editor that notices the save may be faster than the instance that stores it.
      for (const pause of PAUSES_MS) {
        if (control.documentKey !== key || !mayChange) break
        await delay(pause)
        await open()
      }
      return {
        config: control.config,
        pageToken: makeToken({ page: pageId, fileId, name, defaults }),
        actions: namesFor(defaults).join(' ')
      }
    }
  })

  async function withEditRights (page: PageRequest<unknown>): Promise<EditorControlDefaults> {
    const { editRights } = options
    if (!editRights) throw new ForbiddenError('the option actions.editRights is not set')
    const answer = await hooks.call({ name: 'editRights', hook: editRights }, page, {}, {
      isResult: isEditRights,
      expected: 'true, false, or what a control is made with'
    })
    if (answer === false) throw new ForbiddenError('actions.editRights denied it')
    return editingDefaults(page.claims.defaults, answer === true ? {} : checkedRights(answer))
  }

  async function presentName (page: PageRequest<unknown>): Promise<string | undefined> {
    const { documentName } = options
    return documentName &&
      await hooks.call<PageFacts, string | undefined>({ name: 'documentName', hook: documentName }, page, {}, {
        isResult: isDocumentName,
        expected: 'a name or undefined'
      })
  }
}

/** By the rules of `editorControl()`: a misspelt right would allow what it seems to forbid. */
function checkedRights (answer: EditorControlDefaults): EditorControlDefaults {
  try {
    return checkedDefaults(answer)
  } catch (cause) {
    throw new ActionFailedError(
      'editRights',
      `returned what no control can be made with: ${(cause as Error).message}`,
      { cause }
    )
  }
}

/** Only this configuration: not those that follow. */
function leadingTo ({ action: { type, data } }: Place, defaults: EditorControlDefaults): EditorControlDefaults {
  return { ...defaults, actionLink: { action: { type, data } } as NonNullable<EditorControlDefaults['actionLink']> }
}
