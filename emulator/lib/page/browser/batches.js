/**
 * Sends edits after a short delay, one batch at a time. Without a connection they wait.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(isDirty: boolean) => void} parts.dirty called when there are unsent changes, and when all have arrived
 * @param {{ isSending: () => boolean, isUnsent: () => boolean, take: () => object[],
 *   received: () => boolean | void }} parts.replica `received` is false if there is no use in sending again
 * @param {number} parts.pause in milliseconds
 */
export function createBatches ({ send, dirty, replica, pause }) {
  /** @type {Array<() => void>} */
  const waiting = []
  let isOnline = false
  let isHeld = false
  let last = 0
  /** @type {ReturnType<typeof setTimeout> | 0} */
  let timer = 0

  function push () {
    clearTimeout(timer)
    timer = 0
    if (!isOnline || isHeld) return
    if (!replica.isSending()) take()
    if (replica.isUnsent()) return
    dirty(false)
    for (const action of waiting.splice(0)) action()
  }

  function take () {
    const operations = replica.take()
    if (operations.length > 0) send({ type: 'edit', batch: ++last, operations })
  }

  return {
    push,
    edited () {
      dirty(true)
      timer ||= setTimeout(push, pause)
    },
    isOnline: () => isOnline,
    /** Whether something was typed that is not on its way. */
    isTyped: () => replica.isUnsent() && (timer !== 0 || !isOnline || isHeld),
    /** Sends nothing for a while. @param {boolean} value */
    hold (value) {
      isHeld = value
      if (!value) push()
    },
    /** @param {boolean} value */
    setOnline (value) {
      isOnline = value
    },
    /** @param {number} number of the batch */
    isLast: number => number === last,
    /** The document server has processed a batch. @param {number} number */
    received (number) {
      if (!isOnline || number !== last) return
      if (replica.received() !== false) push()
    },
    /** Runs an action once all edits so far have arrived. @param {() => void} action */
    whenSent (action) {
      waiting.push(action)
      push()
    }
  }
}
