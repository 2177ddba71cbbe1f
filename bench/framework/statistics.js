/** @typedef {{ median: number, low: number, high: number }} Range */

/** @param {readonly number[]} values */
export function median (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [upper = NaN, lower = NaN] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 ? upper : (lower + upper) / 2
}

/**
 * @param {readonly number[]} values
 * @param {number} share such as 0.99
 */
export function percentile (values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/**
 * The median of processes, and the range that they cover.
 * @param {readonly number[]} values
 * @returns {Range}
 */
export function rangeOf (values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}
