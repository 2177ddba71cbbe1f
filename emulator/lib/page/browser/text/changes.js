import { ChangeSet, simplifyChanges } from 'prosemirror-changeset'
import { StepMap } from 'prosemirror-transform'
/** @import { Node } from 'prosemirror-model' */

/** Above these, what differs is shown as a whole. */
const MAX_COMPARISONS = 4_000_000
const MAX_REFINED = 20_000

/** @typedef {{ fromA: number, toA: number, fromB: number, toB: number }} Change */

/**
 * What was changed between two documents: block by block, and within the blocks that differ by characters.
 *
 * @param {Node} before
 * @param {Node} after
 * @returns {readonly Change[]}
 */
export function changesBetween (before, after) {
  const blocks = changedBlocks(before, after)
  const size = blocks.reduce((sum, { fromA, toA, fromB, toB }) => sum + toA - fromA + toB - fromB, 0)
  if (size > MAX_REFINED) return blocks
  // As steps from the last block to the first, whose places are then those in the document before.
  const maps = blocks.reverse().map(({ fromA, toA, fromB, toB }) => new StepMap([fromA, toA - fromA, toB - fromB]))
  return simplifyChanges(ChangeSet.create(before).addSteps(after, maps, null).changes, after)
}

/** @param {Node} before @param {Node} after */
function changedBlocks (before, after) {
  const [a, b] = [before.children.map(keyOf), after.children.map(keyOf)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [endA, endB] = [a.length - end, b.length - end]

  /** @type {Change[]} */ const changes = []
  let [doneA, doneB] = [start, start]
  const [startsA, startsB] = [startsOf(before), startsOf(after)]
  /** @param {number} indexA @param {number} indexB the first blocks that are the same again */
  function add (indexA, indexB) {
    if (doneA === indexA && doneB === indexB) return
    changes.push({ fromA: startsA(doneA), toA: startsA(indexA), fromB: startsB(doneB), toB: startsB(indexB) })
  }
  for (const [indexA, indexB] of same(a.slice(start, endA), b.slice(start, endB))) {
    add(start + indexA, start + indexB)
    doneA = start + indexA + 1
    doneB = start + indexB + 1
  }
  add(endA, endB)
  return changes
}

/** What a block is, wherever it is in its file. @param {Node} block */
function keyOf (block) {
  return JSON.stringify(block, (name, value) => name === 'ref' ? undefined : value)
}

/** Where the blocks start. @param {Node} doc @returns {(index: number) => number} */
function startsOf (doc) {
  /** @type {number[]} */ const starts = []
  doc.forEach((_block, start) => { starts.push(start) })
  return index => starts[index] ?? doc.content.size
}

/**
 * The places of the longest common subsequence.
 *
 * @param {string[]} a
 * @param {string[]} b
 */
function same (a, b) {
  if (a.length * b.length > MAX_COMPARISONS) return []
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (/** @type {number} */ row, /** @type {number} */ column) => lengths[row * width + column] ?? 0
  for (let row = a.length - 1; row >= 0; row--) {
    for (let column = b.length - 1; column >= 0; column--) {
      lengths[row * width + column] = a[row] === b[column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  /** @type {Array<[number, number]>} */ const pairs = []
  for (let [row, column] = [0, 0]; row < a.length && column < b.length;) {
    if (a[row] === b[column]) pairs.push([row++, column++])
    else if (at(row + 1, column) >= at(row, column + 1)) row++
    else column++
  }
  return pairs
}
