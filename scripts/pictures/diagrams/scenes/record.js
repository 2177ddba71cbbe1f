// What is said, in the order of cause and effect: what happens because of a request is between the request and its
// answer, also when other requests go on at the same time.
import { AsyncLocalStorage } from 'node:async_hooks'

/** @import { Message, Step } from '../svg/sequence.js' */
/** @typedef {ReturnType<typeof createRecord>} Conversation */
/** @typedef {{ step: Step, effects: Entry[], answer: Message | null }} Entry */

export function createRecord () {
  /** @type {Entry[]} */
  const entries = []
  /** Requests that are not answered yet. @type {Entry[]} */
  const open = []
  /** @type {AsyncLocalStorage<Entry>} */
  const cause = new AsyncLocalStorage()

  /**
   * @param {Step} step
   * @param {Entry} [because]
   */
  function add (step, because = cause.getStore()) {
    const entry = { step, effects: [], answer: null }
    const list = because ? because.effects : entries
    list.push(entry)
    return entry
  }

  return {
    /** What follows belongs together. @param {string} heading */
    begin (heading) {
      entries.push({ step: { heading }, effects: [], answer: null })
    },

    /** @param {Message} message */
    say (message) {
      add(message)
    },

    /**
     * For what another process, or another part of this one, does because of the latest request.
     * @param {Message} message
     */
    sayBecauseOfLatest (message) {
      add(message, open.at(-1))
    },

    /**
     * A request; what `handle` causes is an effect of it.
     * @param {Message} message
     * @param {() => void} handle
     * @returns {Entry}
     */
    request (message, handle) {
      const entry = add(message)
      open.push(entry)
      cause.run(entry, handle)
      return entry
    },

    /**
     * @param {Entry} entry
     * @param {Message | null} answer
     */
    answer (entry, answer) {
      entry.answer = answer
      open.splice(open.indexOf(entry), 1)
    },

    /** Forgets what was said so far: a picture begins later. */
    clear () {
      entries.length = 0
    },

    /** @returns {Step[]} */
    steps: () => entries.flatMap(stepsOf)
  }
}

/** @param {Entry} entry @returns {Step[]} */
function stepsOf ({ step, effects, answer }) {
  return [step, ...effects.flatMap(stepsOf), ...answer ? [answer] : []]
}
