import { contentTypes, DECLARATION, type Parts, relations } from './xml.js'

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

/** One empty paragraph on an A4 page. */
export function wordParts (): Parts {
  return {
    '[Content_Types].xml': contentTypes({ 'word/document.xml': 'wordprocessingml.document.main' }),
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml':
      `${DECLARATION}<w:document xmlns:w="${WORD}"><w:body><w:p/><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="709" w:footer="709" w:gutter="0"/></w:sectPr></w:body></w:document>`
  }
}
