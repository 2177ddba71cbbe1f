import type { Time } from '../protocol/clock/time.js'
import { readableDoc } from '../documents/extract/readable.js'
import { textBlocks } from '../documents/extract/extract.js'
import { openEditable } from '../documents/open.js'
import { documentServerError } from '../errors.js'
import type { OutboundClient } from '../protocol/outbound/client.js'
import { download } from '../protocol/outbound/download.js'
import type { Tokens } from '../protocol/tokens/tokens.js'

export interface FetchParts {
  readonly client: OutboundClient
  readonly time: Time
  readonly tokens: Tokens
}

type Fields = Record<string, unknown>

/** Source: docs/document-server-protocol.md#its-order-and-its-effects */
const BAD_TOKEN = -20
const NOT_DOWNLOADED = -4

const MAX_IMAGES = 20
/** The columns of a spreadsheet that can have the recipients' fields. */
const MAX_FIELDS = 30

/**
 * Files that the embedding page hands to the editor. The document server fetches them; only what a token signs counts.
 */
export function handedOver ({ client, time, tokens }: FetchParts) {
  async function read (data: unknown): Promise<{ fileType: string, bytes: Uint8Array }> {
    const { url, fileType } = trustedFields(tokens, data)
    const type = String(fileType ?? '').toLowerCase()
    return { fileType: type, bytes: await fetchFile(client, time, url, type) }
  }

  async function sheets (data: unknown) {
    const { fileType, bytes } = await read(data)
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
      const signed = Boolean(token) && tokens.areRequired
      const { images, url } = signed ? trustedFields(tokens, data) : fieldsOf(data)
      if (Array.isArray(images) && images.length > MAX_IMAGES) {
        throw documentServerError(-1, `At most ${MAX_IMAGES} images can be inserted at once.`)
      }
      const urls = Array.isArray(images) ? images.map(image => fieldsOf(image).url) : [url]
      return await Promise.all(urls.map(async url => await fetchFile(client, time, url, '', { signed })))
    },
    async lines (data: unknown): Promise<string[]> {
      const { fileType, bytes } = await read(data)
      return linesOf(fileType, bytes)
    },
    /** As JSON. */
    async doc (data: unknown): Promise<object> {
      const { fileType, bytes } = await read(data)
      return readableDoc(fileType, bytes).toJSON() as object
    },
    /** The rows of the first sheet. The first row has the names of the fields. */
    async rows (data: unknown): Promise<string[][]> {
      const [first] = await sheets(data)
      if (first === undefined) return []
      const { cells, rows, columns } = first
      const width = Math.min(columns, MAX_FIELDS)
      const all = Array.from(
        { length: rows },
        (_, row) => Array.from({ length: width }, (_, column) => cells[`${columnName(column)}${row + 1}`]?.text ?? '')
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

/** The token's fields; without tokens, those given. */
export function trustedFields (tokens: Tokens, data: unknown): Fields {
  const given = fieldsOf(data)
  if (!tokens.areRequired) return given
  const verified = tokens.verify(String(given.token ?? ''))
  if ('rejected' in verified) throw badToken(`The token is missing or not valid (${verified.rejected}).`)
  if (!tokens.purposes.allowsElsewhere(verified.claims)) throw badToken('The token was made for another operation.')
  return verified.claims
}

export function badToken (message: string): Error {
  return documentServerError(BAD_TOKEN, message)
}

export async function fetchFile (
  client: OutboundClient,
  time: Time,
  url: unknown,
  fileType: string,
  options?: { readonly signed?: boolean }
): Promise<Uint8Array> {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
    throw documentServerError(NOT_DOWNLOADED, 'There is no URL to fetch the file from.')
  }
  try {
    return await download(client, time, url, fileType, options)
  } catch (error) {
    throw documentServerError(NOT_DOWNLOADED, 'The document server cannot download the file.', error)
  }
}

function linesOf (fileType: string, bytes: Uint8Array): string[] {
  try {
    return (textBlocks(fileType, bytes) ?? []).map(({ text }) => text)
  } catch {
    return []
  }
}

export function fieldsOf (value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value as Fields : {}
}

function columnName (index: number): string {
  return (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + index % 26)
}
