import type { Step } from './steps.js'

const MAX_ATTEMPTS = 100

/** Leaves steps out as long as it still fails: many at once first, then one by one. */
export async function shrink (steps: readonly Step[], fails: (steps: readonly Step[]) => Promise<boolean>): Promise<readonly Step[]> {
  let shortest = steps
  let attempts = 0
  for (let size = steps.length >> 1; size >= 1; size = size > 1 ? size >> 1 : 0) {
    for (let start = 0; start < shortest.length && attempts < MAX_ATTEMPTS;) {
      attempts++
      const without = shortest.toSpliced(start, size)
      if (without.length < shortest.length && await fails(without)) shortest = without
      else start += size
    }
  }
  return shortest
}
