import type { DocumentType } from '@onlyoffice/doceditor-types'
import type { DocumentFormat } from '../../types/conversions.js'
import { documentTypeOf, knownExtensions, mediaTypeOf } from './formats.js'

const words = (text: string): readonly string[] => text.split(' ')

/**
 * What can be done with a format besides viewing it. Source: the list of formats of ONLYOFFICE Docs 9,
 * https://github.com/ONLYOFFICE/document-formats.
 */
const extensionsByAction: Readonly<Record<string, readonly string[]>> = {
  edit: words('docm docx dotm dotx xlsb xlsm xlsx xltm xltx potm potx ppsm ppsx pptm pptx pdf'),
  'lossy-edit': words('epub fb2 html odt ott rtf txt csv ods ots odp otp'),
  'auto-convert': words('doc dot epub fb2 fodt htm html mht mhtml odt ott rtf stw sxw wps wpt xml et ett fods ods ots sxc xls xlt dps dpt fodp odp otp pot pps ppt sxi'),
  fill: words('pdf'),
  review: words('docm docx dotm dotx odt ott rtf'),
  comment: words('docm docx dotm dotx odt ott rtf ods ots xlsb xlsm xlsx xltm xltx odp otp potm potx ppsm ppsx pptm pptx pdf'),
  encrypt: words('docm docx dotm dotx odt ott ods ots xlsb xlsm xlsx xltm xltx odp otp potm potx ppsm ppsx pptm pptx pdf'),
  customfilter: words('csv ods ots xlsb xlsm xlsx xltm xltx')
}

const IMAGES = 'bmp gif jpg png'

/** What the formats of an editor are converted to, except to themselves. Source: the conversion tables of the API documentation. */
const targets: Readonly<Record<DocumentType, readonly string[]>> = {
  word: words(`docx docm dotx dotm odt ott rtf txt html epub fb2 pdf pdfa ${IMAGES}`),
  cell: words(`xlsx xlsm xltx xltm ods ots csv pdf pdfa ${IMAGES}`),
  slide: words(`pptx pptm ppsx ppsm potx potm odp otp pdf pdfa ${IMAGES}`),
  pdf: words(`docx docm dotx dotm odt ott rtf txt html epub fb2 pdf pdfa ${IMAGES}`),
  diagram: words(`pdf pdfa ${IMAGES}`)
}

/** Pages of images: there is no text to convert. */
const PAGES_ONLY = new Map([['djvu', words(`pdf pdfa ${IMAGES}`)]])

/** The formats that a document server opens, for one that does not tell. */
export const builtInFormats: readonly DocumentFormat[] = knownExtensions.map(extension => {
  const documentType = documentTypeOf(extension)!
  return {
    extension,
    documentType,
    actions: ['view', ...Object.keys(extensionsByAction).filter(action => extensionsByAction[action]!.includes(extension))],
    convertsTo: (PAGES_ONLY.get(extension) ?? targets[documentType]).filter(target => target !== extension),
    mediaType: mediaTypeOf(extension)
  }
})
