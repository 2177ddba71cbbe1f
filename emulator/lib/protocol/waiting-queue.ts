/** Keeps items for callers who wait for one. Each is returned once. */
export function waitingQueue<Item> () {
  const queued: Item[] = []
  let waiting: Array<{ readonly isWanted: (item: Item) => boolean, readonly resolve: (item: Item) => void }> = []

  return {
    /** That nobody has waited for. */
    queued,
    add (item: Item): void {
      const first = waiting.find(({ isWanted }) => isWanted(item))
      waiting = waiting.filter(one => one !== first)
      if (first === undefined) queued.push(item)
      else first.resolve(item)
    },
    /** @param signal ends the wait: rejects with its reason, and the item goes to another caller */
    async next (isWanted: (item: Item) => boolean, signal?: AbortSignal): Promise<Item> {
      const index = queued.findIndex(isWanted)
      if (index !== -1) return queued.splice(index, 1)[0]!
      return await new Promise((resolve, reject) => {
        const entry = { isWanted, resolve }
        waiting.push(entry)
        signal?.addEventListener('abort', () => {
          waiting = waiting.filter(one => one !== entry)
          reject(signal.reason)
        }, { once: true })
      })
    }
  }
}
