import { InvalidOptionError } from '../errors.js'

/** What a language decides in a new document. */
export interface Language {
  /** Lower case: `de`, `zh`. */
  readonly language: string
  /** The territory where it is mainly spoken, if the tag names none: `DE`. `''` if nobody knows. */
  readonly region: string
  /** As office formats name it: `de-DE`. */
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
