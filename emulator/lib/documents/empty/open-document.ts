import { DECLARATION, type Parts } from './xml.js'

type Kind = 'text' | 'spreadsheet' | 'presentation'

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
const BODIES: Readonly<Record<Kind, string>> = {
  text: '<text:p/>',
  spreadsheet:
    '<table:table table:name="Sheet1"><table:table-column/><table:table-row><table:table-cell/></table:table-row></table:table>',
  presentation: '<draw:page draw:name="page1" draw:master-page-name="Default"/>'
}

/** An empty document, sheet or slide. */
export function openDocumentParts (kind: Kind): Parts {
  const mediaType = `application/vnd.oasis.opendocument.${kind}`
  return {
    mimetype: mediaType,
    'META-INF/manifest.xml':
      `${DECLARATION}<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="${mediaType}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    'content.xml': part(
      'document-content',
      `<office:body><office:${kind}>${BODIES[kind]}</office:${kind}></office:body>`
    ),
    'styles.xml': part(
      'document-styles',
      '<office:automatic-styles><style:page-layout style:name="page"/></office:automatic-styles><office:master-styles><style:master-page style:name="Default" style:page-layout-name="page"/></office:master-styles>'
    )
  }
}

function part (element: string, content: string): string {
  const namespaces = ['office', 'text', 'table', 'style'].map(name => `xmlns:${name}="${OASIS}:${name}:1.0"`).join(' ')
  return `${DECLARATION}<office:${element} ${namespaces} xmlns:draw="${OASIS}:drawing:1.0" office:version="1.2">${content}</office:${element}>`
}
