import { readingsOf, type Reading } from './formulas.js'
import { overlap, type Range } from './references.js'

/** A formula that has a value. */
interface Calculated {
  readonly sheet: string
  /** The cells its value fills. */
  readonly area: Range
  /** `null`: it may read anything. */
  readonly readings: readonly Reading[] | null
}

/** With more formulas than this, any change is taken to change all. */
const MAX_FORMULAS = 5000

/** Keeps track of the formulas whose values are right, to find those a change makes stale. */
export function calculatedFormulas () {
  const known = new Map<string, Calculated>()

  function reads ({ sheet: own, readings }: Calculated, changed: string, range: Range): boolean {
    return readings === null || readings.some(({ sheet = own, range: read }) => sheet.toLowerCase() === changed && overlap(read, range))
  }

  return {
    get size () { return known.size },
    /** @param key tells it from all others */
    add (key: string, sheet: string, area: Range, formula: string): void {
      known.set(key, { sheet, area, readings: readingsOf(formula) })
    },
    forget: (key: string) => { known.delete(key) },
    /** The formulas that are stale once some cells have changed; they are forgotten. */
    changedBy (sheet: string, range: Range): string[] {
      if (known.size > MAX_FORMULAS) {
        const all = [...known.keys()]
        known.clear()
        return all
      }
      const stale: string[] = []
      const changes = [{ sheet, range }]
      for (let change = changes.shift(); change !== undefined; change = changes.shift()) {
        for (const [key, formula] of known) {
          if (!reads(formula, change.sheet.toLowerCase(), change.range)) continue
          known.delete(key)
          stale.push(key)
          changes.push({ sheet: formula.sheet, range: formula.area })
        }
      }
      return stale
    }
  }
}
