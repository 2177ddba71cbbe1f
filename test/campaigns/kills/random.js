/**
 * Numbers that a seed decides (mulberry32).
 * @param {number} seed
 */
export function randomFrom (seed) {
  let state = seed >>> 0
  /** At least 0, less than 1. */
  function next () {
    state = (state + 0x6D2B79F5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  /** @param {number} limit */
  const below = limit => Math.floor(next() * limit)

  return {
    below,
    /** @param {number} probability */
    chance: probability => next() < probability,
    /**
     * @template Item
     * @param {readonly Item[]} items
     * @returns {Item}
     */
    of: items => /** @type {Item} */ (items[below(items.length)]),
    /**
     * @template Item
     * @param {readonly Item[]} items
     */
    shuffled: items => items.map(item => ({ item, place: next() })).sort((a, b) => a.place - b.place).map(({ item }) => item)
  }
}

/** @typedef {ReturnType<typeof randomFrom>} Random */
