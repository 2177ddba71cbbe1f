import type { Test } from 'tap'
import { type Editing, startEditing, type EditingOptions } from '../kit/editing.js'
import { memoryLog } from '../kit/log.js'

export const MARK = '\ufeff'

export interface CsvService {
  readonly editing: Editing
  /** Stores a file, saves the text as the document server has written it, and resolves to what is stored then. */
  save (stored: string | Uint8Array, saved: string | Uint8Array, fields?: object): Promise<Buffer>
  /** The warnings so far, and no longer later. */
  warnings (): string[]
}

/** A service whose documents are CSV files. */
export async function startCsv (t: Test, options: EditingOptions = {}): Promise<CsvService> {
  let served: string | Uint8Array = ''
  const log = memoryLog()
  let seen = 0
  const editing = await startEditing(t, {
    memory: true,
    server: log.server,
    ...options,
    serve: (_request, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end(served)
  })
  let saves = 0
  return {
    editing,
    async save (stored, saved, fields = {}) {
      served = saved
      const { fileId } = await editing.storage.create('csv', Buffer.from(stored as string))
      const key = await editing.openedKey(fileId)
      t.equal(await editing.post({ key, status: 2, filetype: 'csv', url: `${editing.url}&save=${saves++}`, ...fields }, fileId), 0)
      const file = await editing.storage.read(fileId)
      return Buffer.concat(await file!.body.toArray())
    },
    warnings () {
      const lines = log.records().filter(({ level }) => level >= 40).slice(seen)
      seen += lines.length
      return lines.map(({ msg, reason }: { msg: string, reason?: string }) => reason === undefined ? msg : `${msg}: ${reason}`)
    }
  }
}

/** As the document server writes rows: commas, a byte order mark, line feeds, numbers anew, and an empty cell more. */
export function asServer (rows: ReadonlyArray<readonly string[]>): string {
  return MARK + rows.map(row =>
    [...row, ''].map(value => {
      const shown = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)
        ? String(Number(Number(value).toPrecision(15)))
        : /^(true|false)$/i.test(value)
          ? value.toUpperCase()
          : value
      return /[",\n\r]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
    }).join(',') + '\n'
  ).join('')
}
