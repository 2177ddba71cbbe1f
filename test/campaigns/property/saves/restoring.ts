import type { RestoredVersion } from '../../../../lib/index.js'
import { type Arguments, oneOf, type Stage } from './actions.js'
import { equal, show, violated } from './invariants.js'
import { checkKeptVersions } from './kept-versions.js'
import type { Keyed } from './model.js'
import type { During } from './saving.js'
import { isEarly } from './troubles.js'

/** Makes an earlier version the present one, unless somebody edits the document. */
export function restoring ({ state, situation, observe }: Stage, during: During) {
  const { world, fileId, model, live } = state
  const { editing, disconnected } = situation

  return async function restore ({ side, version, trouble }: Arguments<'restore'>): Promise<void> {
    const control = world.instances[side].app.editorControl({ user: { id: 'restorer', name: 'Restorer' } })
    await control.openDocument(fileId)
    model.key(control.documentKey, world.documentServers[side])
    await observe() // the document server may have been asked about sessions
    const { history, currentVersion } = await control.history()
    const earlier = history.filter(one => one.version !== currentVersion)
    if (earlier.length === 0) return
    const { version: number } = oneOf(earlier, version)
    const keptBefore = await world.outside.versionsOf(fileId)
    const text = keptBefore.find(one => one.version === number)!.text!

    const newest = model.newest()
    const isFree = editing().length === 0 && disconnected().length === 0 && isAtRest()
    const restoring = async () => await control.restore(number, { timeout: 0 })
    let isRestored = false
    let isEdited = false
    const end = world.histories.restoring(side, text, () => {
      isRestored = true
      isEdited = editing().some(({ key }) => isCertain(model.key(key)))
    })
    const outcome: { settled?: PromiseSettledResult<RestoredVersion> } = {}
    await during(trouble, side, control.documentKey, async () => {
      [outcome.settled] = await Promise.allSettled([restoring()])
    })
    end()

    if (isRestored) {
      // Whoever comes while it is being published is not noticed.
      const isNoticed = trouble?.on !== 'pause' || isEarly(trouble.moment)
      if (isEdited && isNoticed) violated(`version ${number} was restored while somebody edits the document`)
      await checkKeptVersions(state)
      setAside()
    }
    const { settled } = outcome
    if (settled?.status === 'fulfilled') {
      if (!isRestored) {
        // Others may have stored something since.
        if (trouble?.on !== 'outside' && trouble?.on !== 'pause') equal(await world.outside.textOf(fileId), text, 'nothing is stored where the version is what is stored already')
      }
      if (trouble !== null) return
      equal(model.newest(), newest + (isRestored ? 1 : 0), 'a version is restored once')
      equal(await world.outside.revisionOf(fileId), settled.value.revision, 'the revision of the restored version')
    } else if (trouble === null) {
      const { code, message } = settled?.reason as Error & { readonly code?: string }
      if (isFree || code !== 'FST_EDITOR_BEING_EDITED') violated(`version ${number} cannot be restored: ${message}`)
      equal(model.newest(), newest, 'a version that is not restored is not stored')
      const kept = await world.outside.versionsOf(fileId)
      equal(show(kept), show(keptBefore), 'no version is kept where none is restored')
    }
  }

  /** Whether the plugin knows that nobody edits, and no save is under way. */
  function isAtRest (): boolean {
    const isRefused = ({ refused }: Keyed) => refused === 'known' || refused === 'set aside'
    return [...model.keys.values()].every(one => isCertain(one) && (isRefused(one) || !live().has(one.key)))
  }

  /** Nobody who opens the document gets what was refused before. */
  function setAside (): void {
    for (const one of model.keys.values()) {
      if (one.refused !== 'known') continue
      if (editing().every(({ key }) => key !== one.key)) one.refused = 'set aside'
      else if (!isCertain(one)) one.refused = 'unknown' // the plugin may not know that somebody edits it
    }
  }
}

/** Whether the plugin knows whether somebody edits under a key. */
function isCertain ({ doubtful, ghost, unsettled }: Keyed): boolean {
  return !doubtful && !ghost && unsettled === 0
}
