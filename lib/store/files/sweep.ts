import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageSweepOptions } from '../../../types/storage.js'
import { allNamesIn, namesIn } from '../record.js'
import { isOfKnownFormat } from '../record.js'
import { SWEEP_AGE_MS, sweepRegularly } from '../sweep.js'
import { envelopeOf, type FilesDriver } from './driver.js'
import { statsAt } from './file-system.js'
import { type Folders, newestOf, numberOf } from './folders.js'

interface Services {
  readonly driver: FilesDriver
  readonly folders: Folders
  /** The time of the file system in milliseconds, whose clock may differ from this machine's. */
  readonly now: () => Promise<number>
}

const MISSING_FOR_MS = 30 * SWEEP_AGE_MS
/** Many instances may be starting, or documents may just be being put back. */
const FIRST_AFTER_MS = 60_000

/** Finishes the work of processes that ended, and removes files that they left and nobody needs. */
export function createSweep ({ driver, folders, now }: Services) {
  async function sweep (
    { olderThan = SWEEP_AGE_MS, missingFor = MISSING_FOR_MS, signal }: StorageSweepOptions & {
      readonly missingFor?: number
    }
  ) {
    const time = await now()
    const swept = { files: 0, documents: 0 }
    for await (const folder of folders.all()) {
      signal?.throwIfAborted()
      try {
        if (await removeMissing(folder, time - missingFor)) swept.documents++
        swept.files += await removeUnnamed(folder, time - olderThan)
      } catch {} // the next sweep tries again
    }
    return swept
  }

  /**
   * Only time shows whether a missing document was deleted, or is being moved or restored from a backup. A generation
   * without content notes since when it is missing.
   */
  async function removeMissing (folder: string, before: number): Promise<boolean> {
    const envelope = await driver.envelopeIn(folder)
    if (!envelope?.record) return false
    const { fileId } = envelope
    // Programs that only read the files wait for what this finishes.
    const { record, etag, modifiedAt } = await driver.look(fileId)
    if (!record) return false
    const isMissing = !record.content
    const isNoted = !envelope.record.content
    if (isMissing !== isNoted) await driver.set(fileId, record, etag)
    if (!isMissing || !isNoted || modifiedAt!.getTime() >= before) return false
    if (!isOfKnownFormat(record.state?.value)) return false
    // Unless the document has come back.
    if (await driver.set(fileId, null, etag) === null) return false
    for (const name of allNamesIn(record)) await driver.drop(fileId, name)
    return true
  }

  /** Resolves to how many files were removed. */
  async function removeUnnamed (folder: string, before: number): Promise<number> {
    const names = await folders.namesIn(folder)
    const number = newestOf(names)
    const generation = await folders.read(folder, number)
    const envelope = generation && envelopeOf(generation)
    if (number > 0 && !envelope) return 0 // it is damaged, or of a newer version: what it names is unknown
    const record = envelope?.record
    const needed = record ? namesIn(record) : new Set<string>()
    // Garbage without a time was superseded by this generation.
    for (const { name, since = Number(generation!.stats.mtimeMs) } of record?.garbage ?? []) {
      if (since >= before) needed.add(name)
    }
    const isOld = async (name: string) => Number((await statsAt(join(folder, name)))?.ctimeMs ?? Infinity) < before
    let removed = 0
    for (const name of names) {
      if (numberOf(name) > 0 || needed.has(name.replace(/\.\w+$/, '')) || !await isOld(name)) continue
      await rm(join(folder, name), { recursive: true, force: true })
      removed++
    }
    if (!record && await isOld(number === 0 ? '' : String(number))) await folders.removeAll(folder)
    return removed
  }

  /** Sweeps soon and then every day. */
  async function keepSweeping (signal: AbortSignal): Promise<void> {
    await sweepRegularly(sweep, { first: FIRST_AFTER_MS, interval: SWEEP_AGE_MS, signal })
  }

  return { sweep, keepSweeping }
}
