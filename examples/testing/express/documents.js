import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Documents in a directory: one folder each, one file for each revision. The latest is the document.
 * @param {string} directory
 */
export function documentsIn (directory) {
  /** @param {string} name @param {number} revision */
  const path = (name, revision) => join(directory, name, String(revision))

  return {
    /** The latest revision; 0 without a document. @param {string} name */
    async revision (name) {
      const revisions = await readdir(join(directory, name)).catch(() => [])
      return Math.max(0, ...revisions.map(Number).filter(Number.isInteger))
    },
    /** @param {string} name @param {number} revision */
    read: (name, revision) => readFile(path(name, revision)),
    /**
     * All of it or nothing, and on the disk when this resolves: after `{"error":0}` the document server keeps no copy.
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
