import { familyOf, formatNumber, writtenAs } from '../../formats.js'

const FAMILIES: Record<string, { readonly number: number, readonly extensions: Record<string, string> }> = {
  ooxml: { number: 2055, extensions: { word: 'docx', cell: 'xlsx', slide: 'pptx', pdf: 'docx' } },
  odf: { number: 2058, extensions: { word: 'odt', cell: 'ods', slide: 'odp' } }
}

/**
 * The format that `outputtype` names. `ooxml` and `odf` stand for the format of that family that fits the source, if
 * there is one. Its number is part of the result's folder, and distinguishes cached results.
 */
export function outputType (requested: string, from: string) {
  const name = requested.toLowerCase()
  const family = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined
  if (family !== undefined) {
    const extension = family.extensions[familyOf(from) ?? '']
    return extension === undefined ? 'ambiguous' : { extension, number: family.number }
  }
  const extension = writtenAs(name)
  return extension === undefined ? undefined : { extension, number: formatNumber(name) }
}
