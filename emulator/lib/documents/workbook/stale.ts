import { readingsOf, type Reading } from './formulas.js'
import { overlap, type Range } from './references.js'

/** A formula that has a value. */
interface Calculated {
  readonly sheet: string
  /** The cells its value fills. */
  readonly area: Range
  /** `null`: it may read anything. */
  readonly readings: ReadonlyArray<Required<Reading>> | null
}

/** With more formulas than this, any change is taken to change all. */
const MAX_FORMULAS = 5000
/** Formulas behind this many characters of others may read anything: looking through all that is read takes as long as there is of it. */
const MAX_CHARACTERS = 200_000

/** Keeps track of the formulas whose values are right, to find those a change makes stale. */
export function calculatedFormulas () {
  const known = new Map<string, Calculated>()
  let characters = 0

  function reads ({ readings }: Calculated, changed: string, range: Range): boolean {
    return readings === null || readings.some(({ sheet, range: read }) => overlap(read, range) && sheet === changed)
  }

  return {
    get size () { return known.size },
    /** @param key tells it from all others */
    add (key: string, sheet: string, area: Range, formula: { readonly text: string }): void {
      const isLookedAt = known.size <= MAX_FORMULAS && characters <= MAX_CHARACTERS
      const text = isLookedAt ? formula.text : ''
      characters += text.length
      known.set(key, { sheet, area, readings: isLookedAt ? readingsIn(text, sheet) : null })
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

/** What a formula of a sheet reads; sheets in small letters. */
function readingsIn (formula: string, own: string): Array<Required<Reading>> | null {
  return readingsOf(formula)?.map(({ sheet = own, range }) => ({ sheet: sheet.toLowerCase(), range })) ?? null
}
