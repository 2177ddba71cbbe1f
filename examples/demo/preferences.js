import { languageOf } from './languages.js'

/** @typedef {{ theme: 'light' | 'dark' | null, lang: Language, sort: Sort, view: 'list' | 'grid' }} Preferences `theme`: `null` follows the system. */
/** @typedef {keyof typeof sorts} Sort */
/** @import { Document } from './documents.js' */
/** @import { Language } from './languages.js' */

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
/** @param {Document} a @param {Document} b */
const byName = (a, b) => names.compare(a.name, b.name)

/** How the list can be sorted. */
export const sorts = {
  name: { label: 'Name', compare: byName },
  changed: {
    label: 'Last changed',
    compare: (/** @type {Document} */ a, /** @type {Document} */ b) =>
      Number(b.modifiedAt) - Number(a.modifiedAt) || byName(a, b)
  },
  size: {
    label: 'Largest',
    compare: (/** @type {Document} */ a, /** @type {Document} */ b) => b.size - a.size || byName(a, b)
  },
  kind: {
    label: 'Kind',
    compare: (/** @type {Document} */ a, /** @type {Document} */ b) => names.compare(a.kind, b.kind) || byName(a, b)
  },
  favorite: {
    label: 'Favorites first',
    compare: (/** @type {Document} */ a, /** @type {Document} */ b) =>
      Number(b.isFavorite) - Number(a.isFavorite) || byName(a, b)
  }
}

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
    sort: sort !== undefined && Object.hasOwn(sorts, sort) ? /** @type {Sort} */ (sort) : 'name',
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
