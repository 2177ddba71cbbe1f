import { movedMarks } from './marks.js'
import { movedOffset } from './merge.js'
/** @import { Formatting, Mark, Operation } from '../protocol.js' */

/**
 * @typedef {{ text: string, marks?: readonly Mark[], joins?: string, splits?: string }} Hint
 *   Details of an edit besides the new text, with which the document server keeps the formatting.
 */

/** Formatting, and the details of edits. Both are sent again if they did not arrive. */
export function createPending () {
  /** @type {Map<string, Hint>} */ const hints = new Map()
  /** @type {Map<string, Hint>} */ const sentHints = new Map()
  /** @type {Array<Formatting & { id: string, text: string }>} `text`: the text that the range refers to */
  let formats = []
  /** @type {typeof formats} */ let sentFormats = []

  return {
    isEmpty: () => formats.length === 0,
    /** @param {string} id @param {Hint} hint */
    hint (id, hint) {
      hints.set(id, { ...hints.get(id), ...hint })
    },
    /** @param {string} id @param {string} text @param {Formatting} formatting */
    format (id, text, formatting) {
      formats.push({ ...formatting, id, text })
    },
    /**
     * The details of an edit besides its text.
     * @param {string} id
     * @param {string} text
     * @param {'joins' | 'splits'} other
     */
    takeHint (id, text, other) {
      const hint = hints.get(id)
      if (hint === undefined) return {}
      hints.delete(id)
      sentHints.set(id, hint)
      return {
        ...hint.marks === undefined ? {} : { marks: movedMarks(hint.marks, hint.text, text) },
        ...hint[other] === undefined ? {} : { [other]: hint[other] }
      }
    },
    /** @param {(id: string) => string | undefined} textOf the displayed text @returns {Operation[]} */
    takeFormats (textOf) {
      const taken = formats
      sentFormats = [...sentFormats, ...taken]
      formats = []
      return taken.flatMap(({ id, text, from, to, format, value }) => {
        const base = textOf(id)
        if (base === undefined) return []
        const range = { from: movedOffset(from, text, base), to: movedOffset(to, text, base) }
        return range.from < range.to ? [{ op: /** @type {const} */ ('format'), id, base, ...range, format, value }] : []
      })
    },
    received () {
      sentHints.clear()
      sentFormats = []
    },
    /** @param {boolean} arrived */
    cut (arrived) {
      if (!arrived) {
        for (const [id, hint] of sentHints) hints.set(id, { ...hint, ...hints.get(id) })
        formats = [...sentFormats, ...formats]
      }
      sentHints.clear()
      sentFormats = []
    }
  }
}
