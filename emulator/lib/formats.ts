export type Family = 'word' | 'cell' | 'slide' | 'pdf' | 'diagram'

/** Every format the document server opens, by the editor that opens it. Source: its `onlyoffice-docs-formats`. */
const FORMATS: Readonly<Record<Family, string>> = {
  word: 'doc docm docx dot dotm dotx epub fb2 fodt hml htm html hwp hwpx md mht mhtml odt ott pages rtf stw sxw txt wps wpt xml',
  cell: 'csv et ett fods numbers ods ots sxc xls xlsb xlsm xlsx xlt xltm xltx',
  slide: 'dps dpt fodp key odg odp otp pot potm potx pps ppsm ppsx ppt pptm pptx sxi',
  pdf: 'djvu oxps pdf xps',
  diagram: 'vsdm vsdx vssm vssx vstm vstx'
}

const families = new Map(Object.entries(FORMATS).flatMap(([family, extensions]) =>
  extensions.split(' ').map(extension => [extension, family as Family] as const)))

/** Which editor opens a format; `undefined` for one the document server does not know. Extensions are lower case, without a dot. */
export function familyOf (extension: string): Family | undefined {
  return families.get(extension)
}

/** Numbers of formats, as they stand in the folder of a conversion. Source: the document server's `AVS_OFFICESTUDIO_FILE` constants. */
const NUMBERS: Readonly<Record<string, number>> = {
  docx: 65,
  doc: 66,
  odt: 67,
  rtf: 68,
  txt: 69,
  html: 70,
  epub: 72,
  fb2: 73,
  pptx: 129,
  ppt: 130,
  odp: 131,
  xlsx: 257,
  xls: 258,
  ods: 259,
  csv: 260,
  pdf: 513,
  jpg: 1025,
  gif: 1028,
  png: 1029
}

/** The document server's number of a format, 0 for one without. */
export function formatNumber (extension: string): number {
  return NUMBERS[extension] ?? 0
}
