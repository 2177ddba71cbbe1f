import type { Parts } from '../util/zip.js'
import type { Language, Paper } from './locale.js'
import { COLOURS, contentTypes, DECLARATION, FONT, relations, themePart } from './office-xml.js'

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const MARGIN_OF_HEADER = 708
/** In half points, by level. */
const HEADING_SIZES = [40, 32, 28, 26, 24, 22]

/** One empty paragraph, with the usual styles. */
export function wordParts (language: Language, paper: Paper): Parts {
  return {
    '[Content_Types].xml': contentTypes({
      'word/document.xml': 'wordprocessingml.document.main',
      'word/styles.xml': 'wordprocessingml.styles',
      'word/settings.xml': 'wordprocessingml.settings',
      'word/theme/theme1.xml': 'theme'
    }),
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': documentPart(language, paper),
    'word/_rels/document.xml.rels': relations(['styles', 'styles.xml'], ['settings', 'settings.xml'], [
      'theme',
      'theme/theme1.xml'
    ]),
    'word/styles.xml': stylesPart(language),
    'word/settings.xml': `${DECLARATION}<w:settings ${WORD}><w:defaultTabStop w:val="708"/><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat><w:themeFontLang ${languages(language)}/></w:settings>`,
    'word/theme/theme1.xml': themePart()
  }
}

function documentPart ({ writing }: Language, { width, height, margin }: Paper): string {
  const sides = ['top', 'right', 'bottom', 'left'].map(side => `w:${side}="${margin}"`).join(' ')
  const direction = writing === 'right-to-left' ? '<w:bidi/>' : ''
  return `${DECLARATION}<w:document ${WORD}><w:body><w:p/><w:sectPr><w:pgSz w:w="${width}" w:h="${height}"/><w:pgMar ${sides} w:header="${MARGIN_OF_HEADER}" w:footer="${MARGIN_OF_HEADER}" w:gutter="0"/><w:cols w:space="708"/>${direction}</w:sectPr></w:body></w:document>`
}

/** A document has a language for each kind of writing. The others are English or left out. */
function languages ({ tag, writing }: Language): string {
  if (writing === 'east-asian') return `w:val="en-US" w:eastAsia="${tag}"`
  return writing === 'right-to-left' ? `w:val="en-US" w:bidi="${tag}"` : `w:val="${tag}"`
}

function stylesPart (language: Language): string {
  const isRightToLeft = language.writing === 'right-to-left'
  const defaults = `<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="${FONT}" w:eastAsia="${FONT}" w:hAnsi="${FONT}" w:cs="${FONT}"/>${size(22)}<w:lang ${languages(language)}/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>`
  return `${DECLARATION}<w:styles ${WORD}>${defaults}${[
    `<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/>${isRightToLeft ? '<w:pPr><w:bidi/></w:pPr><w:rPr><w:rtl/></w:rPr>' : ''}</w:style>`,
    '<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/><w:uiPriority w:val="1"/><w:semiHidden/><w:unhideWhenUsed/></w:style>',
    '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:uiPriority w:val="99"/><w:semiHidden/><w:unhideWhenUsed/><w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>',
    '<w:style w:type="numbering" w:default="1" w:styleId="NoList"><w:name w:val="No List"/><w:uiPriority w:val="99"/><w:semiHidden/><w:unhideWhenUsed/></w:style>',
    ...HEADING_SIZES.map((halfPoints, index) => paragraphStyle({
      id: `Heading${index + 1}`,
      name: `heading ${index + 1}`,
      priority: 9,
      next: 'Normal',
      paragraph: `<w:keepNext/><w:keepLines/><w:spacing w:before="${index === 0 ? 360 : 240}" w:after="120"/><w:outlineLvl w:val="${index}"/>`,
      text: `<w:b/><w:bCs/><w:color w:val="${COLOURS.dk2}" w:themeColor="text2"/>${size(halfPoints)}`
    })),
    paragraphStyle({ id: 'Title', name: 'Title', priority: 10, next: 'Normal', paragraph: '<w:spacing w:before="0" w:after="120"/><w:contextualSpacing/>', text: `<w:color w:val="${COLOURS.dk2}" w:themeColor="text2"/>${size(56)}` }),
    paragraphStyle({ id: 'Subtitle', name: 'Subtitle', priority: 11, next: 'Normal', text: `<w:color w:val="595959"/>${size(28)}` }),
    paragraphStyle({ id: 'ListParagraph', name: 'List Paragraph', priority: 34, paragraph: '<w:ind w:left="720"/><w:contextualSpacing/>' }),
    paragraphStyle({ id: 'Header', name: 'header', priority: 99, paragraph: TABS_OF_HEADER }),
    paragraphStyle({ id: 'Footer', name: 'footer', priority: 99, paragraph: TABS_OF_HEADER }),
    `<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:basedOn w:val="DefaultParagraphFont"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:rPr><w:color w:val="${COLOURS.hlink}" w:themeColor="hyperlink"/><w:u w:val="single"/></w:rPr></w:style>`,
    `<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/><w:uiPriority w:val="39"/><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:tblPr><w:tblBorders>${['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map(border => `<w:${border} w:val="single" w:sz="4" w:space="0" w:color="auto"/>`).join('')}</w:tblBorders></w:tblPr></w:style>`
  ].join('')}</w:styles>`
}

const TABS_OF_HEADER =
  '<w:tabs><w:tab w:val="center" w:pos="4536"/><w:tab w:val="right" w:pos="9072"/></w:tabs><w:spacing w:after="0" w:line="240" w:lineRule="auto"/>'

interface ParagraphStyle {
  readonly id: string
  readonly name: string
  readonly priority: number
  readonly next?: string
  readonly paragraph?: string
  readonly text?: string
}

function paragraphStyle ({ id, name, priority, next, paragraph, text }: ParagraphStyle): string {
  return `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/>${next === undefined ? '' : `<w:next w:val="${next}"/>`}<w:uiPriority w:val="${priority}"/>${priority === 99 ? '<w:unhideWhenUsed/>' : '<w:qFormat/>'}${paragraph === undefined ? '' : `<w:pPr>${paragraph}</w:pPr>`}${text === undefined ? '' : `<w:rPr>${text}</w:rPr>`}</w:style>`
}

function size (halfPoints: number): string {
  return `<w:sz w:val="${halfPoints}"/><w:szCs w:val="${halfPoints}"/>`
}
