import mime from 'mime'
import { type Family, formatsOf } from '../../formats.js'

/**
 * The formats that are saved as they were opened, by editor; others are converted to the first of `RESULTS` when they
 * are edited.
 */
const EDITED: Readonly<Record<Family, string>> = {
  word: 'docx docm dotx dotm docxf',
  cell: 'xlsx xlsm xltx xltm',
  slide: 'pptx pptm potx potm ppsx ppsm',
  pdf: 'pdf',
  diagram: ''
}

/** Editing these loses what the format has no place for. */
const LOSSY = words('csv epub fb2 html odp ods odt otp ots ott rtf txt')
const ONLY_VIEWED = words('djvu oxps xps csv txt')

const ACTIONS: Readonly<Record<Family, string>> = {
  word: 'view edit review comment encrypt',
  cell: 'view edit comment customfilter encrypt',
  slide: 'view edit comment encrypt',
  pdf: 'view edit comment fill',
  diagram: 'view'
}

const IMAGES = 'bmp gif jpg png'

/** What each editor's formats can be converted to. */
const RESULTS: Readonly<Record<Family, string>> = {
  word: `docx ${IMAGES} docm dotm dotx epub fb2 html odt ott pdf pdfa rtf txt`,
  cell: `xlsx ${IMAGES} csv ods ots pdf pdfa xlsm xltm xltx`,
  slide: `pptx ${IMAGES} odp otp pdf pdfa potm potx ppsm ppsx pptm txt`,
  pdf: `docx ${IMAGES} docm dotm dotx epub fb2 html odt ott pdf pdfa rtf txt`,
  diagram: `${IMAGES} pdf pdfa`
}

const FAMILIES: readonly Family[] = ['word', 'cell', 'slide', 'pdf', 'diagram']

/** The formats in the shape of ONLYOFFICE's list. The values are those of this emulator. */
export const formats = [
  ...FAMILIES.flatMap(family => formatsOf(family).map(name => format(name, family))),
  // What only conversions produce.
  ...words(`${IMAGES} zip`).map(name => ({ name, type: '', actions: [], convert: [], mime: mediaTypesOf(name) }))
]

function format (name: string, family: Family) {
  const convert = words(RESULTS[family]).filter(result => result !== name)
  return { name, type: family, actions: actionsOf(name, family), convert, mime: mediaTypesOf(name) }
}

function actionsOf (name: string, family: Family): string[] {
  if (words(EDITED[family]).includes(name)) return words(ACTIONS[family])
  return [
    'view',
    ...(LOSSY.includes(name) ? ['lossy-edit'] : []),
    ...(ONLY_VIEWED.includes(name) || family === 'diagram' ? [] : ['auto-convert'])
  ]
}

function mediaTypesOf (name: string): string[] {
  const type = mime.getType(name)
  return type === null ? [] : [type]
}

function words (text: string): string[] {
  return text.split(' ')
}
