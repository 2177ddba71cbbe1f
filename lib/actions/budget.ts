import type { PageActionName } from '../../types/actions.js'
import { BoundedMap } from '../util/bounded-map.js'

/** What an action costs: 1, unless it makes the application store, send or fetch something. */
const COSTS: Partial<Readonly<Record<PageActionName, number>>> = {
  restore: 10,
  'save-as': 10,
  create: 10,
  history: 5, // it saves
  notify: 5,
  rename: 5
}

/** What a page can spend at once. */
const CAPACITY = 120
const REFILLED_PER_SECOND = 2
const MAX_PAGES = 10_000

interface Balance {
  readonly amount: number
  /** Milliseconds, by the monotonic clock. */
  readonly at: number
}

/** Bounds the work of one page at this instance. Returns the seconds that the page must wait; 0 if it may go on. */
export function createBudget (): (page: string, action: PageActionName) => number {
  const balances = new BoundedMap<string, Balance>(MAX_PAGES)

  return function spend (page, action) {
    const now = performance.now()
    const { amount, at } = balances.get(page) ?? { amount: CAPACITY, at: now }
    const available = Math.min(CAPACITY, amount + (now - at) / 1000 * REFILLED_PER_SECOND)
    const left = available - (COSTS[action] ?? 1)
    if (left < 0) return Math.ceil(-left / REFILLED_PER_SECOND)
    balances.set(page, { amount: left, at: now })
    return 0
  }
}
