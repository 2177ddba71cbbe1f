import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @import { FastifyInstance } from 'fastify' */
/** @import { Document } from './documents.js' */
/** @typedef {ReturnType<typeof createThumbnails>} Thumbnails */

/** Twice the size that is shown, for screens with small pixels. */
const SIZE = { width: 360, height: 480, aspect: /** @type {const} */ (1) }
const MADE_WITHIN_MS = 60_000
const TRY_AGAIN_MS = 60_000

/**
 * Images of first pages, kept in a directory by document and revision. The document server makes one at a time.
 * @param {FastifyInstance} app
 * @param {{ directory: string, isEnabled: boolean }} options
 */
export function createThumbnails (app, { directory, isEnabled }) {
  /** @type {Map<string, number>} When it may be tried again, by file name. */
  const failures = new Map()
  /** @type {Map<string, Document>} By file name. */
  const wanted = new Map()
  const closing = new AbortController()
  /** @type {Promise<void>} */
  let working = Promise.resolve()
  let isWorking = false

  app.addHook('onClose', async () => {
    closing.abort()
    await working
  })

  return {
    isEnabled,

    /**
     * What there is of a document: the image; `later` if it is being made; `none` if it can't be made.
     * @param {Document} document
     * @returns {Promise<Buffer | 'later' | 'none'>}
     */
    async of (document) {
      const name = fileName(document)
      const image = await readFile(join(directory, name)).catch(() => null)
      if (image) return image
      if (!isEnabled || (failures.get(name) ?? 0) > performance.now()) return 'none'
      wanted.set(name, document)
      if (!isWorking) {
        isWorking = true
        working = work()
      }
      return 'later'
    },

    /**
     * Deletes the images of a document.
     * @param {string} id
     */
    async remove (id) {
      for (const name of await namesOf(id)) await rm(join(directory, name), { force: true })
    }
  }

  async function work () {
    for (const [name, document] of wanted) {
      if (closing.signal.aborted) break
      await make(name, document).catch(error => {
        failures.set(name, error.retryable === false ? Infinity : performance.now() + TRY_AGAIN_MS)
        if (!closing.signal.aborted) app.log.info({ err: error, id: document.id }, 'there is no thumbnail')
      })
      wanted.delete(name)
    }
    isWorking = false
  }

  /**
   * @param {string} name
   * @param {Document} document
   */
  async function make (name, { id, name: title }) {
    const control = await app.editorControl().openDocument(id, { title })
    const image = await control.thumbnail({
      ...SIZE,
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(MADE_WITHIN_MS)])
    })
    const bytes = await image.bytes()
    await mkdir(directory, { recursive: true })
    const old = await namesOf(id)
    await writeFile(join(directory, `${name}.tmp`), bytes)
    await rename(join(directory, `${name}.tmp`), join(directory, name))
    for (const other of old) if (other !== name) await rm(join(directory, other), { force: true })
  }

  /** @param {string} id */
  async function namesOf (id) {
    const names = await readdir(directory).catch(() => [])
    return names.filter(name => name.startsWith(`${hash(id)}-`))
  }
}

/** @param {Document} document */
function fileName ({ id, revision }) {
  return `${hash(id)}-${hash(revision)}.png`
}

/** @param {string} text */
export function hash (text) {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}
