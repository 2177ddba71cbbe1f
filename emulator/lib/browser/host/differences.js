/** Above this many comparisons, what differs is shown as a whole. */
const MAX_COMPARISONS = 4_000_000

/**
 * How one text became another, line by line.
 *
 * @param {string[]} before
 * @param {string[]} after
 * @returns {Array<{ text: string, change: 'same' | 'added' | 'removed' }>}
 */
export function differences (before, after) {
  const start = commonStart(before, after)
  const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse())
  const same = (/** @type {string[]} */ lines) => lines.map(text => ({ text, change: /** @type {const} */ ('same') }))
  return [
    ...same(after.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(after.slice(after.length - end))
  ]
}

/** @param {string[]} one @param {string[]} other */
function commonStart (one, other) {
  let count = 0
  while (count < one.length && count < other.length && one[count] === other[count]) count++
  return count
}

/**
 * By the longest common subsequence.
 * @param {string[]} before
 * @param {string[]} after
 * @returns {ReturnType<typeof differences>}
 */
function middle (before, after) {
  const removed = (/** @type {string} */ text) => ({ text, change: /** @type {const} */ ('removed') })
  const added = (/** @type {string} */ text) => ({ text, change: /** @type {const} */ ('added') })
  if (before.length * after.length > MAX_COMPARISONS) return [...before.map(removed), ...after.map(added)]
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  const at = (/** @type {number} */ row, /** @type {number} */ column) => lengths[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] = before[row] === after[column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  /** @type {ReturnType<typeof differences>} */
  const result = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [old = '', now = ''] = [before[row], after[column]]
    if (row < before.length && column < after.length && old === now) {
      result.push({ text: now, change: 'same' })
      row++
      column++
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1))) {
      result.push(removed(old))
      row++
    } else {
      result.push(added(now))
      column++
    }
  }
  return result
}
