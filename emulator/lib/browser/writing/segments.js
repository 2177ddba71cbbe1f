import { joinedMarks, slicedMarks, tidyMarks } from './marks.js'
import { applied, fineChanges } from './merge.js'
/** @import { Change } from './merge.js' */
/** @import { Step } from './history.js' */
/** @import { Mark } from '../protocol.js' */

/**
 * @typedef {object} Segment A part of a text, visible or not.
 * @property {string} text
 * @property {Step | null} by the step of this page that wrote it; `null`: original text or text by others
 * @property {Array<Step | null>} gone the steps that deleted it; `null`: others
 * @property {readonly Mark[]} marks its formatting when last visible
 */

/**
 * A text whose every part knows which step of this page wrote or deleted it: undoing a step means to show the text
 * without it.
 *
 * @param {string} original
 */
export function createSegments (original) {
  /** @type {Segment[]} */ const segments = [{ text: original, by: null, gone: [], marks: [] }]
  const textNow = () => segments.filter(isShown).map(({ text }) => text).join('')

  /** The index of the segment that begins at an offset of the visible text. @param {number} at */
  function splitAt (at) {
    let from = 0
    for (const [index, segment] of segments.entries()) {
      if (from === at) return index
      if (!isShown(segment)) continue
      const { text, gone, marks } = segment
      const offset = at - from
      from += text.length
      if (from <= at) continue
      const head = { ...segment, text: text.slice(0, offset), marks: slicedMarks(marks, 0, offset) }
      const rest = {
        ...segment,
        text: text.slice(offset),
        gone: [...gone],
        marks: slicedMarks(marks, offset, text.length)
      }
      segments.splice(index, 1, head, rest)
      return index + 1
    }
    return segments.length
  }

  /** @param {number} at @param {string} text @param {Step | null} by */
  function insert (at, text, by) {
    const index = splitAt(at)
    const before = segments[index - 1]
    if (before !== undefined && before.by === by && by !== null && before.gone.length === 0) {
      before.text += text
      return before
    }
    /** @type {Segment} */ const added = { text, by, gone: [], marks: [] }
    segments.splice(index, 0, added)
    return added
  }

  /**
   * Text that was only moved, because two wrote at the same place, keeps its author.
   * @param {Segment} moved
   * @param {Segment[]} added
   */
  function keepOwn ({ text, by, marks }, added) {
    const own = text.trim()
    const segment = added.find(one => one.text.includes(own))
    if (own === '' || segment === undefined) return
    const at = segment.text.indexOf(own)
    const rest = { ...segment, gone: [], text: segment.text.slice(at + own.length) }
    segment.text = segment.text.slice(0, at)
    segments.splice(segments.indexOf(segment) + 1, 0, { text: own, by, gone: [], marks }, rest)
    added.push(rest)
  }

  return {
    /**
     * The visible text has changed.
     *
     * @param {string} text @param {Step | null} by @param {readonly Mark[]} [marks] of the previous text
     * @param {Change[]} [made] the changes, if known: which of two equal letters is new can't be seen
     */
    change (text, by, marks = [], made = []) {
      /** @type {Segment[]} */ const added = []
      /** @type {Segment[]} */ const deleted = []
      const before = textNow()
      const parts = applied(before, made) === text ? [...made] : fineChanges(before, text)
      for (const { from, to, text: written } of parts.reverse()) {
        const start = splitAt(from)
        let at = from
        for (const segment of segments.slice(start, splitAt(to)).filter(isShown)) {
          segment.marks = slicedMarks(marks, at, at + segment.text.length)
          segment.gone.push(by)
          deleted.push(segment)
          at += segment.text.length
        }
        if (written !== '') added.push(insert(from, written, by))
      }
      if (by === null) for (const segment of deleted) if (segment.by !== null) keepOwn(segment, added)
    },
    text: textNow,
    /**
     * Remembers the visible text. Returns a function that returns the text visible afterwards.
     * @param {readonly Mark[]} marks
     */
    before (marks) {
      const wasShown = segments.map(isShown)
      return () => {
        let [at, text] = [0, '']
        /** @type {Mark[]} */ let looks = []
        for (const [index, segment] of segments.entries()) {
          if (wasShown[index]) {
            segment.marks = slicedMarks(marks, at, at + segment.text.length)
            at += segment.text.length
          }
          if (!isShown(segment)) continue
          looks = joinedMarks(looks, text.length, segment.marks)
          text += segment.text
        }
        return { text, marks: tidyMarks(looks, text.length) }
      }
    }
  }
}

/** @param {Segment} segment */
function isShown ({ by, gone }) {
  return by?.isDone !== false && gone.every(step => step?.isDone === false)
}
