import { randomInt } from 'node:crypto'

/** A spreadsheet has no more. */
const MAX_ROWS = 1_048_576
const FIRST_SLOTS = 1024

export interface RowTable {
  readonly rows: number
  /** `key`: what a row looks like. `text`: how it is written. Returns whether there was room. */
  add (key: string, text: string): boolean
  has (key: string): boolean
  /** Whether rows look so that are written differently. */
  isAmbiguous (key: string): boolean
}

/** Remembers the rows of a file in 12 to 24 bytes each: by 64 bits of a hash, which no two rows of a file share. */
export function createRowTable (): RowTable {
  /** Of each slot: two hashes of the key, and one of the text. */
  let slots = new Int32Array(3 * FIRST_SLOTS)
  let used = 0
  let rows = 0

  function slotOf (table: Int32Array, first: number, second: number): number {
    const count = table.length / 3
    let slot = (first >>> 0) % count
    while (table[3 * slot] !== 0 && (table[3 * slot] !== first || table[3 * slot + 1] !== second)) slot = (slot + 1) % count
    return 3 * slot
  }

  function grow (): void {
    const larger = new Int32Array(2 * slots.length)
    for (let at = 0; at < slots.length; at += 3) {
      if (slots[at] !== 0) larger.set(slots.subarray(at, at + 3), slotOf(larger, slots[at]!, slots[at + 1]!))
    }
    slots = larger
  }

  function find (key: string): number {
    return slotOf(slots, hashOf(key, FIRST_SEED), hashOf(key, SECOND_SEED))
  }

  return {
    get rows () { return rows },
    add (key, text) {
      if (++rows > MAX_ROWS) return false
      const at = find(key)
      const written = hashOf(text, FIRST_SEED)
      if (slots[at] !== 0) {
        if (slots[at + 2] !== written) slots[at + 2] = AMBIGUOUS
        return true
      }
      slots.set([hashOf(key, FIRST_SEED), hashOf(key, SECOND_SEED), written], at)
      if (2 * ++used > slots.length / 3) grow()
      return true
    },
    has: key => slots[find(key)] !== 0,
    isAmbiguous: key => slots[find(key) + 2] === AMBIGUOUS
  }
}

/** Nobody can write rows that all have the same slot. */
const [FIRST_SEED, SECOND_SEED] = [randomInt(2 ** 32), randomInt(2 ** 32)]
/** No hash: these are never 0, and odd. */
const AMBIGUOUS = 2

function hashOf (text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash ^= hash >>> 15
  }
  return hash | 1
}
