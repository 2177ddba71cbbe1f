import { readFile, rename, writeFile } from 'node:fs/promises'

/** @typedef {{ id: string, name: string, favorite?: true, deletedAt?: string }} Entry `deletedAt`: ISO 8601, while it can still be restored. */
/** @typedef {Awaited<ReturnType<typeof openCatalogue>>} Catalogue */

/**
 * What the application itself stores about documents: the name of each and whether it is a favorite or deleted, in one
 * JSON file. `app.editorStorage` stores the content.
 * @param {string} path
 */
export async function openCatalogue (path) {
  const known = await readEntries(path)
  const entries = new Map(known?.map(entry => [entry.id, entry]))
  /** @type {Promise<void>} */
  let written = Promise.resolve()

  return {
    /** Whether there was no catalogue yet. */
    isNew: known === null,
    /** @returns {Entry[]} */
    entries: () => [...entries.values()].filter(({ deletedAt }) => deletedAt === undefined),
    /** @returns {Entry[]} */
    deleted: () => [...entries.values()].filter(({ deletedAt }) => deletedAt !== undefined),
    /** @param {string} id */
    find: id => entries.get(id),
    /**
     * Adds or replaces entries. Resolves when they are stored.
     * @param {...Entry} changed
     */
    put (...changed) {
      for (const entry of changed) entries.set(entry.id, entry)
      return write()
    },
    /**
     * Forgets an entry. Resolves when that is stored.
     * @param {string} id
     */
    remove (id) {
      entries.delete(id)
      return write()
    },
    /**
     * The name itself, or with a number if another document has it.
     * @param {string} name
     */
    freeName (name) {
      const taken = new Set(this.entries().map(entry => entry.name))
      if (!taken.has(name)) return name
      const dot = name.lastIndexOf('.')
      const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
      let number = 2
      while (taken.has(`${base} (${number})${extension}`)) number++
      return `${base} (${number})${extension}`
    }
  }

  function write () {
    written = written.catch(() => {}).then(() => replaceFile(path, JSON.stringify([...entries.values()], null, 2)))
    return written
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
