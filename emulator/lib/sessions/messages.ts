/** What arrived, to be looked at later or waited for. */
export interface Messages<Message extends { readonly type: string }> {
  readonly all: readonly Message[]
  add (message: Message): void
  /** The next of a type that this has not given before. */
  next<Type extends Message['type']>(type: Type): Promise<Extract<Message, { readonly type: Type }>>
}

export function messages<Message extends { readonly type: string }> (): Messages<Message> {
  const all: Message[] = []
  const given = new Set<Message>()
  let waiting: Array<{ readonly type: string, readonly resolve: (message: Message) => void }> = []

  return {
    all,
    add (message) {
      all.push(message)
      const first = waiting.find(({ type }) => type === message.type)
      if (first === undefined) return
      waiting = waiting.filter(one => one !== first)
      given.add(message)
      first.resolve(message)
    },
    async next (type) {
      const known = all.find(message => message.type === type && !given.has(message))
      const message = known ?? await new Promise<Message>(resolve => { waiting.push({ type, resolve }) })
      given.add(message)
      return message as Extract<Message, { readonly type: typeof type }>
    }
  }
}
