import type { FileInfo, StagedContent } from '../../types/storage.js'
import { SEPARATORS } from '../document-server/formats.js'
import type { Services } from '../services.js'
import { bytesOf, discard } from '../util/streams.js'
import { NotRestorable, restored } from './restore.js'
import { type Dialect, dialectOf, editorOptionsOf, HEAD_BYTES, isAscii, isWhollyUtf8 } from './rows.js'

export type Stage = (content: AsyncIterable<Uint8Array>, filetype: string | undefined) => Promise<StagedContent>

export function createCsvSaves ({ storage, settings: { csv }, log }: Services) {
  return { stageSaved, documentOptions }

  /**
   * The `document.options` with which the editor opens a stored CSV file without asking for its format; `undefined` for
   * any other file.
   */
  async function documentOptions (stored: FileInfo): Promise<Record<string, unknown> | undefined> {
    const dialect = await dialectOfStored(stored)
    return dialect && editorOptionsOf(dialect)
  }

  /**
   * Stages saved CSV files in the dialect of the stored ones, and all other files unchanged. `fetch` fetches the saved
   * file and passes it to `stage` with its format, if that is known; it is called again if the content has to be staged
   * as it was sent.
   */
  async function stageSaved<Result> (stored: FileInfo, fetch: (stage: Stage) => Promise<Result>): Promise<Result> {
    const { fileId, extension } = stored
    const asSent: Stage = async content => await storage.stage(fileId, content)
    const dialect = await dialectOfStored(stored)
    if (!dialect) return await fetch(asSent)

    let failure: unknown // a storage may reject with another error
    let isUnmatched = false
    try {
      const result = await fetch(async (content, filetype = extension) =>
        filetype === extension ? await storage.stage(fileId, restoring(content)) : await asSent(content, filetype)
      )
      if (isUnmatched) {
        log.warn(
          { fileId },
          'not all cells of a CSV file could keep their text: these are stored as the document server has written them'
        )
      }
      return result
    } catch (error) {
      if (!(failure instanceof NotRestorable)) throw error
      log.warn({ fileId, reason: failure.message }, 'a CSV file is stored as the document server has written it')
      return await fetch(asSent)
    }

    async function * restoring (saved: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      try {
        yield * restored({
          saved,
          stored: () => contentOf(fileId),
          dialect: dialect!,
          onUnmatched: () => {
            isUnmatched = true
          }
        })
      } catch (error) {
        failure = error
        throw error
      }
    }
  }

  async function * contentOf (fileId: string): AsyncGenerator<Uint8Array> {
    const file = await storage.read(fileId)
    if (!file) throw new NotRestorable('the stored file cannot be read')
    try {
      yield * file.body as AsyncIterable<Uint8Array>
    } finally {
      discard(file.body)
    }
  }

  /**
   * The dialect of a stored CSV file; `undefined` for any other file, for an empty one, and for one that cannot be
   * read.
   */
  async function dialectOfStored ({ fileId, extension, size }: FileInfo): Promise<Dialect | undefined> {
    if (!csv.preserve || !SEPARATORS.has(extension) || size === 0) return undefined
    try {
      const head = await storage.read(fileId, { start: 0, end: Math.min(size, HEAD_BYTES) - 1 })
      if (!head) return undefined
      const bytes = await bytesOf(head.body)
      const dialect = dialectOf(bytes, { legacyEncoding: csv.encoding, separator: SEPARATORS.get(extension) })
      if (!dialect || dialect.isMarked || size <= HEAD_BYTES || !isAscii(bytes)) return dialect
      return await isWhollyUtf8(contentOf(fileId)) ? dialect : { ...dialect, encoding: csv.encoding }
    } catch {
      return undefined
    }
  }
}
