export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
/** The namespace of relationships between the parts of an office package. */
export const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The list of parts with their types. */
export function contentTypes (types: Readonly<Record<string, string>>): string {
  const overrides = Object.entries(types).map(([part, type]) => `<Override PartName="/${part}" ContentType="${OFFICE_TYPE}.${type}+xml"/>`)
  return `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`
}

/** The relationships of a part: kind and target of `rId1`, `rId2`, … */
export function relations (...targets: ReadonlyArray<readonly [kind: string, target: string]>): string {
  const entries = targets.map(([kind, target], index) =>
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
export function themePart (): string {
  const colours = Object.entries(COLOURS).map(([name, value]) => `<a:${name}><a:srgbClr val="${value}"/></a:${name}>`)
    .join('')
  const styles = [
    `<a:fillStyleLst>${FILL.repeat(3)}</a:fillStyleLst>`,
    `<a:lnStyleLst>${LINES}</a:lnStyleLst>`,
    `<a:effectStyleLst>${EFFECT.repeat(3)}</a:effectStyleLst>`,
    `<a:bgFillStyleLst>${FILL.repeat(3)}</a:bgFillStyleLst>`
  ].join('')
  return `${DECLARATION}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Plain"><a:themeElements><a:clrScheme name="Plain">${colours}</a:clrScheme><a:fontScheme name="Plain"><a:majorFont>${FONTS}</a:majorFont><a:minorFont>${FONTS}</a:minorFont></a:fontScheme><a:fmtScheme name="Plain">${styles}</a:fmtScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/></a:theme>`
}
