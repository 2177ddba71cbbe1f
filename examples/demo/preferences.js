import { languageOf } from './languages.js'
import { sortIn } from './sorting.js'

/** @typedef {{ theme: 'light' | 'dark' | null, lang: Language, sort: Sort, view: 'list' | 'grid' }} Preferences `theme`: `null` follows the system. */
/** @import { Language } from './languages.js' */
/** @import { Sort } from './sorting.js' */

/**
 * What this browser remembers, in cookies that the pages' scripts set: so a page is right when it appears.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @returns {Preferences}
 */
export function preferencesIn (headers) {
  const cookies = cookiesIn(headers)
  const [theme, sort, view] = ['theme', 'sort', 'view'].map(name => cookies.get(name))
  const accepted = headers['accept-language']?.split(',').map(part => part.replace(/;.*/, '').trim()) ?? []
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    lang: languageOf(accepted),
    sort: sortIn(sort),
    view: view === 'grid' ? 'grid' : 'list'
  }
}

/**
 * @param {{ cookie?: string | undefined }} headers
 * @returns {Map<string, string>}
 */
export function cookiesIn ({ cookie = '' }) {
  return new Map(cookie.split(';').map(pair => /** @type {[string, string]} */ (pair.trim().split('=', 2))))
}
