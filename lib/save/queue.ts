/** Runs the tasks of one file one after the other, in the order they came; those of different files side by side. */
export type SaveQueue = <T>(fileId: string, task: () => Promise<T>) => Promise<T>

export function saveQueue (): SaveQueue {
  const last = new Map<string, Promise<unknown>>()

  return function enqueue (fileId, task) {
    const result = (last.get(fileId) ?? Promise.resolve()).then(task)
    const settled = result.catch(() => {}).then(() => {
      if (last.get(fileId) === settled) last.delete(fileId)
    })
    last.set(fileId, settled)
    return result
  }
}
