import { familyOf } from '../formats.js'

const FAMILIES: Record<string, Record<string, string>> = {
  ooxml: { word: 'docx', cell: 'xlsx', slide: 'pptx' },
  odf: { word: 'odt', cell: 'ods', slide: 'odp' }
}

/** The format that `outputtype` names: `ooxml` and `odf` are the one of that family that fits the source, if one does. */
export function outputType (requested: unknown, from: string): unknown {
  const family = typeof requested === 'string' ? FAMILIES[requested] : undefined
  if (family === undefined) return requested
  return family[familyOf(from) ?? ''] ?? 'ambiguous'
}
