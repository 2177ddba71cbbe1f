const ROWS = 700_000
const EDITED = 350_000

/** A file of about 50 MB, in parts. */
export function * parts (row: (index: number) => string): Generator<Buffer> {
  for (let index = 0; index < ROWS; index += 1000) yield Buffer.from(Array.from({ length: 1000 }, (_, offset) => row(index + offset)).join(''))
}

const textOf = (index: number) => index === EDITED ? 'new text' : 'some text that is the same'

/** Rows as they are stored, as the document server sends them, and as they have to be stored then. */
export const before = (index: number) => `${String(index).padStart(9, '0')};Kunde Nummer ${index}; "x" ;1.50;some text that is the same\r\n`
export const sent = (index: number) => `${index},Kunde Nummer ${index}," ""x"" ",1.5,${textOf(index)},\n`
export const after = (index: number) => `${index};Kunde Nummer ${index};" ""x"" ";1.5;${textOf(index)}\r\n`
