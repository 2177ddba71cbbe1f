/** @typedef {{ from: number, to: number, text: string }} Change `base.slice(from, to)` becomes `text`. */

const MAX_TABLE = 250_000
const LINES = /[^\n]*\n|[^\n]+/g
const WORDS = /[\p{L}\p{M}\p{N}]+|\s+|./gu
const CHARACTERS = /[^]/gu

/**
 * Applies both changes of one text: text deleted by either is gone, text written by either stays. At the same place
 * `theirs` comes first.
 *
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @param {boolean} [isAgain] `theirs` may already contain the text written in `mine`, which is then not repeated
 * @returns {string}
 */
export function merge (base, theirs, mine, isAgain = false) {
  if (base === mine || (isAgain && theirs === mine)) return theirs
  if (base === theirs) return mine
  return applied(mine, rebased(changes(base, theirs), changes(base, mine), isAgain))
}

/**
 * Moves the changes `theirs` to a text that already has the changes `mine`. A part that both replaced by the same text
 * is replaced once.
 *
 * @param {Change[]} theirs
 * @param {Change[]} mine
 * @param {boolean} [isAgain]
 * @returns {Change[]}
 */
export function rebased (theirs, mine, isAgain = false) {
  const first = theirs.filter(change =>
    !mine.some(other => isSame(change, other) && (isAgain || change.from < change.to))
  )
  const cuts = [...new Set([...first, ...mine].flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  /** @type {Change[]} */ const moved = []
  let at = cuts[0] ?? 0
  for (const [index, cut] of cuts.entries()) {
    const isIn = (/** @type {Change} */ { from, to }) => from <= cut && cut < to
    for (const { from, text } of first) if (from === cut && text !== '') moved.push({ from: at, to: at, text })
    for (const { from, text } of mine) if (from === cut) at += text.length
    if (mine.some(isIn)) continue
    const end = at + (cuts[index + 1] ?? cut) - cut
    if (first.some(isIn)) moved.push({ from: at, to: end, text: '' })
    at = end
  }
  return moved
}

/** @param {string} text @param {Change[]} made in order of place @returns {string} */
export function applied (text, made) {
  return made.reduceRight((changed, { from, to, text }) => changed.slice(0, from) + text + changed.slice(to), text)
}

/**
 * The changes between two texts, in order: the words that differ, and of each only the differing part.
 *
 * @param {string} base
 * @param {string} text
 * @returns {Change[]}
 */
export function changes (base, text) {
  return refined(base, text, 0, [LINES, WORDS])
}

/**
 * The same by characters, for when the unchanged parts matter.
 * @param {string} base
 * @param {string} text
 * @returns {Change[]}
 */
export function fineChanges (base, text) {
  return refined(base, text, 0, [LINES, WORDS, CHARACTERS])
}

/**
 * @param {string} base
 * @param {string} text
 * @param {number} offset
 * @param {RegExp[]} kinds of parts, the larger first
 * @returns {Change[]}
 */
function refined (base, text, offset, kinds) {
  const change = trimmed(base, text, offset)
  const [kind, ...smaller] = kinds
  if (isNone(change)) return []
  if (kind === undefined) return [change]
  const removed = base.slice(change.from - offset, change.to - offset)
  const [before, after] = [removed.match(kind) ?? [], change.text.match(kind) ?? []]
  if (before.length * after.length > MAX_TABLE) return refined(removed, change.text, change.from, smaller)
  return differing(before, after, change.from).flatMap(({ from, removed, added }) =>
    refined(removed, added, from, smaller)
  )
}

/**
 * Translates an offset in one text to the other.
 *
 * @param {number} offset
 * @param {string} base
 * @param {string} text
 * @returns {number}
 */
export function movedOffset (offset, base, text) {
  let moved = offset
  for (const { from, to, text: inserted } of changes(base, text)) {
    if (from >= offset) break
    moved += to <= offset ? inserted.length - (to - from) : Math.min(inserted.length - (offset - from), 0)
  }
  return moved
}

/** The parts that differ. @param {string[]} before @param {string[]} after @param {number} offset */
function differing (before, after, offset) {
  const common = commonParts(before, after)
  const found = []
  let [row, column, from, removed, added] = [0, 0, offset, '', '']
  while (row < before.length || column < after.length) {
    const [part, other] = [before[row], after[column]]
    if (part !== undefined && part === other) {
      found.push({ from, removed, added })
      from += removed.length + part.length;
      [removed, added] = ['', '']
      row++
      column++
    } else if (other === undefined || (part !== undefined && common(row + 1, column) >= common(row, column + 1))) {
      removed += part
      row++
    } else {
      added += other
      column++
    }
  }
  return [...found, { from, removed, added }]
}

/**
 * For each pair of positions, how many parts the rest of both texts has in common.
 * @param {string[]} before
 * @param {string[]} after
 */
function commonParts (before, after) {
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  const at = (/** @type {number} */ row, /** @type {number} */ column) => table[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      table[row * width + column] = before[row] === after[column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  return at
}

/**
 * Removes the common beginning and end, without splitting surrogate pairs.
 * @param {string} base
 * @param {string} text
 * @param {number} offset
 */
function trimmed (base, text, offset) {
  const shorter = Math.min(base.length, text.length)
  let start = 0
  while (start < shorter && base[start] === text[start]) start++
  let end = 0
  while (end < shorter - start && base[base.length - 1 - end] === text[text.length - 1 - end]) end++
  if (start > 0 && isHigh(base, start - 1)) start--
  if (end > 0 && isHigh(base, base.length - end - 1)) end--
  return { from: offset + start, to: offset + base.length - end, text: text.slice(start, text.length - end) }
}

/** @param {string} text @param {number} index */
function isHigh (text, index) {
  const code = text.charCodeAt(index)
  return code >= 0xD800 && code <= 0xDBFF
}

/** @param {Change} change */
function isNone ({ from, to, text }) {
  return from === to && text === ''
}

/** @param {Change} one @param {Change} other */
function isSame (one, other) {
  return one.from === other.from && one.to === other.to && one.text === other.text
}
