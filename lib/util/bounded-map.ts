/** A map with at most `max` entries. Setting one more drops the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor (max: number) {
    super()
    this.#max = max
  }

  override set (key: Key, value: Value): this {
    this.delete(key) // a Map keeps the position of a key that is set again
    super.set(key, value)
    if (this.size > this.#max) this.delete(this.keys().next().value!)
    return this
  }
}
