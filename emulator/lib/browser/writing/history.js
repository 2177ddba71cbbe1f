import { createSegments } from './segments.js'
/** @import { Change } from './merge.js' */
/** @import { Formatting, Mark } from '../protocol.js' */

/**
 * @typedef {{ text: string, marks: readonly Mark[] }} State
 * @typedef {object} Step A set of edits that are undone together.
 * @property {boolean} isDone false after it was undone
 * @property {Set<string>} ids of the paragraphs whose text it changed
 * @property {string[]} inserted paragraphs
 * @property {string[]} removed paragraphs
 * @property {Map<string, string[]>} anchors the paragraphs before each removed one, nearest first
 * @property {Array<{ id: string, before: State, formatting: Formatting }>} formats
 * @property {{ first: string, second: string } | undefined} pair two paragraphs that were split or joined
 */

/** Text typed without a longer pause is one step. */
const PAUSE_MS = 1000
const MAX_STEPS = 1000

/**
 * The undo and redo steps of this page, while others edit, too.
 *
 * @param {() => number} now
 */
export function createHistory (now = Date.now) {
  /** @type {Map<string, ReturnType<typeof createSegments>>} Texts edited here. */ const texts = new Map()
  /** @type {Record<'undo' | 'redo', Step[]>} */ const steps = { undo: [], redo: [] }
  /** @type {Step | null} */ let open = null
  let isTogether = false
  let last = { id: '', grows: true, at: 0 }

  /**
   * The step that an edit belongs to.
   * @param {string} id
   * @param {boolean | null} grows `null`: the edit is not typing
   */
  function stepOf (id, grows) {
    steps.redo = []
    const goesOn = grows !== null && last.id === id && last.grows === grows && now() - last.at < PAUSE_MS
    last = { id: grows === null ? '' : id, grows: grows === true, at: now() }
    if (open !== null && (isTogether || goesOn)) return open
    open = { isDone: true, ids: new Set(), inserted: [], removed: [], anchors: new Map(), formats: [], pair: undefined }
    steps.undo.push(open)
    steps.undo.splice(0, steps.undo.length - MAX_STEPS)
    return open
  }

  /** @param {string} id @param {string} text as it was */
  function segmentsOf (id, text) {
    const known = texts.get(id)
    known?.change(text, null)
    const segments = known ?? createSegments(text)
    texts.set(id, segments)
    return segments
  }

  return {
    /**
     * @param {string} id
     * @param {State} before
     * @param {string} text
     * @param {string} [joined] the paragraph that was appended to it
     */
    changed (id, before, text, joined) {
      if (before.text === text) return
      const step = stepOf(id, text.length >= before.text.length)
      segmentsOf(id, before.text).change(text, step, before.marks)
      step.ids.add(id)
      if (joined !== undefined) step.pair = { first: id, second: joined }
    },
    /** @param {string} id @param {string} text @param {string} [split] the paragraph it was split from */
    inserted (id, text, split) {
      const step = stepOf(id, null)
      segmentsOf(id, '').change(text, step)
      step.ids.add(id)
      step.inserted.push(id)
      if (split !== undefined) step.pair = { first: split, second: id }
    },
    /** @param {string} id @param {State} before @param {string[]} anchors */
    removed (id, before, anchors) {
      const step = stepOf(id, null)
      segmentsOf(id, before.text).change('', step, before.marks)
      step.ids.add(id)
      step.removed.push(id)
      step.anchors.set(id, anchors)
    },
    /** @param {string} id @param {State} before @param {Formatting} formatting */
    formatted (id, before, formatting) {
      stepOf(id, null).formats.push({ id, before, formatting })
    },
    /** Makes all edits of a function one step. @param {() => void} edits */
    together (edits) {
      if (isTogether) return edits()
      open = null
      isTogether = true
      edits()
      isTogether = false
      open = null
    },
    /** Others changed a text. @param {string} id @param {string} text @param {Change[]} [made] */
    merged: (id, text, made) => texts.get(id)?.change(text, null, [], made),
    /**
     * Begins a new step.
     * @param {(id: string) => string | undefined} textOf the current texts, which others may have changed
     */
    resumed (textOf) {
      open = null
      for (const [id, segments] of texts) segments.change(textOf(id) ?? '', null)
    },
    /** @param {string} id */
    segments: id => texts.get(id),
    /** @param {'undo' | 'redo'} direction */
    has: direction => steps[direction].length > 0,
    /** @param {'undo' | 'redo'} direction */
    take (direction) {
      open = null
      return steps[direction].pop()
    },
    /** @param {'undo' | 'redo'} direction @param {Step} step */
    put (direction, step) {
      steps[direction].push(step)
    },
    clear () {
      open = null
      texts.clear()
      steps.undo = []
      steps.redo = []
    }
  }
}
