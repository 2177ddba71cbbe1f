import { watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { settle } from './aftermath.js'
import { burstOf } from './burst.js'
import { checkKey, checkOnDisk } from './checks.js'
import { folderOf, isNumber } from './directory.js'
import { makeDocument } from './documents.js'
import { editedFile, note, violated } from './edited-file.js'
import { VERSIONS_TO_KEEP } from './history.js'
import { phaseOf, reachedBy } from './phases.js'
import { createPosting } from './posting.js'

/** @typedef {import('./burst.js').Call} Call */
/** @typedef {import('./processes.js').Service} Service */

const EXTENSIONS = ['doc', 'docx', 'odt', 'docx']

/**
 * Two services, a few documents of their own in the common directory, and rounds of saves that end with a kill.
 * @param {object} lane
 * @param {string} lane.name
 * @param {string} lane.directory
 * @param {ReturnType<typeof import('./processes.js').servicePool>} lane.pool
 * @param {Awaited<ReturnType<typeof import('./document-server.js').startDocumentServer>>} lane.documentServer
 * @param {import('./random.js').Random} lane.random
 * @param {Set<string>} lane.known fileIds of all documents
 * @param {import('./counts.js').Counts} lane.counts
 */
export async function startLane ({ name, directory, pool, documentServer, random, known, counts }) {
  const files = EXTENSIONS.map((extension, index) => editedFile(`${name}-${index}`, extension))
  for (const { fileId, extension } of files) {
    known.add(fileId)
    await writeFile(join(directory, `${fileId}.${extension}`), makeDocument({ fileId, version: 0 }, 1000))
  }
  const services = [await pool.start(), await pool.start()]
  const posting = createPosting({ documentServer, counts })

  return {
    async round () {
      for (const file of files) {
        const key = await checkKey(file, services)
        if (!file.isLive) await posting.open(file, key, random.of(services))
      }
      const { receivers, victims } = roles()
      const calls = files.flatMap(file => burstOf(file, receivers, random))
      for (const call of await interrupted(calls, victims)) await countPhase(call, calls)
      for (const file of files) await checkOnDisk(directory, file)
      await restart(victims)
      for (const file of files) await settle({ directory, known, services, posting, random, counts }, file)
      counts.rounds++
    },
    async end () {
      for (const { kept } of files) {
        counts.kept += Math.min(kept.size, VERSIONS_TO_KEEP)
        counts.pruned += Math.max(0, kept.size - VERSIONS_TO_KEEP)
      }
      await Promise.all(services.map(service => service.kill()))
    }
  }

  /** One service alone, one of two while the other goes on, or both at once. */
  function roles () {
    const receivers = random.shuffled(services).slice(0, random.of([1, 2, 2]))
    return { receivers, victims: random.chance(0.15) ? receivers : receivers.slice(0, 1) }
  }

  /**
   * Posts everything and kills the victims at some moment. Resolves to what was not answered.
   * @param {readonly Call[]} calls
   * @param {readonly Service[]} victims
   */
  async function interrupted (calls, victims) {
    /** @type {Call[]} */
    const lost = []
    const posted = Promise.all(calls.map(async call => {
      await delay(call.after)
      if (await posting.post(call) === undefined) lost.push(call)
    }))
    await Promise.race([posted, someMoment(calls)])
    for (const call of calls) call.reached = reachedBy(call.save)
    await Promise.all(victims.map(service => service.kill()))
    counts.kills += victims.length
    for (const file of files) note(file, `killed ${victims.map(({ pid }) => pid).join(' and ')}`)
    await posted
    const alive = lost.find(({ to }) => !victims.includes(to))
    if (alive) violated(alive.file, 'a service that lives gave no answer')
    return lost
  }

  /** @param {readonly Call[]} calls */
  async function someMoment (calls) {
    const { file, save } = random.of(calls)
    const near = random.of(['any time', 'sent', 'recorded', 'recorded', 'stored'])
    if (near === 'any time') return await delay(random.below(80))
    if (near === 'sent') await new Promise(resolve => { save.sent = () => resolve(undefined) })
    else if (near === 'recorded') await appears(folderOf(directory, file.fileId), isNumber)
    else await appears(directory, name => name.startsWith(`${file.fileId}.`))
    if (near !== 'recorded') await delay(random.below(near === 'sent' ? 20 : 10))
  }

  /**
   * @param {string} folder
   * @param {(name: string) => boolean} isAwaited
   */
  async function appears (folder, isAwaited) {
    for await (const { filename } of watch(folder)) {
      if (filename !== null && isAwaited(filename)) return
    }
  }

  /**
   * @param {Call} call that was not answered
   * @param {readonly Call[]} calls all of the burst
   */
  async function countPhase ({ file, save, to, isReplay, reached }, calls) {
    if (isReplay || save.isBroken) return
    // What another service has done since tells no more how far this one had come.
    if (calls.some(other => other.file === file && other.to !== to)) counts.overlapping++
    else counts.phases[await phaseOf(directory, save, { stored: await checkOnDisk(directory, file), reached })]++
  }

  /** @param {readonly Service[]} victims */
  async function restart (victims) {
    await Promise.all(victims.map(async victim => {
      services[services.indexOf(victim)] = await pool.start()
    }))
  }
}
