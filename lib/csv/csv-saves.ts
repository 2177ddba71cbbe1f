import type { StoredDocument } from '../../types/storage.js'
import type { StagedContent } from '../store/contract.js'
import { SEPARATORS } from '../document-server/formats.js'
import type { Services } from '../services.js'
import { bytesOf, discard } from '../util/streams.js'
import { type Dialect, dialectOf, editorOptionsOf, HEAD_BYTES, NotRestorable, rewritten } from './dialect.js'

export type Stage = (content: AsyncIterable<Uint8Array>, filetype: string | undefined) => Promise<StagedContent>

export function createCsvSaves ({ storage, settings: { csv }, log }: Services) {
  return { stageSaved, documentOptions }

  /**
   * The `document.options` with which the editor opens a stored CSV file without asking for its format; `undefined` for
   * any other file.
   */
  async function documentOptions (stored: StoredDocument): Promise<Record<string, unknown> | undefined> {
    const dialect = await dialectOfStored(stored)
    return dialect && editorOptionsOf(dialect)
  }

  /**
   * Stages saved CSV files in the dialect of the stored ones, and all other files unchanged. `fetch` fetches the saved
   * file and passes it to `stage` with its format, if that is known; it is called again if the content has to be staged
   * as it was sent.
   */
  async function stageSaved<Result> (
    stored: StoredDocument, fetch: (stage: Stage) => Promise<Result>
  ): Promise<Result> {
    const { fileId, fileType } = stored
    const asSent: Stage = async content => await storage.stage(fileId, content)
    const dialect = await dialectOfStored(stored)
    if (!dialect) return await fetch(asSent)

    const separators = [SEPARATORS.get(fileType) ?? ',', dialect.separator, ',']
    let failure: unknown // a storage may reject with another error
    try {
      return await fetch(async (content, filetype = fileType) =>
        await storage.stage(fileId, filetype === fileType ? restoring(content) : content))
    } catch (error) {
      if (!(failure instanceof NotRestorable)) throw error
      log.warn({ fileId, reason: failure.message }, 'a CSV file is stored as the document server has written it')
      return await fetch(asSent)
    }

    async function * restoring (saved: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        yield * rewritten(saved, dialect!, separators)
      } catch (error) {
        failure = error
        throw error
      }
    }
  }

  /**
   * The dialect of a stored CSV file; `undefined` for any other file, for an empty one, and for one that cannot be
   * read.
   */
  async function dialectOfStored ({ fileId, fileType, size }: StoredDocument): Promise<Dialect | undefined> {
    if (!csv.preserve || !SEPARATORS.has(fileType) || size === 0) return undefined
    try {
      const head = await storage.read(fileId, { start: 0, end: Math.min(size, HEAD_BYTES) - 1 })
      if (!head) return undefined
      const bytes = await bytesOf(head.body)
      const dialect = dialectOf(bytes, csv.encoding, SEPARATORS.get(fileType))
      const isOpen = dialect?.mark.length === 0 && size > HEAD_BYTES && bytes.every(byte => byte < 0x80)
      return isOpen && !await isUtf8(fileId) ? { ...dialect, encoding: csv.encoding } : dialect
    } catch {
      return undefined
    }
  }

  async function isUtf8 (fileId: string): Promise<boolean> {
    const file = await storage.read(fileId)
    if (!file) return true
    const decoder = new TextDecoder('utf-8', { fatal: true })
    try {
      for await (const chunk of file.body) decoder.decode(chunk, { stream: true })
      decoder.decode()
      return true
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    } finally {
      discard(file.body)
    }
  }
}
