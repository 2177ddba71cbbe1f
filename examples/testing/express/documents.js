import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Documents in a directory: a folder for each document, with a file for each revision.
 * @param {string} directory
 */
export function documentsIn (directory) {
  /** @param {string} name @param {number} revision */
  const path = (name, revision) => join(directory, name, String(revision))

  return {
    /** The latest revision; 0 if there is no document. @param {string} name */
    async revision (name) {
      const revisions = await readdir(join(directory, name)).catch(() => [])
      return Math.max(0, ...revisions.map(Number).filter(Number.isInteger))
    },
    /** @param {string} name @param {number} revision */
    read: (name, revision) => readFile(path(name, revision)),
    /**
     * Atomic, and durable once resolved: after `{"error":0}` the document server deletes its copy.
     * @param {string} name @param {number} revision @param {Buffer} bytes
     */
    async write (name, revision, bytes) {
      await mkdir(join(directory, name), { recursive: true })
      const written = `${path(name, revision)}.part`
      const file = await open(written, 'w')
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(written, path(name, revision))
    }
  }
}
