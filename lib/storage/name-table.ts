import { randomInt } from 'node:crypto'

const BUCKETS = 1024
/** Of an entry: the number of an extension. The other bits are of the stem's hash, whose lower bits tell the bucket. */
const NUMBER_BITS = BUCKETS - 1

/** More names take too much memory. */
const MAX_NAMES = 2_000_000

/**
 * Which extensions the files in a directory have, by stem, in four to eight bytes a file. Only a hash of the stem is kept: very rarely
 * an extension is given that only another stem has.
 */
export class NameTable {
  readonly #seed = randomInt(2 ** 32)
  readonly #buckets = Array.from({ length: BUCKETS }, () => new Uint32Array(4))
  readonly #sizes = new Uint32Array(BUCKETS)
  #size = 0

  /** Whether all names are in the table that were added. */
  get isComplete (): boolean {
    return this.#size <= MAX_NAMES
  }

  /** Adds the number of an extension, at most 1023, for the stem of a name that ends before `end`. */
  add (name: string, end: number, extension: number): void {
    if (++this.#size > MAX_NAMES) return
    const hash = this.#hashOf(name, end)
    const bucket = hash & NUMBER_BITS
    const size = this.#sizes[bucket]!++
    if (size === this.#buckets[bucket]!.length) {
      const larger = new Uint32Array(2 * size)
      larger.set(this.#buckets[bucket]!)
      this.#buckets[bucket] = larger
    }
    this.#buckets[bucket]![size] = (hash & ~NUMBER_BITS) | extension
  }

  /** The numbers of all extensions of a stem. */
  numbersOf (stem: string): Set<number> {
    const hash = this.#hashOf(stem, stem.length)
    const bucket = hash & NUMBER_BITS
    const entries = this.#buckets[bucket]!
    const found = new Set<number>()
    for (let index = 0; index < this.#sizes[bucket]!; index++) {
      if (((entries[index]! ^ hash) & ~NUMBER_BITS) === 0) found.add(entries[index]! & NUMBER_BITS)
    }
    return found
  }

  /** FNV-1a, with a last step that spreads every bit. The seed keeps anybody from making names with the same hash. */
  #hashOf (text: string, end: number): number {
    let hash = this.#seed
    for (let index = 0; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    return hash ^ (hash >>> 13)
  }
}
