/** Numbers that depend on the seed alone, so that a failure can be repeated. */
export interface Random {
  /** A whole number from 0 to `below - 1`. */
  integer (below: number): number
  chance (probability: number): boolean
  one<Value> (values: readonly Value[]): Value
  /** One of them, more often the larger its weight. */
  weighted<Value> (choices: ReadonlyArray<readonly [weight: number, value: Value]>): Value
}

/** Any 32 bits make a seed; neighbours give unlike sequences. */
export function random (seed: number): Random {
  let state = seed >>> 0

  function next (): number {
    state = (state + 0x9e3779b9) >>> 0
    let bits = state
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32
  }
  const integer = (below: number) => Math.floor(next() * below)

  return {
    integer,
    chance: probability => next() < probability,
    one: values => values[integer(values.length)]!,
    weighted (choices) {
      let rest = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of choices) {
        rest -= weight
        if (rest < 0) return value
      }
      return choices.at(-1)![1]
    }
  }
}
