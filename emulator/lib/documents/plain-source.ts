import { SEPARATED } from '../formats.js'
import { quoted, separatedRows } from './csv/file.js'

/** How a text file is to be read. Source: docs/document-server-protocol.md#conversion */
export interface PlainSource {
  /** Of `TextDecoder`; absent for UTF-8. */
  readonly encoding?: string
  /** Between the fields of a .csv file; absent for a comma. `''`: none. */
  readonly delimiter?: string
}

const ENCODINGS: Readonly<Record<string, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  1201: 'utf-16be',
  10000: 'macintosh',
  20866: 'koi8-r',
  21866: 'koi8-u',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030'
}
const DELIMITERS: Readonly<Record<string, string>> = { 0: '', 1: '\t', 2: ';', 3: ':', 4: ',', 5: ' ' }

/** Reads `codePage`, `delimiter` and `delimiterChar` of a request. What is unknown has the default. */
export function plainSourceOf ({ codePage, delimiter, delimiterChar }: Readonly<Record<string, unknown>>): PlainSource {
  const encoding = encodingOf(String(codePage))
  const given = typeof delimiterChar === 'string' && delimiterChar.length === 1
    ? delimiterChar
    : DELIMITERS[String(delimiter)]
  return { ...(encoding !== undefined && { encoding }), ...(given !== undefined && { delimiter: given }) }
}

function encodingOf (codePage: string): string | undefined {
  if (/^125[0-8]$/.test(codePage)) return `windows-${codePage}`
  const [, part] = /^28(59[1-9]|60[356])$/.exec(codePage) ?? []
  return part === undefined ? ENCODINGS[codePage] : `iso-8859-${Number(part) - 590}`
}

/** A text file in UTF-8, and a .csv, .tsv or .scsv file with commas. Other formats are unchanged. */
export function readablePlain (bytes: Uint8Array, fileType: string, { encoding, delimiter }: PlainSource): Uint8Array {
  const isSheet = fileType === 'csv' || SEPARATED.has(fileType)
  if (!isSheet && fileType !== 'txt') return bytes
  const separator = isSheet ? delimiter ?? SEPARATED.get(fileType) : undefined
  if (encoding === undefined && separator === undefined) return bytes
  const text = new TextDecoder(encoding ?? 'utf-8').decode(bytes)
  return Buffer.from(separator === undefined ? text : withCommas(text, separator))
}

function withCommas (text: string, delimiter: string): string {
  const rows = separatedRows(text, delimiter === '' ? '\0' : delimiter)
  return rows.map(fields => `${fields.map(field => quoted(field)).join(',')}\n`).join('')
}
