import { trusted } from '../html.js'

/** @type {Record<string, string>} Drawn with lines in a square of 20. */
const PATHS = {
  plus: '<path d="M10 4v12M4 10h12"/>',
  upload: '<path d="M10 13V4M6 8l4-4 4 4M4 13v3h12v-3"/>',
  more:
    '<g fill="currentColor" stroke="none"><circle cx="4.5" cy="10" r="1.5"/><circle cx="10" cy="10" r="1.5"/><circle cx="15.5" cy="10" r="1.5"/></g>',
  search: '<circle cx="9" cy="9" r="5"/><path d="M13 13l4 4"/>',
  grid: '<path d="M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h5v5h-5z"/>',
  moon: '<path d="M16.5 11.6A6.8 6.8 0 0 1 8.4 3.5a6.8 6.8 0 1 0 8.1 8.1z"/>',
  star: '<path fill="currentColor" d="M10 2.8l2.2 4.6 5 .7-3.6 3.5.9 5L10 14.2l-4.5 2.4.9-5L2.8 8.1l5-.7z"/>'
}

/**
 * A decoration: what it stands for is said in text or in a label.
 * @param {keyof typeof PATHS} name
 */
export function glyph (name) {
  return trusted(`<svg class="glyph" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`)
}
