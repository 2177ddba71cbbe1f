import type { PaperSize } from '../../types/blank.js'
import { InvalidOptionError } from '../errors.js'
import type { Language } from './language.js'

/** Upright. Lengths in twentieths of a point. */
export interface Paper {
  readonly width: number
  readonly height: number
  readonly margin: number
  /** As workbooks number it. */
  readonly code: number
}

const PAPERS: Readonly<Record<PaperSize, Paper>> = {
  a4: { width: 11906, height: 16838, margin: 1417, code: 9 },
  letter: { width: 12240, height: 15840, margin: 1440, code: 1 }
}

/** Where letter paper is used. Source: Unicode CLDR, `paperSize` of the measurement data. */
const LETTER: ReadonlySet<string> = new Set(['BZ', 'CA', 'CL', 'CO', 'CR', 'GT', 'MX', 'NI', 'PA', 'PH', 'PR', 'SV', 'US', 'VE'])

/** Throws `InvalidOptionError` for an unknown size. */
export function paperOf (size: PaperSize | undefined, { region }: Language): Paper {
  if (size === undefined) return LETTER.has(region) ? PAPERS.letter : PAPERS.a4
  if (!Object.hasOwn(PAPERS, size)) throw new InvalidOptionError('paper', `must be one of ${Object.keys(PAPERS).join(', ')}`)
  return PAPERS[size]
}
