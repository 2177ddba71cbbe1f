import type { Language } from './language.js'

const DEFAULT = 'Sheet'

/** How the first sheet is called, without its number. Languages that are not listed use the English word. */
const names: Readonly<Record<string, string>> = {
  ar: 'ورقة',
  bg: 'Лист',
  ca: 'Full',
  cs: 'List',
  da: 'Ark',
  de: 'Tabelle',
  el: 'Φύλλο',
  es: 'Hoja',
  fi: 'Taulukko',
  fr: 'Feuille',
  he: 'גיליון',
  hr: 'List',
  hu: 'Munkalap',
  it: 'Foglio',
  lt: 'Lapas',
  lv: 'Lapa',
  nb: 'Ark',
  nl: 'Blad',
  nn: 'Ark',
  no: 'Ark',
  pl: 'Arkusz',
  pt: 'Planilha',
  'pt-PT': 'Folha',
  ro: 'Foaie',
  ru: 'Лист',
  sk: 'Hárok',
  sl: 'List',
  sr: 'Лист',
  sv: 'Blad',
  tr: 'Sayfa',
  uk: 'Аркуш',
  'zh-HK': '工作表',
  'zh-TW': '工作表'
}

/** The name of the first sheet of a new workbook. */
export function sheetName ({ language, tag }: Pick<Language, 'language' | 'tag'>): string {
  const key = [tag, language].find(key => Object.hasOwn(names, key))
  return `${key === undefined ? DEFAULT : names[key]}1`
}
