import { readFile, rename, writeFile } from 'node:fs/promises'

/** @typedef {{ id: string, name: string }} Entry */
/** @typedef {Awaited<ReturnType<typeof openCatalogue>>} Catalogue */

/**
 * What the application itself stores about documents: ID and name of each, in one JSON file. `app.editorStorage` stores the
 * content.
 * @param {string} path
 */
export async function openCatalogue (path) {
  const known = await readEntries(path)
  const names = new Map(known?.map(({ id, name }) => [id, name]))
  /** @type {Promise<void>} */
  let written = Promise.resolve()

  return {
    /** Whether there was no catalogue yet. */
    isNew: known === null,
    /** @returns {Entry[]} Sorted by name. */
    entries: () => [...names].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name)),
    /** @param {string} id */
    nameOf: id => names.get(id),
    /**
     * Resolves when the entries are stored.
     * @param {...Entry} entries
     */
    add (...entries) {
      for (const { id, name } of entries) names.set(id, name)
      written = written.catch(() => {}).then(() => replaceFile(path, JSON.stringify([...names].map(([id, name]) => ({ id, name })), null, 2)))
      return written
    }
  }
}

/**
 * @param {string} path
 * @returns {Promise<Entry[] | null>}
 */
async function readEntries (path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Atomic: even if the process ends in between, the file is the old one or the new one.
 * @param {string} path
 * @param {string} text
 */
async function replaceFile (path, text) {
  await writeFile(`${path}.tmp`, text, { flush: true })
  await rename(`${path}.tmp`, path)
}
