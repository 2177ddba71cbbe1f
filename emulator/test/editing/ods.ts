import { strToU8, zipSync } from 'fflate'

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
const NAMESPACES = ['office', 'text', 'table', 'style'].map(name => `xmlns:${name}="${OASIS}:${name}:1.0"`).join(' ')

/** An .ods with a table of these rows, or with these tables. */
export function openSheetFile (content: string, styles = '', attributes = ''): Uint8Array {
  const tables = content.includes('<table:table ')
    ? content
    : `<table:table table:name="S" ${attributes}>${content}</table:table>`
  return zipSync({
    mimetype: [strToU8('application/vnd.oasis.opendocument.spreadsheet'), { level: 0 }],
    'content.xml': strToU8(
      `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMESPACES} xmlns:number="${OASIS}:datastyle:1.0" xmlns:fo="${OASIS}:xsl-fo-compatible:1.0" office:version="1.3"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`
    ),
    'META-INF/manifest.xml': strToU8(
      `<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0" manifest:version="1.3"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`
    )
  })
}

export const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`
export const number = (value: number, attributes = '') =>
  `<table:table-cell office:value-type="float" office:value="${value}" ${attributes}><text:p>${value}</text:p></table:table-cell>`
export const string = (value: string, attributes = '') =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`
export const formula = (of: string, value: number, attributes = '') => number(value, `table:formula="of:=${of}" ${attributes}`)
