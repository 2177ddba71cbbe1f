/** @import { Position } from './protocol.js' */

/** @param {number} column @returns {string} */
export function columnName (column) {
  return column < 1 ? '' : columnName(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + (column - 1) % 26)
}

/** @param {Position} position */
export function cellName ({ row, column }) {
  return `${columnName(column)}${row}`
}

/** @param {string} name @returns {Position} */
function positionOf (name) {
  const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(name) ?? []
  return {
    row: Number(digits),
    column: [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
  }
}

/** @param {string} range `A1:B2`, or one cell */
export function cornersOf (range) {
  const [from = '', to = from] = range.split(':')
  return { from: positionOf(from), to: positionOf(to) }
}

/** @param {string} id */
export function placeOf (id) {
  const at = id.lastIndexOf('!')
  return { sheet: id.slice(0, at), cell: id.slice(at + 1) }
}

/** @param {string} name @param {string} range */
export function isInRange (name, range) {
  const { row, column } = positionOf(name)
  const { from, to } = cornersOf(range)
  return row >= from.row && row <= to.row && column >= from.column && column <= to.column
}
