import type { Parts } from '../util/zip.js'
import { type Language, type Paper, sheetName } from './locale.js'

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
/** The namespace of relationships between the parts of an office package. */
const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

type Relation = readonly [kind: string, target: string]
/** A part of a package, and the parts that it refers to as `rId1`, `rId2`, … */
type Part = readonly [type: string, content: string, ...relations: Relation[]]

/** A package of these parts by path, of which the first one is the main part. */
function officePackage (parts: Readonly<Record<string, Part>>): Parts {
  const [main] = Object.keys(parts)
  const types = Object.entries(parts).map(([path, [type]]) => `<Override PartName="/${path}" ContentType="${OFFICE_TYPE}.${type}+xml"/>`)
  return {
    '[Content_Types].xml': `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relationsPart([['officeDocument', main!]]),
    ...Object.fromEntries(Object.entries(parts).flatMap(([path, [, content, ...relations]]) => [
      [path, content],
      ...relations.length > 0 ? [[path.replace(/[^/]+$/, '_rels/$&.rels'), relationsPart(relations)]] : []
    ]))
  }
}

function relationsPart (relations: readonly Relation[]): string {
  const entries = relations.map(([kind, target], index) =>
    `<Relationship Id="rId${index + 1}" Type="${OFFICE_RELATIONS}/${kind}" Target="${target}"/>`
  )
  return `${DECLARATION}<Relationships xmlns="${RELATIONSHIPS}">${entries.join('')}</Relationships>`
}

/** The font of new documents. Document servers have it, or one with the same widths. */
export const FONT = 'Arial'

/** Colours by their names in the theme. */
export const COLOURS = {
  dk1: '000000',
  lt1: 'FFFFFF',
  dk2: '1F2A44',
  lt2: 'EEF1F5',
  accent1: '2F6FDE',
  accent2: 'E07A1F',
  accent3: '2E9E6B',
  accent4: 'D9A514',
  accent5: '7A4FBF',
  accent6: '1F9BAE',
  hlink: '1A5FD0',
  folHlink: '6B3FA0'
} as const

const FONTS = `<a:latin typeface="${FONT}"/><a:ea typeface=""/><a:cs typeface=""/>`
const FILL = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
const LINES = [6350, 12700, 19050].map(width => `<a:ln w="${width}">${FILL}</a:ln>`).join('')
const EFFECT = '<a:effectStyle><a:effectLst/></a:effectStyle>'

/** The theme of an office package: colours and fonts. Each kind of style must be there three times. */
function themePart (): string {
  const colours = Object.entries(COLOURS).map(([name, value]) => `<a:${name}><a:srgbClr val="${value}"/></a:${name}>`)
  const styles = [
    `<a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst>`,
    `<a:lnStyleLst>${LINES}</a:lnStyleLst>`,
    `<a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst>`,
    `<a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst>`
  ].join('')
  return `${DECLARATION}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">${colours.join('')}</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>${FONTS}</a:majorFont><a:minorFont>${FONTS}</a:minorFont></a:fontScheme><a:fmtScheme name="Plain">${styles}</a:fmtScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/></a:theme>`
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const MARGIN_OF_HEADER = 708
/** In half points, by level. */
const HEADING_SIZES = [40, 32, 28, 26, 24, 22]

/** One empty paragraph, with the usual styles. */
export function wordParts (language: Language, paper: Paper): Parts {
  return officePackage({
    'word/document.xml': [
      'wordprocessingml.document.main', documentPart(language, paper),
      ['styles', 'styles.xml'], ['settings', 'settings.xml'], ['theme', 'theme/theme1.xml']
    ],
    'word/styles.xml': ['wordprocessingml.styles', stylesPart(language)],
    'word/settings.xml': ['wordprocessingml.settings', `${DECLARATION}<w:settings ${WORD}><w:defaultTabStop w:val="708"/><w:compat><w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat><w:themeFontLang ${languages(language)}/></w:settings>`],
    'word/theme/theme1.xml': ['theme', themePart()]
  })
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
    ...HEADING_SIZES.map((halfPoints, index) => paragraphStyle(`Heading${index + 1}`, `heading ${index + 1}`, 9, {
      next: 'Normal',
      paragraph: `<w:keepNext/><w:keepLines/><w:spacing w:before="${index === 0 ? 360 : 240}" w:after="120"/><w:outlineLvl w:val="${index}"/>`,
      text: `<w:b/><w:bCs/><w:color w:val="${COLOURS.dk2}" w:themeColor="text2"/>${size(halfPoints)}`
    })),
    paragraphStyle('Title', 'Title', 10, { next: 'Normal', paragraph: '<w:spacing w:before="0" w:after="120"/><w:contextualSpacing/>', text: `<w:color w:val="${COLOURS.dk2}" w:themeColor="text2"/>${size(56)}` }),
    paragraphStyle('Subtitle', 'Subtitle', 11, { next: 'Normal', text: `<w:color w:val="595959"/>${size(28)}` }),
    paragraphStyle('ListParagraph', 'List Paragraph', 34, { paragraph: '<w:ind w:left="720"/><w:contextualSpacing/>' }),
    paragraphStyle('Header', 'header', 99, { paragraph: TABS_OF_HEADER }),
    paragraphStyle('Footer', 'footer', 99, { paragraph: TABS_OF_HEADER }),
    `<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:basedOn w:val="DefaultParagraphFont"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:rPr><w:color w:val="${COLOURS.hlink}" w:themeColor="hyperlink"/><w:u w:val="single"/></w:rPr></w:style>`,
    `<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/><w:uiPriority w:val="39"/><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:tblPr><w:tblBorders>${['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map(border => `<w:${border} w:val="single" w:sz="4" w:space="0" w:color="auto"/>`).join('')}</w:tblBorders></w:tblPr></w:style>`
  ].join('')}</w:styles>`
}

const TABS_OF_HEADER =
  '<w:tabs><w:tab w:val="center" w:pos="4536"/><w:tab w:val="right" w:pos="9072"/></w:tabs><w:spacing w:after="0" w:line="240" w:lineRule="auto"/>'

function paragraphStyle (id: string, name: string, priority: number, { next = '', paragraph = '', text = '' }): string {
  return `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/>${next && `<w:next w:val="${next}"/>`}<w:uiPriority w:val="${priority}"/>${priority === 99 ? '<w:unhideWhenUsed/>' : '<w:qFormat/>'}${paragraph && `<w:pPr>${paragraph}</w:pPr>`}${text && `<w:rPr>${text}</w:rPr>`}</w:style>`
}

function size (halfPoints: number): string {
  return `<w:sz w:val="${halfPoints}"/><w:szCs w:val="${halfPoints}"/>`
}

const SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const PLAIN = 'numFmtId="0" fontId="0" fillId="0" borderId="0"'

/** One empty sheet. */
export function workbookParts (language: Language, { code }: Paper): Parts {
  const direction = language.writing === 'right-to-left' ? ' rightToLeft="1"' : ''
  return officePackage({
    'xl/workbook.xml': [
      'spreadsheetml.sheet.main', `${DECLARATION}<workbook ${SPREADSHEET} xmlns:r="${OFFICE_RELATIONS}"><bookViews><workbookView/></bookViews><sheets><sheet name="${sheetName(language)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml'], ['theme', 'theme/theme1.xml']
    ],
    'xl/worksheets/sheet1.xml': ['spreadsheetml.worksheet', `${DECLARATION}<worksheet ${SPREADSHEET}><sheetViews><sheetView${direction} tabSelected="1" workbookViewId="0"/></sheetViews><sheetFormatPr defaultRowHeight="15"/><sheetData/><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><pageSetup paperSize="${code}"/></worksheet>`],
    'xl/styles.xml': ['spreadsheetml.styles', workbookStyles()],
    'xl/theme/theme1.xml': ['theme', themePart()]
  })
}

function workbookStyles (): string {
  const parts = [
    `<fonts count="1"><font><sz val="11"/><color theme="1"/><name val="${FONT}"/><family val="2"/></font></fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    `<cellStyleXfs count="1"><xf ${PLAIN}/></cellStyleXfs>`,
    `<cellXfs count="1"><xf ${PLAIN} xfId="0"/></cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
  ]
  return `${DECLARATION}<styleSheet ${SPREADSHEET}>${parts.join('')}</styleSheet>`
}

const NAMESPACES =
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE_RELATIONS}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
const SLIDE_COLOURS =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
const COLOURS_OF_MASTER = '<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>'

/** Left, top, width and height, in EMU: 914,400 are an inch. The slide is 13⅓ by 7½ inches. */
type Box = readonly [left: number, top: number, width: number, height: number]

interface Placeholder {
  readonly type: 'title' | 'ctrTitle' | 'subTitle' | 'body' | 'obj'
  readonly index?: number
  /** Inherited from the master or layout if left out. */
  readonly box?: Box
  readonly body?: string
}

const TITLE: Placeholder = {
  type: 'title',
  box: [838_200, 457_200, 10_515_600, 1_143_000],
  body: '<a:bodyPr anchor="ctr"><a:normAutofit/></a:bodyPr>'
}
const CONTENT: Placeholder = {
  type: 'body',
  index: 1,
  box: [838_200, 1_752_600, 10_515_600, 4_419_600],
  body: '<a:bodyPr><a:normAutofit/></a:bodyPr>'
}

const LAYOUTS: ReadonlyArray<{ name: string, type: string, placeholders: readonly Placeholder[] }> = [
  {
    name: 'Title Slide',
    type: 'title',
    placeholders: [
      { type: 'ctrTitle', box: [1_524_000, 1_371_600, 9_144_000, 2_133_600], body: '<a:bodyPr anchor="b"/>' },
      { type: 'subTitle', index: 1, box: [1_524_000, 3_657_600, 9_144_000, 1_371_600] }
    ]
  },
  { name: 'Title and Content', type: 'obj', placeholders: [{ type: 'title' }, { type: 'obj', index: 1 }] },
  { name: 'Title Only', type: 'titleOnly', placeholders: [{ type: 'title' }] },
  { name: 'Blank', type: 'blank', placeholders: [] }
]

/** A title slide of 16:9, and a master with the usual layouts. */
export function presentationParts (language: Language): Parts {
  const layouts = LAYOUTS.map((layout, index) => ({ file: `slideLayout${index + 1}.xml`, layout }))
  const placeholders = LAYOUTS[0]!.placeholders.map(({ box, body, ...inherited }) => inherited)
  return officePackage({
    'ppt/presentation.xml': [
      'presentationml.presentation.main', part('presentation', `<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/><p:defaultTextStyle>${levels(language, () => 1800)}</p:defaultTextStyle>`),
      ['slideMaster', 'slideMasters/slideMaster1.xml'], ['slide', 'slides/slide1.xml'], ['theme', 'theme/theme1.xml']
    ],
    'ppt/slideMasters/slideMaster1.xml': [
      'presentationml.slideMaster', masterPart(language),
      ...layouts.map(({ file }) => ['slideLayout', `../slideLayouts/${file}`] as const), ['theme', '../theme/theme1.xml']
    ],
    ...Object.fromEntries(layouts.map(({ file, layout }) => [`ppt/slideLayouts/${file}`, [
      'presentationml.slideLayout', layoutPart(layout, language), ['slideMaster', '../slideMasters/slideMaster1.xml']
    ]])),
    'ppt/slides/slide1.xml': [
      'presentationml.slide', part('sld', shapes(placeholders, language) + COLOURS_OF_MASTER),
      ['slideLayout', '../slideLayouts/slideLayout1.xml']
    ],
    'ppt/theme/theme1.xml': ['theme', themePart()]
  })
}

function part (element: string, content: string, attributes = ''): string {
  return `${DECLARATION}<p:${element} ${NAMESPACES}${attributes}>${content}</p:${element}>`
}

function masterPart (language: Language): string {
  const ids = LAYOUTS.map((_, index) => `<p:sldLayoutId id="${2_147_483_649 + index}" r:id="rId${index + 1}"/>`).join('')
  const styles = [
    `<p:titleStyle>${level(language, 1, { size: 4000, spaceBefore: 0 })}</p:titleStyle>`,
    `<p:bodyStyle>${levels(language, index => [2800, 2400, 2000][index] ?? 1800, '•')}</p:bodyStyle>`,
    `<p:otherStyle>${levels(language, () => 1800)}</p:otherStyle>`
  ].join('')
  const background = '<p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>'
  return part('sldMaster', `${shapes([TITLE, CONTENT], language, { background })}${SLIDE_COLOURS}<p:sldLayoutIdLst>${ids}</p:sldLayoutIdLst><p:txStyles>${styles}</p:txStyles>`)
}

function layoutPart ({ name, type, placeholders }: typeof LAYOUTS[number], language: Language): string {
  return part('sldLayout', shapes(placeholders, language, { name }) + COLOURS_OF_MASTER, ` type="${type}" preserve="1"`)
}

function shapes (placeholders: readonly Placeholder[], language: Language, { name = '', background = '' } = {}): string {
  const list = placeholders.map((placeholder, index) => shape(placeholder, index + 2, language)).join('')
  return `<p:cSld${name && ` name="${name}"`}>${background}<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${list}</p:spTree></p:cSld>`
}

const NAMES = { title: 'Title', ctrTitle: 'Title', subTitle: 'Subtitle', body: 'Text', obj: 'Content' }
/** A title slide is centred, and its subtitle has no bullets. */
const CENTRED = '<a:lstStyle><a:lvl1pPr marL="0" indent="0" algn="ctr"><a:buNone/></a:lvl1pPr></a:lstStyle>'

function shape ({ type, index, box, body = '<a:bodyPr/>' }: Placeholder, id: number, { tag }: Language): string {
  const placeholder = type === 'obj'
    ? `<p:ph idx="${index}"/>`
    : `<p:ph type="${type}"${index === undefined ? '' : ` idx="${index}"`}/>`
  const style = box !== undefined && (type === 'ctrTitle' || type === 'subTitle') ? CENTRED : '<a:lstStyle/>'
  return `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="${NAMES[type]} ${id - 1}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr>${box === undefined ? '' : position(box)}</p:spPr><p:txBody>${body}${style}<a:p><a:endParaRPr lang="${tag}"/></a:p></p:txBody></p:sp>`
}

function position ([left, top, width, height]: Box): string {
  return `<a:xfrm><a:off x="${left}" y="${top}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom>`
}

/** The styles of all nine levels. */
function levels (language: Language, sizeOf: (index: number) => number, bullet?: string): string {
  const style = (index: number) => ({ size: sizeOf(index), spaceBefore: bullet === undefined ? 0 : 600, bullet })
  return Array.from({ length: 9 }, (_, index) => level(language, index + 1, style(index))).join('')
}

interface LevelStyle {
  /** In hundredths of a point. */
  readonly size: number
  readonly spaceBefore: number
  readonly bullet?: string | undefined
}

function level ({ tag, writing }: Language, number: number, { size, spaceBefore, bullet }: LevelStyle): string {
  const direction = writing === 'right-to-left' ? ' algn="r" rtl="1"' : ' algn="l" rtl="0"'
  const indent = bullet === undefined
    ? ` marL="${(number - 1) * 457_200}"`
    : ` marL="${number * 457_200 - 228_600}" indent="-228600"`
  const sign = bullet === undefined ? '<a:buNone/>' : `<a:buFont typeface="Arial"/><a:buChar char="${bullet}"/>`
  return `<a:lvl${number}pPr${indent}${direction}><a:spcBef><a:spcPts val="${spaceBefore}"/></a:spcBef>${sign}<a:defRPr lang="${tag}" sz="${size}"><a:solidFill><a:schemeClr val="tx1"/></a:solidFill><a:latin typeface="+mn-lt"/><a:ea typeface="+mn-ea"/><a:cs typeface="+mn-cs"/></a:defRPr></a:lvl${number}pPr>`
}
