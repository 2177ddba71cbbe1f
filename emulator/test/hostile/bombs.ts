import { strToU8, zipSync } from 'fflate'

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const ENTRY = Buffer.from('504b0102', 'hex')

/** A docx with this in its body, and what stands before its root element. */
function docxOf (body: string, before = ''): Buffer {
  return Buffer.from(zipSync({ 'word/document.xml': strToU8(`${before}<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`) }))
}

/** A zip file whose directory announces this size of every part, whatever it unpacks to. */
function announcing (size: number, zip: Buffer): Buffer {
  const changed = Buffer.from(zip)
  for (let at = changed.indexOf(ENTRY); at !== -1; at = changed.indexOf(ENTRY, at + 1)) changed.writeUInt32LE(size, at + 24)
  return changed
}

/** A zip file whose directory names one part several times. */
function repeating (times: number): Buffer {
  const zip = docxOf('<w:p/>')
  const start = zip.lastIndexOf(ENTRY)
  const end = zip.length - 22
  const entries = Array.from({ length: times }, (_, index) => {
    const entry = Buffer.from(zip.subarray(start, end))
    entry.write(String(index % 10), 46)
    return entry
  })
  const last = Buffer.from(zip.subarray(end))
  last.writeUInt16LE(times, 8)
  last.writeUInt16LE(times, 10)
  return Buffer.concat([zip.subarray(0, start), ...entries, last])
}

const MIB = 1024 * 1024
const PARAGRAPH = '<w:p><w:r><w:t>text</w:t></w:r></w:p>'

/** Documents that are refused, and the reason that the editor shows. */
export const bombs: Readonly<Record<string, { readonly bytes: () => Buffer, readonly reason: RegExp }>> = {
  'one part of 65 MiB': { bytes: () => announcing(65 * MIB, docxOf(PARAGRAPH)), reason: /unpacks to too many bytes/ },
  'a part that unpacks to more than its directory says': { bytes: () => announcing(100, docxOf(PARAGRAPH.repeat(1000))), reason: /100 bytes/ },
  'parts that share their bytes': { bytes: () => repeating(5), reason: /damaged/ },
  'more than 10000 parts': { bytes: () => repeating(10_001), reason: /more than 10000 parts/ },
  'a directory that is cut off': {
    bytes: () => {
      const zip = docxOf(PARAGRAPH)
      zip.writeUInt32LE(zip.length, zip.length - 6)
      return zip
    },
    reason: /damaged/
  },
  'no zip file': { bytes: () => Buffer.from('PK'.padEnd(100_000, 'P')), reason: /not a zip file/ },
  'elements a hundred thousand deep': { bytes: () => docxOf('<w:p>'.repeat(100_000) + '</w:p>'.repeat(100_000)), reason: /more than 256 levels deep/ },
  'half a million elements': { bytes: () => docxOf('<w:p/>'.repeat(500_000)), reason: /more than 400000 nodes/ },
  'entities that grow': {
    bytes: () => docxOf('<w:p>&c;</w:p>', '<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]>'),
    reason: /Document types are not allowed/
  },
  'a hundred thousand errors': { bytes: () => docxOf('< '.repeat(100_000)), reason: /tagName/ }
}
