import { strToU8, zipSync } from 'fflate'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OPEN = 'urn:oasis:names:tc:opendocument:xmlns'

/** Documents by their format, each with a picture that is to be fetched from an address. */
export function linkingDocuments (address: (format: string) => string): Record<string, Uint8Array> {
  return {
    html: Buffer.from(`<link rel="stylesheet" href="${address('html')}"><p>a<img src="${address('html')}"></p>`),
    docx: docx(address('docx')),
    odt: openDocument('text', `<office:text><text:p>${picture(address('odt'))}</text:p></office:text>`),
    ods: openDocument('spreadsheet', `<office:spreadsheet><table:table table:name="S"><table:shapes>${picture(address('ods'))}</table:shapes><table:table-row><table:table-cell/></table:table-row></table:table></office:spreadsheet>`),
    odp: openDocument('presentation', `<office:presentation><draw:page>${picture(address('odp'))}</draw:page></office:presentation>`)
  }
}

function packed (parts: Record<string, string>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, [strToU8(content), { level: name === 'mimetype' ? 0 : 6 }]])))
}

function openDocument (kind: string, body: string): Uint8Array {
  const type = `application/vnd.oasis.opendocument.${kind}`
  return packed({
    mimetype: type,
    'META-INF/manifest.xml':
      `<m:manifest xmlns:m="${OPEN}:manifest:1.0"><m:file-entry m:full-path="/" m:media-type="${type}"/><m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>`,
    'content.xml':
      `<office:document-content office:version="1.2" xmlns:office="${OPEN}:office:1.0" xmlns:text="${OPEN}:text:1.0" xmlns:table="${OPEN}:table:1.0" xmlns:draw="${OPEN}:drawing:1.0" xmlns:svg="${OPEN}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"><office:body>${body}</office:body></office:document-content>`
  })
}

function picture (address: string): string {
  return `<draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${address}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>`
}

function docx (address: string): Uint8Array {
  const drawing = 'http://schemas.openxmlformats.org/drawingml/2006'
  const relations = (...entries: string[]) => `<Relationships xmlns="${RELATIONS}">${entries.join('')}</Relationships>`
  return packed({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': relations(
      `<Relationship Id="rId1" Type="${OFFICE}/relationships/officeDocument" Target="word/document.xml"/>`
    ),
    'word/_rels/document.xml.rels': relations(
      `<Relationship Id="rId1" Type="${OFFICE}/relationships/image" Target="${address}" TargetMode="External"/>`
    ),
    'word/document.xml':
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}/relationships" xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:pic="${drawing}/picture"><w:body><w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="${drawing}/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p></w:body></w:document>`
  })
}
