import type { Parts } from '../util/zip.js'
import type { Language } from './locale.js'
import { contentTypes, DECLARATION, OFFICE_RELATIONS, relations, themePart } from './office-xml.js'

const NAMESPACES =
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE_RELATIONS}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
const COLOURS =
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

interface Layout {
  readonly name: string
  readonly type: 'title' | 'obj' | 'titleOnly' | 'blank'
  readonly placeholders: readonly Placeholder[]
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

const LAYOUTS: readonly Layout[] = [
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
  return {
    '[Content_Types].xml': contentTypes({
      'ppt/presentation.xml': 'presentationml.presentation.main',
      'ppt/slideMasters/slideMaster1.xml': 'presentationml.slideMaster',
      ...Object.fromEntries(layouts.map(({ file }) => [`ppt/slideLayouts/${file}`, 'presentationml.slideLayout'])),
      'ppt/slides/slide1.xml': 'presentationml.slide',
      'ppt/theme/theme1.xml': 'theme'
    }),
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': part('presentation', `<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/><p:defaultTextStyle>${levels(language, () => 1800)}</p:defaultTextStyle>`),
    'ppt/_rels/presentation.xml.rels': relations(['slideMaster', 'slideMasters/slideMaster1.xml'], ['slide', 'slides/slide1.xml'], ['theme', 'theme/theme1.xml']),
    'ppt/slideMasters/slideMaster1.xml': masterPart(language),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relations(
      ...layouts.map(({ file }) => ['slideLayout', `../slideLayouts/${file}`] as const),
      ['theme', '../theme/theme1.xml']
    ),
    ...Object.fromEntries(layouts.flatMap(({ file, layout }) => [
      [`ppt/slideLayouts/${file}`, layoutPart(layout, language)],
      [`ppt/slideLayouts/_rels/${file}.rels`, relations(['slideMaster', '../slideMasters/slideMaster1.xml'])]
    ])),
    'ppt/slides/slide1.xml': part(
      'sld',
      shapes(
        LAYOUTS[0]!.placeholders.map(({ type, index }) => ({ type, ...(index !== undefined && { index }) })),
        language
      ) + COLOURS_OF_MASTER
    ),
    'ppt/slides/_rels/slide1.xml.rels': relations(['slideLayout', '../slideLayouts/slideLayout1.xml']),
    'ppt/theme/theme1.xml': themePart()
  }
}

function part (element: string, content: string, attributes = ''): string {
  return `${DECLARATION}<p:${element} ${NAMESPACES}${attributes}>${content}</p:${element}>`
}

function masterPart (language: Language): string {
  const ids = LAYOUTS.map((_, index) => `<p:sldLayoutId id="${2_147_483_649 + index}" r:id="rId${index + 1}"/>`).join(
    ''
  )
  const styles = [
    `<p:titleStyle>${level(language, 1, { size: 4000, spaceBefore: 0 })}</p:titleStyle>`,
    `<p:bodyStyle>${levels(language, index => [2800, 2400, 2000][index] ?? 1800, '•')}</p:bodyStyle>`,
    `<p:otherStyle>${levels(language, () => 1800)}</p:otherStyle>`
  ].join('')
  const background = '<p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>'
  return part('sldMaster', `${shapes([TITLE, CONTENT], language, { background })}${COLOURS}<p:sldLayoutIdLst>${ids}</p:sldLayoutIdLst><p:txStyles>${styles}</p:txStyles>`)
}

function layoutPart ({ name, type, placeholders }: Layout, language: Language): string {
  return part('sldLayout', shapes(placeholders, language, { name }) + COLOURS_OF_MASTER, ` type="${type}" preserve="1"`)
}

function shapes (
  placeholders: readonly Placeholder[],
  language: Language,
  { name = '', background = '' } = {}
): string {
  const list = placeholders.map((placeholder, index) => shape(placeholder, index + 2, language)).join('')
  return `<p:cSld${name && ` name="${name}"`}>${background}<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${list}</p:spTree></p:cSld>`
}

const NAMES: Readonly<Record<Placeholder['type'], string>> = {
  title: 'Title',
  ctrTitle: 'Title',
  subTitle: 'Subtitle',
  body: 'Text',
  obj: 'Content'
}
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
  return Array.from(
    { length: 9 },
    (_, index) =>
      level(language, index + 1, { size: sizeOf(index), spaceBefore: bullet === undefined ? 0 : 600, bullet })
  ).join('')
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
