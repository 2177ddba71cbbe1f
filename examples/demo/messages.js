/** @typedef {{ id: number, to: string, from: string, what: string, document: { id: string, name: string }, text: string, url: string, at: Date }} Message */
/** @typedef {ReturnType<typeof createMessages>} Messages */

const MAX_MESSAGES = 100

/** Messages about mentions and forms, in memory: what another application would send as email. */
export function createMessages () {
  /** @type {Message[]} */
  let messages = []
  let lastId = 0

  return {
    /** @param {Omit<Message, 'id' | 'at'>} message */
    add (message) {
      messages = [...messages, { ...message, id: ++lastId, at: new Date() }].slice(-MAX_MESSAGES)
    },
    /** @param {string} userId */
    to: userId => messages.filter(({ to }) => to === userId),
    /** @param {number} id */
    remove (id) {
      messages = messages.filter(message => message.id !== id)
    }
  }
}
