export type Family = 'word' | 'cell' | 'slide' | 'pdf' | 'diagram'

/** Formats that differ from .csv in what is between the fields. */
export const SEPARATED: ReadonlyMap<string, string> = new Map([['tsv', '\t'], ['scsv', ';']])

/** Every format the document server opens, by the editor that opens it. Source: its `onlyoffice-docs-formats`. */
const FORMATS: Readonly<Record<Family, string>> = {
  word:
    'doc docm docx dot dotm dotx epub fb2 fodt hml htm html hwp hwpx md mht mhtml odt ott pages rtf stw sxw txt wps wpt xml',
  cell: 'csv et ett fods numbers ods ots scsv sxc tsv xls xlsb xlsm xlsx xlt xltm xltx',
  slide: 'dps dpt fodp key odg odp otp pot potm potx pps ppsm ppsx ppt pptm pptx sxi',
  pdf: 'djvu oxps pdf xps',
  diagram: 'vsdm vsdx vssm vssx vstm vstx'
}

const families = new Map(Object.entries(FORMATS).flatMap(([family, extensions]) =>
  extensions.split(' ').map(extension => [extension, family as Family] as const)))

/** The formats that an editor opens. */
export function formatsOf (family: Family): readonly string[] {
  return FORMATS[family].split(' ')
}

/** The editor that opens a format; `undefined` for an unknown format. Extensions are in lower case, without a dot. */
export function familyOf (extension: string): Family | undefined {
  return families.get(extension)
}

/**
 * Formats that can be written, numbered from the first number of each group. Source: the document server's
 * `AVS_OFFICESTUDIO_FILE` constants.
 */
const NUMBERED: ReadonlyArray<readonly [first: number, extensions: string]> = [
  [65, 'docx doc odt rtf txt html mht epub fb2 mobi docm dotx dotm fodt ott'],
  [85, 'oform docxf'],
  [129, 'pptx ppt odp ppsx pptm ppsm potx potm fodp otp'],
  [257, 'xlsx xls ods csv xlsm xltx xltm xlsb fods ots'],
  [276, 'tsv scsv'],
  [513, 'pdf swf djvu xps svg htmlr'],
  [521, 'pdfa'],
  [1025, 'jpg tiff tga gif png emf wmf bmp cr2 pcx ras psd ico']
]

const numbers = new Map(NUMBERED.flatMap(([first, extensions]) =>
  extensions.split(' ').map((extension, index) => [extension, first + index] as const)))

const ALIASES: Readonly<Record<string, string>> = {
  wps: 'doc',
  xml: 'txt',
  xslt: 'txt',
  htm: 'html',
  mhtml: 'mht',
  dps: 'ppt',
  et: 'xls',
  xltb: 'xlsb',
  jpeg: 'jpg',
  jpe: 'jpg',
  tif: 'tiff'
}

/** The extension of the file that is written when this format is requested; `undefined` for an unknown format. */
export function writtenAs (extension: string): string | undefined {
  const name = ALIASES[extension] ?? extension
  if (!numbers.has(name) && familyOf(name) === undefined) return undefined
  return name === 'pdfa' ? 'pdf' : name
}

/** The document server's number of a format, which is part of a conversion's folder; 0 for a format without one. */
export function formatNumber (extension: string): number {
  return numbers.get(ALIASES[extension] ?? extension) ?? 0
}
