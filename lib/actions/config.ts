import { setTimeout as delay } from 'node:timers/promises'
import type { EditorControlDefaults } from '../../types/control.js'
import { checkedDefaults, mayUse, mergedDefaults, viewingDefaults } from '../control/defaults.js'
import { ActionFailedError, ForbiddenError } from '../errors.js'
import { type ActionServices, callHook, type PageAction, type PageRequest, type Place } from './action.js'

/** Time for another instance to note a save, or to note that an editor that could not open the document has left. */
const PAUSES_MS = [100, 200, 400, 800, 800]
/** Limit for a storage that hangs, because a proxy in front of the application does not wait forever. */
const PATIENCE_MS = 20_000

/** The configuration that the page would have if it were made now. */
const config: PageAction<'config'> = {
  summary: 'Get a fresh configuration for a page',
  needs: 'any',
  cost: 1,
  async run (page, services) {
    const { createControl, offered, pageTokens, whenSaved } = services
    const { body: { purpose, actionLink, key }, claims } = page
    const { page: pageId, fileId } = claims
    const defaults = purpose === 'edit' ? await withEditRights(page, services) : claims.defaults
    const present = services.settings.actions.title && await callHook(
      services, 'title', page, {}, 'a title or undefined'
    )
    const title = present ?? claims.title
    const control = createControl(actionLink ? leadingTo(actionLink, defaults) : defaults, page.request)
    const begun = performance.now()
    let mayChange = true
    const open = async () => {
      await whenSaved(fileId)
      await control.openDocument(fileId, { title })
      if (purpose !== 'retry' || key === undefined || control.documentKey !== key) return
      // All users share the key. So a user who cannot change the document cannot change the key either, and sees a
      // changed one only if others have caused it.
      mayChange = key === claims.key && control.lockReason === null && mayUse(claims.defaults, 'change') &&
        await services.sessions.giveUpKey(fileId, key)
      await control.openDocument(fileId, { title })
    }
    await open()
    // The editor that notices the save may be faster than the instance that stores it.
    for (const pause of PAUSES_MS) {
      if (control.documentKey !== key || !mayChange || performance.now() - begun > PATIENCE_MS) break
      await delay(pause)
      await open()
    }
    const { config, documentKey, lockReason } = control
    return {
      config,
      pageToken: pageTokens.make({ page: pageId, fileId, title, defaults, key: documentKey }),
      actions: offered.namesFor(lockReason === null ? defaults : viewingDefaults(defaults)).join(' '),
      ...(lockReason !== null && { lockReason })
    }
  }
}

/** Fresh tokens, as every action answers, and whether the document is frozen. */
const renew: PageAction<'renew'> = {
  summary: 'Renew the token of a page',
  needs: 'any',
  cost: 1,
  async run ({ claims: { fileId } }, { editorSessions }) {
    // A token can be renewed while the storage cannot be read.
    const { freezes: [freeze] } = await editorSessions.get(fileId).catch(() => ({ freezes: [] }))
    return freeze ? { lockReason: freeze.reason ?? '' } : {}
  }
}

export const configActions = { config, renew }

async function withEditRights (page: PageRequest, services: ActionServices): Promise<EditorControlDefaults> {
  if (!services.settings.actions.editRights) throw new ForbiddenError('the option actions.editRights is not set')
  const answer = await callHook(services, 'editRights', page, {}, 'true, false, or settings of a control')
  if (answer === false) throw new ForbiddenError('actions.editRights denied it')
  const editing = mergedDefaults(page.claims.defaults, { mode: 'edit', permissions: { edit: true } })
  return mergedDefaults(editing, answer === true ? {} : checkedRights(answer))
}

/** Checked by the rules of `editorControl()`, because a misspelt right would allow what it seems to forbid. */
function checkedRights (answer: EditorControlDefaults): EditorControlDefaults {
  try {
    return checkedDefaults(answer)
  } catch (cause) {
    throw new ActionFailedError(
      'editRights',
      `returned settings that no control accepts: ${(cause as Error).message}`,
      { cause }
    )
  }
}

/** Applies only to this configuration, not to later ones. */
function leadingTo ({ action: { type, data } }: Place, defaults: EditorControlDefaults): EditorControlDefaults {
  return { ...defaults, actionLink: { action: { type, data } } as NonNullable<EditorControlDefaults['actionLink']> }
}
