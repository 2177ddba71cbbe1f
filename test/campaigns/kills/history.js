import { buffer } from 'node:stream/consumers'
import { fileStorage } from '../../../dist/lib/index.js'
import { versionOf } from './documents.js'
import { violated } from './edited-file.js'

/** Few, so that some are deleted all the time. */
export const VERSIONS_TO_KEEP = 20

/** @typedef {import('./edited-file.js').EditedFile} EditedFile */

/** @type {Map<string, ReturnType<typeof fileStorage>>} */
const storages = new Map()

/**
 * The history is whole: every number means one content for ever, and all that was stored and replaced is there, unless
 * there are too many versions.
 * @param {string} directory
 * @param {EditedFile} file
 * @param {number} stored version of the content
 */
export async function checkHistory (directory, file, stored) {
  const { fileId, published, kept } = file
  const versions = storageOf(directory).versions
  const listed = await versions.list(fileId)
  const numbers = listed.map(({ version }) => version)
  if (numbers.some((number, index) => index > 0 && number <= Number(numbers[index - 1]))) violated(file, `the versions ${numbers} are kept`)
  for (const { version, changesSize } of listed) {
    const content = await contentOf(version, 'content')
    if (kept.has(version) && kept.get(version) !== content) violated(file, `version ${version} had the content ${kept.get(version)}, now it has ${content}`)
    kept.set(version, content)
    if (changesSize !== null) await contentOf(version, 'changes')
  }
  const mayBePruned = listed.length >= VERSIONS_TO_KEEP
  const lost = [...kept.keys()].filter(number => !numbers.includes(number))
  if (lost.length > 0 && !mayBePruned) violated(file, `the versions ${lost} were kept and are gone`)

  published.add(stored)
  const contents = new Set(kept.values())
  const missing = [...published].filter(version => version !== stored && !contents.has(version))
  // Force saves go first, maybe before they were ever seen here.
  for (const version of missing) {
    if (!mayBePruned || file.saves.find(save => save.version === version)?.status !== 6) {
      violated(file, `the content ${version} was stored and replaced, and is not kept`)
    }
    published.delete(version)
  }

  /**
   * @param {number} version
   * @param {'content' | 'changes'} part
   */
  async function contentOf (version, part) {
    const found = await versions.read(fileId, version, part)
    const content = found && versionOf(await buffer(found.body), fileId)
    return content ?? violated(file, `the ${part} of version ${version} ${found ? 'is torn' : 'cannot be read'}`)
  }
}

/** @param {string} directory */
function storageOf (directory) {
  const storage = storages.get(directory) ?? fileStorage({ directory })
  storages.set(directory, storage)
  return storage
}
