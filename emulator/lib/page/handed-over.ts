import { type Editing, fieldsOf } from '../editing.js'
import { documentServerError } from '../errors.js'

/**
 * Files that the embedding page hands to the editor. The document server fetches them; only what a token signs counts.
 */
export function handedOver (editing: Editing) {
  async function read (data: unknown): Promise<{ fileType: string, bytes: Uint8Array }> {
    const { url, fileType } = editing.trusted(data)
    const type = String(fileType ?? '').toLowerCase()
    return { fileType: type, bytes: await editing.download(url, type) }
  }

  async function sheets (data: unknown) {
    const { fileType, bytes } = await read(data)
    const { openEditable } = await import('../documents/open.js')
    const view = openEditable(fileType, bytes).view()
    if (view.kind !== 'grid') {
      throw documentServerError(-1, `A file of the type ${fileType || '(none)'} cannot be read as a spreadsheet.`)
    }
    return view.sheets
  }

  return {
    /** Images may be unsigned: they are then fetched without a token. */
    async images (data: unknown): Promise<Uint8Array[]> {
      const { token } = fieldsOf(data)
      const signed = Boolean(token) && editing.needsTokens
      const { images, url } = signed ? editing.trusted(data) : fieldsOf(data)
      const urls = Array.isArray(images) ? images.map(image => fieldsOf(image).url) : [url]
      return await Promise.all(urls.map(async url => await editing.download(url, '', { signed })))
    },
    async lines (data: unknown): Promise<string[]> {
      const { fileType, bytes } = await read(data)
      return await linesOf(fileType, bytes)
    },
    /** As JSON. */
    async doc (data: unknown): Promise<object> {
      const { fileType, bytes } = await read(data)
      return await readable(fileType, bytes)
    },
    /** The rows of the first sheet. The first row has the names of the fields. */
    async rows (data: unknown): Promise<string[][]> {
      const [first] = await sheets(data)
      if (first === undefined) return []
      const { cellName } = await import('../documents/workbook/references.js')
      const { cells, rows, columns } = first
      const all = Array.from(
        { length: rows },
        (_, row) => Array.from({ length: columns }, (_, column) => cells[cellName({ row: row + 1, column: column + 1 })]?.text ?? '')
      )
      const used = Math.max(0, ...all.map(row => row.findLastIndex(text => text !== '') + 1))
      return all.map(row => row.slice(0, used)).filter(row => row.some(text => text !== ''))
    },
    /** What a cell shows; `''` if there is none. */
    async cell (data: unknown, sheet: unknown, cell: unknown): Promise<string> {
      const found = (await sheets(data)).find(({ name }) => name === sheet)
      if (found === undefined) throw documentServerError(-1, `The file has no sheet ${String(sheet)}.`)
      return found.cells[String(cell)]?.text ?? ''
    }
  }
}

async function linesOf (fileType: string, bytes: Uint8Array): Promise<string[]> {
  const { textBlocks } = await import('../documents/extract/extract.js')
  try {
    return (textBlocks(fileType, bytes) ?? []).map(({ text }) => text)
  } catch {
    return []
  }
}

/** A file as the page shows it without editing it, as JSON. */
export async function readable (fileType: string, bytes: Uint8Array): Promise<object> {
  const { readableDoc } = await import('../documents/extract/readable.js')
  return readableDoc(fileType, bytes).toJSON() as object
}
