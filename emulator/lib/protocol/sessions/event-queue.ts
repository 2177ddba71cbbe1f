/** Keeps every event and lets callers wait for the next one of a type. */
export interface EventQueue<Event extends { readonly type: string }> {
  readonly all: readonly Event[]
  add (event: Event): void
  /** Resolves to the next event of a type. Each event is returned once. */
  next<Type extends Event['type']>(type: Type): Promise<Extract<Event, { readonly type: Type }>>
}

export function eventQueue<Event extends { readonly type: string }> (): EventQueue<Event> {
  const all: Event[] = []
  const returned = new Set<Event>()
  let waiting: Array<{ readonly type: string, readonly resolve: (event: Event) => void }> = []

  return {
    all,
    add (event) {
      all.push(event)
      const first = waiting.find(({ type }) => type === event.type)
      if (first === undefined) return
      waiting = waiting.filter(one => one !== first)
      returned.add(event)
      first.resolve(event)
    },
    async next (type) {
      const known = all.find(event => event.type === type && !returned.has(event))
      const event = known ?? await new Promise<Event>(resolve => { waiting.push({ type, resolve }) })
      returned.add(event)
      return event as Extract<Event, { readonly type: typeof type }>
    }
  }
}
