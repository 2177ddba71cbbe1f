import { zip } from '../zip.js'

/** Extension of the probe's document: every document server converts it to text. */
export const PROBE_FORMAT = 'docx'

const OOXML = 'http://schemas.openxmlformats.org'
const OFFICE = `${OOXML}/officeDocument/2006/relationships`
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The smallest document with a text. `text` contains nothing that XML would have to escape. */
export function probeDocument (text: string): Buffer {
  const parts = {
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${DECLARATION}<Relationships xmlns="${OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${DECLARATION}<w:document xmlns:w="${OOXML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`
  }
  return zip(parts, Object.keys(parts))
}
