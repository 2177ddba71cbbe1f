import { checkKey, checkStored } from './checks.js'
import { mend, newestAcknowledged, nextSave, note, violated } from './edited-file.js'
import { finished } from './posting.js'

/** @typedef {import('./edited-file.js').EditedFile} EditedFile */
/** @typedef {import('./document-server.js').Save} Save */
/** @typedef {import('./processes.js').Service} Service */

/**
 * After the restart: what was stored counts, and what was not acknowledged is handed over again.
 * @param {object} around
 * @param {string} around.directory
 * @param {ReadonlySet<string>} around.known
 * @param {readonly Service[]} around.services
 * @param {ReturnType<typeof import('./posting.js').createPosting>} around.posting
 * @param {import('./random.js').Random} around.random
 * @param {import('./counts.js').Counts} around.counts
 * @param {EditedFile} file
 */
export async function settle ({ directory, known, services, posting, random, counts }, file) {
  const version = await checkStored(directory, file, { service: random.of(services), known })
  const stored = file.saves.find(save => save.version === version)
  note(file, `version ${version} is stored after the restart`)
  const waiting = file.saves.filter(save => !save.isAcknowledged && !save.isAbandoned)
  if (stored?.status === 2) finished(file, stored.key)
  const key = await checkKey(file, services)

  if (stored?.status === 2 && !stored.isAcknowledged && random.chance(0.5)) {
    counts.overtaken++
    await posting.open(file, key, random.of(services))
    const save = nextSave(file, { status: 6 }, random)
    if (await posting.post({ file, save, to: random.of(services) }) !== 0) violated(file, 'a service ended by itself')
  }

  for (const save of random.shuffled(waiting)) {
    // Force saves are not always handed over again.
    if (save.status === 6 && random.chance(0.4)) save.isAbandoned = true
    else await handOverAgain(save, save === stored)
  }

  if (waiting.length === 0) return
  const now = await checkStored(directory, file, { service: random.of(services), known })
  const newest = newestAcknowledged(file)
  const isLegal = now === newest || file.saves.some(save => save.version === now && save.version > newest && save.isAbandoned)
  if (!isLegal) violated(file, `version ${now} is stored, version ${newest} should be`)
  await checkKey(file, services)

  /**
   * @param {Save} save
   * @param {boolean} isStored
   */
  async function handOverAgain (save, isStored) {
    counts.handedOverAgain++
    if (isStored) counts.storedAlready++
    if (save.isBroken) mend(file, save)
    const { asked } = save
    const receivers = random.of([services, services.slice(0, 1), services.slice(1)])
    const answers = await Promise.all(receivers.map(to => posting.post({ file, save, to })))
    if (answers.includes(undefined)) violated(file, 'a service ended by itself')
    // Whoever does not know that it was stored fetches it, once.
    if (save.asked - asked > (isStored ? 0 : receivers.length)) violated(file, `version ${save.version} was fetched again`)
  }
}
