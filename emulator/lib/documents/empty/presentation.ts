import { contentTypes, DECLARATION, OFFICE_RELATIONS, type Parts, relations } from './xml.js'
import { themePart } from './theme.js'

const NAMESPACES =
  `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE_RELATIONS}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
const EMPTY_SLIDE =
  '<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:spTree></p:cSld>'
const COLOURS =
  '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
const OWN_COLOURS = '<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>'

/** One empty slide, with the required master, layout and theme. */
export function presentationParts (): Parts {
  return {
    '[Content_Types].xml': contentTypes({
      'ppt/presentation.xml': 'presentationml.presentation.main',
      'ppt/slideMasters/slideMaster1.xml': 'presentationml.slideMaster',
      'ppt/slideLayouts/slideLayout1.xml': 'presentationml.slideLayout',
      'ppt/slides/slide1.xml': 'presentationml.slide',
      'ppt/theme/theme1.xml': 'theme'
    }),
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': part(
      'presentation',
      '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    ),
    'ppt/_rels/presentation.xml.rels': relations(['slideMaster', 'slideMasters/slideMaster1.xml'], [
      'slide',
      'slides/slide1.xml'
    ]),
    'ppt/slideMasters/slideMaster1.xml': part(
      'sldMaster',
      `${EMPTY_SLIDE}${COLOURS}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>`
    ),
    'ppt/slideMasters/_rels/slideMaster1.xml.rels': relations(['slideLayout', '../slideLayouts/slideLayout1.xml'], [
      'theme',
      '../theme/theme1.xml'
    ]),
    'ppt/slideLayouts/slideLayout1.xml': part('sldLayout', `${EMPTY_SLIDE}${OWN_COLOURS}`),
    'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relations(['slideMaster', '../slideMasters/slideMaster1.xml']),
    'ppt/slides/slide1.xml': part('sld', `${EMPTY_SLIDE}${OWN_COLOURS}`),
    'ppt/slides/_rels/slide1.xml.rels': relations(['slideLayout', '../slideLayouts/slideLayout1.xml']),
    'ppt/theme/theme1.xml': themePart()
  }
}

function part (element: string, content: string): string {
  return `${DECLARATION}<p:${element} ${NAMESPACES}>${content}</p:${element}>`
}
