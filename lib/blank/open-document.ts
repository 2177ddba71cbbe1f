import { mediaTypeOf } from '../document-server/formats.js'
import type { Parts } from '../util/zip.js'
import { type Language, type Paper, sheetName } from './locale.js'
import { COLOURS, DECLARATION, FONT } from './office-open-xml.js'

type Format = 'odt' | 'ods' | 'odp'

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns'
const NAMESPACES = [
  ...['office', 'style', 'text', 'table', 'presentation'].map(name => `xmlns:${name}="${OASIS}:${name}:1.0"`),
  `xmlns:draw="${OASIS}:drawing:1.0"`,
  `xmlns:fo="${OASIS}:xsl-fo-compatible:1.0"`,
  `xmlns:svg="${OASIS}:svg-compatible:1.0"`,
  `xmlns:meta="${OASIS}:meta:1.0"`,
  'xmlns:dc="http://purl.org/dc/elements/1.1/"'
].join(' ')

const FILES = ['content.xml', 'styles.xml', 'meta.xml']
/** In points, by level. */
const HEADING_SIZES = [20, 16, 14, 13, 12, 11]
const TWIPS_PER_INCH = 1440

/** An empty document, sheet or title slide. `mimetype` must be stored without compression. */
export function openDocumentParts (format: Format, language: Language, paper: Paper): Parts {
  const mediaType = mediaTypeOf(format)
  const entries = FILES.map(file =>
    `<manifest:file-entry manifest:full-path="${file}" manifest:media-type="text/xml"/>`
  ).join('')
  return {
    mimetype: mediaType,
    'META-INF/manifest.xml':
      `${DECLARATION}<manifest:manifest xmlns:manifest="${OASIS}:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="${mediaType}"/>${entries}</manifest:manifest>`,
    'content.xml': part('document-content', `<office:body>${bodies[format](language)}</office:body>`),
    'styles.xml': part('document-styles', stylesOf(format, language, paper)),
    'meta.xml': part('document-meta', `<office:meta><dc:language>${language.tag}</dc:language></office:meta>`)
  }
}

function part (element: string, content: string): string {
  return `${DECLARATION}<office:${element} ${NAMESPACES} office:version="1.2">${content}</office:${element}>`
}

const bodies: Readonly<Record<Format, (language: Language) => string>> = {
  odt: () => '<office:text><text:p text:style-name="Standard"/></office:text>',
  ods: language => `<office:spreadsheet><table:table table:name="${sheetName(language)}" table:style-name="Sheet"><table:table-column/><table:table-row><table:table-cell/></table:table-row></table:table></office:spreadsheet>`,
  odp: () => `<office:presentation><draw:page draw:name="page1" draw:master-page-name="Default" presentation:presentation-page-layout-name="TitleSlide">${placeholder('title', 2, 4, 24, 5)}${placeholder('subtitle', 2, 9.5, 24, 4)}</draw:page></office:presentation>`
}

/** Lengths are in centimetres. */
function placeholder (kind: string, left: number, top: number, width: number, height: number): string {
  return `<draw:frame presentation:style-name="Default-${kind}" draw:layer="layout" svg:x="${left}cm" svg:y="${top}cm" svg:width="${width}cm" svg:height="${height}cm" presentation:class="${kind}" presentation:placeholder="true"><draw:text-box/></draw:frame>`
}

function stylesOf (format: Format, language: Language, paper: Paper): string {
  const { fonts, styles, layout, masters } = sections[format](language, paper)
  return `<office:font-face-decls><style:font-face style:name="${FONT}" svg:font-family="${FONT}" style:font-family-generic="swiss"/></office:font-face-decls><office:styles>${fonts}${styles}</office:styles><office:automatic-styles><style:page-layout style:name="page">${layout}</style:page-layout></office:automatic-styles><office:master-styles>${masters}</office:master-styles>`
}

const sections = {
  odt: (language: Language, paper: Paper) => ({
    fonts: defaultStyle('paragraph', language, 11),
    styles: [
      '<style:style style:name="Standard" style:family="paragraph" style:class="text"><style:paragraph-properties fo:margin-bottom="0.11in" fo:line-height="115%"/></style:style>',
      ...HEADING_SIZES.map((points, index) => `<style:style style:name="Heading_20_${index + 1}" style:display-name="Heading ${index + 1}" style:family="paragraph" style:parent-style-name="Standard" style:next-style-name="Standard" style:default-outline-level="${index + 1}" style:class="text"><style:paragraph-properties fo:margin-top="0.17in" fo:margin-bottom="0.08in" fo:keep-with-next="always"/><style:text-properties fo:color="#${COLOURS.dk2}" fo:font-size="${points}pt" fo:font-weight="bold"/></style:style>`)
    ].join(''),
    layout: pageProperties(language, paper),
    masters: masterPage('Standard')
  }),
  ods: (language: Language, paper: Paper) => ({
    fonts: defaultStyle('table-cell', language, 10),
    styles: '<style:style style:name="Default" style:family="table-cell"/>',
    layout: pageProperties(language, paper),
    masters: masterPage('Default')
  }),
  odp: (language: Language) => ({
    fonts: defaultStyle('graphic', language, 18),
    styles: `<style:presentation-page-layout style:name="TitleSlide">${['title', 'subtitle'].map(kind => `<presentation:placeholder presentation:object="${kind}" svg:x="2cm" svg:y="${kind === 'title' ? 4 : 9.5}cm" svg:width="24cm" svg:height="${kind === 'title' ? 5 : 4}cm"/>`).join('')}</style:presentation-page-layout>${presentationStyle('title', 40, 'bottom')}${presentationStyle('subtitle', 24, 'top')}`,
    layout: '<style:page-layout-properties fo:page-width="28cm" fo:page-height="15.75cm" fo:margin="0cm" style:print-orientation="landscape"/>',
    masters: masterPage('Default')
  })
}

function masterPage (name: string): string {
  return `<style:master-page style:name="${name}" style:page-layout-name="page"/>`
}

function presentationStyle (kind: string, points: number, align: string): string {
  return `<style:style style:name="Default-${kind}" style:family="presentation"><style:graphic-properties draw:stroke="none" draw:fill="none" draw:textarea-vertical-align="${align}"/><style:paragraph-properties fo:text-align="center"/><style:text-properties fo:font-size="${points}pt"/></style:style>`
}

function pageProperties ({ writing }: Language, { width, height, margin }: Paper): string {
  const mode = writing === 'right-to-left' ? 'rl-tb' : 'lr-tb'
  return `<style:page-layout-properties fo:page-width="${inches(width)}" fo:page-height="${inches(height)}" fo:margin-top="${inches(margin)}" fo:margin-bottom="${inches(margin)}" fo:margin-left="${inches(margin)}" fo:margin-right="${inches(margin)}" style:print-orientation="portrait" style:writing-mode="${mode}"/>`
}

function inches (twips: number): string {
  return `${(twips / TWIPS_PER_INCH).toFixed(4)}in`
}

/** A document has a language for each kind of writing. */
function defaultStyle (family: string, { language, region, writing }: Language, points: number): string {
  const suffix = { western: '', 'east-asian': '-asian', 'right-to-left': '-complex' }[writing]
  const [languageName, countryName] = suffix === '' ? ['fo:language', 'fo:country'] : [`style:language${suffix}`, `style:country${suffix}`]
  const direction = writing === 'right-to-left' ? '<style:paragraph-properties fo:text-align="end" style:writing-mode="rl-tb"/>' : ''
  return `<style:default-style style:family="${family}">${direction}<style:text-properties style:font-name="${FONT}" fo:font-size="${points}pt" ${languageName}="${language}" ${countryName}="${region || 'none'}"/></style:default-style>`
}
