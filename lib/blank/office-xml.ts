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
  const entries = targets.map(([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE_RELATIONS}/${kind}" Target="${target}"/>`)
  return `${DECLARATION}<Relationships xmlns="${RELATIONSHIPS}">${entries.join('')}</Relationships>`
}
