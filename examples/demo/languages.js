/** Languages of the editor and of the text of new documents. */
const CODES =
  /** @type {const} */ (['en', 'ar', 'cs', 'da', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt', 'sv', 'tr', 'uk'])

/** @typedef {typeof CODES[number]} Language */

/**
 * The first of the wanted languages that there is.
 * @param {readonly string[]} wanted Such as `de` or `de-AT`.
 * @returns {Language}
 */
export function languageOf (wanted) {
  return wanted.flatMap(wish => CODES.filter(code => code === wish.split('-')[0]))[0] ?? 'en'
}
