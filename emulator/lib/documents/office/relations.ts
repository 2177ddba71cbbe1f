import { posix } from 'node:path'
import type { OfficePackage } from './package.js'
import { parseXml } from './xml.js'

export const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The part that a target of another part is. */
export function resolved (part: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target)
}

/**
 * The targets that a part of a package names, by id. Empty where they are missing or damaged.
 *
 * @param type of the targets: the last segment of its name
 */
export function relationsOf (office: OfficePackage, part: string, type = ''): Map<string, string> {
  try {
    const source = office.text(`${posix.dirname(part)}/_rels/${posix.basename(part)}.rels`)
    const relations = source === undefined ? [] : parseXml(source).getElementsByTagNameNS('*', 'Relationship')
    const wanted = [...relations].filter(relation =>
      type === '' || (relation.getAttribute('Type') ?? '').endsWith(`/${type}`))
    return new Map(wanted.map(({ attributes }) => [
      attributes.getNamedItem('Id')?.value ?? '',
      attributes.getNamedItem('Target')?.value ?? ''
    ]))
  } catch {
    return new Map()
  }
}
