import type { PaperSize } from '../../types/blank.js'
import { InvalidOptionError } from '../errors.js'

/** The properties of a new document that depend on the language. */
export interface Language {
  /** Lower case: `de`, `zh`. */
  readonly language: string
  /** The main territory of the language if the tag names none: `DE`. `''` if it is unknown. */
  readonly region: string
  /** The tag as office formats write it: `de-DE`. */
  readonly tag: string
  readonly writing: 'western' | 'east-asian' | 'right-to-left'
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'])
const EAST_ASIAN: ReadonlySet<string> = new Set(['Hans', 'Hant', 'Jpan', 'Kore', 'Bopo'])

/** Throws `InvalidOptionError` unless it is a language tag. */
export function languageOf (lang: string): Language {
  const { language, region = '', script = '' } = localeOf(lang).maximize()
  return { language, region, tag: region === '' ? language : `${language}-${region}`, writing: writingOf(script) }
}

function localeOf (lang: string): Intl.Locale {
  try {
    return new Intl.Locale(lang.replaceAll('_', '-'))
  } catch (cause) {
    throw new InvalidOptionError('lang', 'must be a language tag, such as de or pt-BR', { cause })
  }
}

function writingOf (script: string): Language['writing'] {
  if (RIGHT_TO_LEFT.has(script)) return 'right-to-left'
  return EAST_ASIAN.has(script) ? 'east-asian' : 'western'
}

const DEFAULT = 'Sheet'

/** The name of the first sheet, without its number. Languages that are not listed use the English word. */
const names: ReadonlyMap<string, string> = new Map([
  ['ar', 'ورقة'], ['bg', 'Лист'], ['ca', 'Full'], ['cs', 'List'], ['da', 'Ark'], ['de', 'Tabelle'], ['el', 'Φύλλο'],
  ['es', 'Hoja'], ['fi', 'Taulukko'], ['fr', 'Feuille'], ['he', 'גיליון'], ['hr', 'List'], ['hu', 'Munkalap'],
  ['it', 'Foglio'], ['lt', 'Lapas'], ['lv', 'Lapa'], ['nb', 'Ark'], ['nl', 'Blad'], ['nn', 'Ark'], ['no', 'Ark'],
  ['pl', 'Arkusz'], ['pt', 'Planilha'], ['pt-PT', 'Folha'], ['ro', 'Foaie'], ['ru', 'Лист'], ['sk', 'Hárok'],
  ['sl', 'List'], ['sr', 'Лист'], ['sv', 'Blad'], ['tr', 'Sayfa'], ['uk', 'Аркуш'], ['zh-HK', '工作表'], ['zh-TW', '工作表']
])

/** The name of the first sheet of a new workbook. */
export function sheetName ({ language, tag }: Pick<Language, 'language' | 'tag'>): string {
  return `${names.get(tag) ?? names.get(language) ?? DEFAULT}1`
}

/** A paper size, upright. Lengths are in twentieths of a point. */
export interface Paper {
  readonly width: number
  readonly height: number
  readonly margin: number
  /** The number of the size in workbooks. */
  readonly code: number
}

const PAPERS: Readonly<Record<PaperSize, Paper>> = {
  a4: { width: 11906, height: 16838, margin: 1417, code: 9 },
  letter: { width: 12240, height: 15840, margin: 1440, code: 1 }
}

/** Territories that use letter paper. Source: Unicode CLDR, `paperSize` of the measurement data. */
const LETTER: ReadonlySet<string> = new Set('BZ CA CL CO CR GT MX NI PA PH PR SV US VE'.split(' '))

/** Throws `InvalidOptionError` for an unknown size. */
export function paperOf (size: PaperSize | undefined, { region }: Language): Paper {
  if (size === undefined) return LETTER.has(region) ? PAPERS.letter : PAPERS.a4
  if (!Object.hasOwn(PAPERS, size)) {
    throw new InvalidOptionError('paper', `must be one of ${Object.keys(PAPERS).join(', ')}`)
  }
  return PAPERS[size]
}
