import { crc32 } from 'node:zlib'

/** Extension of the probe's document: every document server converts it to text. */
export const PROBE_FORMAT = 'docx'

const OOXML = 'http://schemas.openxmlformats.org'
const OFFICE = `${OOXML}/officeDocument/2006/relationships`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The smallest document with a text. `text` contains nothing that XML would have to escape. */
export function probeDocument (text: string): Buffer {
  return zip({
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${DECLARATION}<Relationships xmlns="${OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${DECLARATION}<w:document xmlns:w="${OOXML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`
  })
}

/** A zip file with uncompressed entries. Source: APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16. */
function zip (files: Readonly<Record<string, string>>): Buffer {
  const names = Object.keys(files)
  const entries: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const name of names) {
    const content = Buffer.from(files[name]!)
    // Version 2.0, no flags, stored, 1980-01-01.
    const common = Buffer.concat([words(20, 0, 0, 0, 0x21), doubleWords(crc32(content), content.length, content.length), words(name.length, 0)])
    const entry = Buffer.concat([doubleWords(0x04034b50), common, Buffer.from(name), content])
    directory.push(doubleWords(0x02014b50), words(20), common, words(0, 0, 0), doubleWords(0, offset), Buffer.from(name))
    entries.push(entry)
    offset += entry.length
  }
  const index = Buffer.concat(directory)
  return Buffer.concat([...entries, index, doubleWords(0x06054b50), words(0, 0, names.length, names.length), doubleWords(index.length, offset), words(0)])
}

function words (...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  values.forEach((value, index) => bytes.writeUInt16LE(value, 2 * index))
  return bytes
}

function doubleWords (...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, index) => bytes.writeUInt32LE(value, 4 * index))
  return bytes
}
