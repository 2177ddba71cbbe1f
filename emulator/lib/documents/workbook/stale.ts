import { readingsOf, type Reading } from './formulas.js'
import { overlap, type Range } from './references.js'

/** A formula with a stored value. */
interface Calculated {
  readonly sheet: string
  /** The cells that its value fills. */
  readonly area: Range
  /** `null`: it may read anything. */
  readonly readings: ReadonlyArray<Required<Reading>> | null
}

/** With more formulas than this, any change makes all of them stale. */
const MAX_FORMULAS = 5000
/** After this many characters, all other formulas are assumed to read anything, because parsing them takes too long. */
const MAX_CHARACTERS = 200_000

/** Tracks the formulas whose values are up to date, to find those that a change makes stale. */
export function calculatedFormulas () {
  const known = new Map<string, Calculated>()
  let characters = 0

  function reads ({ readings }: Calculated, changed: string, range: Range): boolean {
    return readings === null || readings.some(({ sheet, range: read }) => overlap(read, range) && sheet === changed)
  }

  return {
    get size () { return known.size },
    /** @param key unique */
    add (key: string, sheet: string, area: Range, formula: { readonly text: string }): void {
      const isLookedAt = known.size <= MAX_FORMULAS && characters <= MAX_CHARACTERS
      const text = isLookedAt ? formula.text : ''
      characters += text.length
      known.set(key, { sheet, area, readings: isLookedAt ? readingsIn(text, sheet) : null })
    },
    forget: (key: string) => { known.delete(key) },
    /** Returns the formulas that a change of these cells makes stale, and no longer tracks them. */
    changedBy (sheet: string, range: Range): string[] {
      if (known.size > MAX_FORMULAS) {
        const all = [...known.keys()]
        known.clear()
        return all
      }
      const stale: string[] = []
      const changes = [{ sheet, range }]
      for (let change = changes.shift(); change !== undefined; change = changes.shift()) {
        const changed = change.sheet.toLowerCase()
        for (const [key, formula] of known) {
          if (!reads(formula, changed, change.range)) continue
          known.delete(key)
          stale.push(key)
          changes.push({ sheet: formula.sheet, range: formula.area })
        }
      }
      return stale
    }
  }
}

/** The ranges that a formula of a sheet reads. Sheet names are in lower case. */
function readingsIn (formula: string, own: string): Array<Required<Reading>> | null {
  return readingsOf(formula)?.map(({ sheet = own, range }) => ({ sheet: sheet.toLowerCase(), range })) ?? null
}
