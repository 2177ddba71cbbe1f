import { changes } from './merge.js'
/** @import { Look, Mark } from '../protocol.js' */

/** @type {Array<'bold' | 'italic' | 'underline' | 'strike'>} */
export const FORMATS = ['bold', 'italic', 'underline', 'strike']

/**
 * The formatting of a text after a change. New text takes the formatting of the text it replaces, or else of the text
 * before it. Next to a link it does not become part of the link. The document server does the same.
 *
 * @param {readonly Mark[]} marks @param {string} base @param {string} text @returns {Mark[]}
 */
export function movedMarks (marks, base, text) {
  if (marks.length === 0 || base === text) return [...marks]
  const looks = looksOf(marks, base.length)
  /** @type {Array<Look | null>} */ const moved = []
  let at = 0
  for (const { from, to, text: written } of changes(base, text)) {
    while (at < from) moved.push(looks[at++] ?? null)
    const look = writtenLook(looks, from, to)
    for (let count = 0; count < written.length; count++) moved.push(look)
    at = to
  }
  while (at < looks.length) moved.push(looks[at++] ?? null)
  return marksOf(moved)
}

/** @param {readonly Mark[]} marks @param {number} from @param {number} to @returns {Mark[]} */
export function slicedMarks (marks, from, to) {
  return marks.flatMap(mark => {
    const [start, end] = [Math.max(mark.from, from), Math.min(mark.to, to)]
    return start < end ? [{ ...mark, from: start - from, to: end - from }] : []
  })
}

/**
 * Marks of a text to which another one is appended.
 * @param {readonly Mark[]} marks
 * @param {number} length
 * @param {readonly Mark[]} behind
 * @returns {Mark[]}
 */
export function joinedMarks (marks, length, behind) {
  return [...marks, ...behind.map(mark => ({ ...mark, from: mark.from + length, to: mark.to + length }))]
}

/** @param {readonly Mark[]} marks @param {number} from @param {number} to @param {typeof FORMATS[number]} format */
export function hasFormat (marks, from, to, format) {
  return looksOf(marks, to).slice(from).every(look => look?.[format] === true)
}

/**
 * @param {readonly Mark[]} marks
 * @param {number} length
 * @param {number} from
 * @param {number} to
 * @param {typeof FORMATS[number]} format
 * @param {boolean} value
 * @returns {Mark[]}
 */
export function withFormat (marks, length, from, to, format, value) {
  return marksOf(
    looksOf(marks, length).map((look, index) => index < from || index >= to ? look : { ...look, [format]: value })
  )
}

/** Merges adjacent marks with equal formatting. @param {readonly Mark[]} marks @param {number} length */
export function tidyMarks (marks, length) {
  return marksOf(looksOf(marks, length))
}

/** @param {readonly Mark[]} one @param {readonly Mark[]} other */
export function sameMarks (one, other) {
  const key = (/** @type {readonly Mark[]} */ marks) =>
    JSON.stringify(marks.map(mark => [mark.from, mark.to, keyOf(mark)]))
  return key(one) === key(other)
}

/** The formatting of each character. @param {readonly Mark[]} marks @param {number} length */
function looksOf (marks, length) {
  /** @type {Array<Look | null>} */ const looks = Array(length).fill(null)
  for (const { from, to, ...look } of marks) looks.fill(look, from, to)
  return looks
}

/** @param {Array<Look | null>} looks @returns {Mark[]} */
function marksOf (looks) {
  /** @type {Mark[]} */ const marks = []
  for (const [index, look] of looks.entries()) {
    const last = marks.at(-1)
    if (look === null || keyOf(look) === '') continue
    if (last?.to === index && keyOf(last) === keyOf(look)) last.to++
    else marks.push({ from: index, to: index + 1, ...look })
  }
  return marks
}

/** @param {Look} look */
function keyOf (look) {
  const formats = FORMATS.filter(format => look[format] === true)
  return formats.length === 0 && look.link === undefined ? '' : JSON.stringify([formats, look.link])
}

/** @param {Array<Look | null>} looks @param {number} from @param {number} to @returns {Look | null} */
function writtenLook (looks, from, to) {
  if (to > from) return looks[from] ?? null
  const [before, after] = [looks[from - 1] ?? null, looks[from] ?? null]
  const isInLink = from > 0 && from < looks.length && before?.link === after?.link
  if (from > 0 && (isInLink || before?.link === undefined)) return before
  return from < looks.length && after?.link === undefined ? after : null
}
