import type {
  CellFileType, DiagramFileType, DocumentType, PdfFileType, SlideFileType, WordFileType
} from '@onlyoffice/doceditor-types'

// Records, so that the compiler misses no extension of the editor's own list.
const word: Record<WordFileType, true> = {
  doc: true,
  docm: true,
  docx: true,
  dot: true,
  dotm: true,
  dotx: true,
  epub: true,
  fb2: true,
  fodt: true,
  hml: true,
  htm: true,
  html: true,
  hwp: true,
  hwpx: true,
  md: true,
  mht: true,
  mhtml: true,
  odt: true,
  ott: true,
  pages: true,
  rtf: true,
  stw: true,
  sxw: true,
  txt: true,
  wps: true,
  wpt: true,
  xml: true
}
const cell: Record<Exclude<CellFileType, 'xml'>, true> = {
  csv: true,
  et: true,
  ett: true,
  fods: true,
  numbers: true,
  ods: true,
  ots: true,
  sxc: true,
  xls: true,
  xlsb: true,
  xlsm: true,
  xlsx: true,
  xlt: true,
  xltm: true,
  xltx: true
}
const slide: Record<SlideFileType, true> = {
  dps: true,
  dpt: true,
  fodp: true,
  key: true,
  odg: true,
  odp: true,
  otp: true,
  pot: true,
  potm: true,
  potx: true,
  pps: true,
  ppsm: true,
  ppsx: true,
  ppt: true,
  pptm: true,
  pptx: true,
  sxi: true
}
const pdf: Record<PdfFileType, true> = { djvu: true, oxps: true, pdf: true, xps: true }
const diagram: Record<DiagramFileType, true> = { vsdm: true, vsdx: true, vssm: true, vssx: true, vstm: true, vstx: true }

/** Every extension the editor knows, with the editor that opens it. */
export const extensions: ReadonlyArray<readonly [extension: string, documentType: DocumentType]> =
  Object.entries({ word, cell, slide, pdf, diagram }).flatMap(([documentType, list]) =>
    Object.keys(list).map(extension => [extension, documentType as DocumentType] as const))
