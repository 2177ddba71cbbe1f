/** @typedef {keyof typeof columns} Column */
/** @typedef {'ascending' | 'descending'} Direction */
/** @typedef {{ column: Column, direction: Direction }} Sort */
/** @import { Document } from './documents.js' */

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/**
 * What the list can be sorted by, each with the direction that its heading sorts in first.
 * @satisfies {Record<string, { label: string, first: Direction, compare: (a: Document, b: Document) => number }>}
 */
export const columns = {
  kind: { label: 'Kind', first: 'ascending', compare: (a, b) => names.compare(a.kind, b.kind) },
  name: { label: 'Name', first: 'ascending', compare: (a, b) => names.compare(a.name, b.name) },
  size: { label: 'Size', first: 'descending', compare: (a, b) => a.size - b.size },
  changed: { label: 'Changed', first: 'descending', compare: (a, b) => Number(a.modifiedAt) - Number(b.modifiedAt) }
}

/** @type {Sort} */
export const BY_NAME = { column: 'name', direction: 'ascending' }

/**
 * Favorites come first, whatever the direction.
 * @param {readonly Document[]} documents
 * @param {Sort} sort
 */
export function sorted (documents, { column, direction }) {
  const { compare } = columns[column]
  return documents.toSorted((a, b) => {
    const order = compare(a, b) || columns.name.compare(a, b)
    return Number(b.isFavorite) - Number(a.isFavorite) || (direction === 'ascending' ? order : -order)
  })
}

/**
 * The direction in which the heading of a column sorts next.
 * @param {Column} column
 * @param {Sort} sort
 * @returns {Direction}
 */
export function nextDirection (column, sort) {
  if (column !== sort.column) return columns[column].first
  return sort.direction === 'ascending' ? 'descending' : 'ascending'
}

/**
 * @param {string} [text] As headings remember it: `size-descending`.
 * @returns {Sort}
 */
export function sortIn (text = '') {
  const [column = '', direction] = text.split('-')
  if (!Object.hasOwn(columns, column)) return BY_NAME
  return { column: /** @type {Column} */ (column), direction: direction === 'descending' ? direction : 'ascending' }
}
