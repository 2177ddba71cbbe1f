import { idOf, placeOf, positionOf } from './places.js'
/** @import { CellOperation, GridCell, GridContent, GridView } from './protocol.js' */

/** @type {GridCell} */
const EMPTY = { value: '', text: '' }

/**
 * The page's copy of the cells: the document server's values, and values typed here that have not arrived yet. The last
 * value set wins, so a value on its way stays visible whatever others do to the cell meanwhile.
 */
export function createGridReplica () {
  /** @type {Map<string, GridCell>} */ let known = new Map()
  /** @type {Map<string, string>} Typed, not sent. */ const unsent = new Map()
  /** @type {Map<string, string>} Sent, not confirmed. */ const sent = new Map()
  /** @type {GridView | null} */ let view = null
  let inFlight = false

  const mine = (/** @type {string} */ id) => unsent.get(id) ?? sent.get(id)

  /** @param {string} id */
  function shown (id) {
    const typed = mine(id)
    const cell = known.get(id) ?? EMPTY
    return typed === undefined || typed === cell.value ? cell : { ...asTyped(typed), bold: cell.bold ?? false }
  }

  /** @param {GridContent} content */
  function read (content) {
    known = new Map(
      content.sheets.flatMap(({ name, cells }) =>
        Object.entries(cells).map(([cell, shown]) => [`${name}!${cell}`, shown])
      )
    )
  }

  /** The content with the values typed here. @param {GridContent} content @returns {GridContent} */
  function withOwn (content) {
    return {
      ...content,
      sheets: content.sheets.map(sheet => {
        const own = [...new Set([...sent.keys(), ...unsent.keys()])].filter(id => placeOf(id).sheet === sheet.name)
        return {
          ...sheet,
          cells: { ...sheet.cells, ...Object.fromEntries(own.map(id => [placeOf(id).cell, shown(id)])) }
        }
      })
    }
  }

  return {
    /** @param {GridView} shownIn */
    attach (shownIn) {
      view = shownIn
    },
    /** The displayed value of a cell. @param {string} id */
    valueOf: id => shown(id).value,
    /** @param {string} id @param {string} value */
    changed (id, value) {
      unsent.set(id, value)
      view?.put(id, shown(id), false)
    },
    isSending: () => inFlight,
    isUnsent: () => inFlight || unsent.size > 0,
    /** Typed text that may not have arrived. */
    unsentTexts: () => [...new Map([...sent, ...unsent])].map(([id, value]) => `${id}: ${value}`),

    /** Takes the unsent edits. @returns {CellOperation[]} */
    take () {
      /** @type {CellOperation[]} */
      const operations = []
      for (const [id, value] of unsent) {
        if (value === (known.get(id) ?? EMPTY).value && !sent.has(id)) continue
        sent.set(id, value)
        operations.push({ op: 'cell', ...placeOf(id), value })
      }
      unsent.clear()
      inFlight ||= operations.length > 0
      return operations
    },

    /**
     * Applies an operation of the document server, made by this page (`own`) or by another.
     * @param {CellOperation} operation
     * @param {boolean} own
     */
    apply ({ sheet, cell, value, shown: now = asTyped(value), others = {} }, own) {
      const id = idOf(sheet, positionOf(cell))
      known.set(id, now)
      if (own) sent.delete(id)
      if (mine(id) === undefined) view?.put(id, now, !own)
      for (const [other, stale] of Object.entries(others)) {
        known.set(other, stale)
        if (mine(other) === undefined) view?.put(other, stale, false)
      }
    },

    /**
     * The batch was processed. Changes that the document server did not make (to a cell that can't be set) are reverted
     * here, too.
     */
    received () {
      inFlight = false
      const answered = [...sent.keys()]
      sent.clear()
      for (const id of answered) view?.put(id, shown(id), false)
    },

    /**
     * Takes over the whole document, initially or again. Returns what to show.
     *
     * @param {GridContent} content
     * @param {boolean} arrived whether it contains what was on its way
     */
    resync (content, arrived) {
      read(content)
      if (!arrived) for (const [id, value] of sent) if (!unsent.has(id)) unsent.set(id, value)
      sent.clear()
      inFlight = false
      return withOwn(content)
    }
  }
}

/** The cell to display until the document server has sent it. @param {string} value @returns {GridCell} */
function asTyped (value) {
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  return { value, text: value.replace(/^'/, ''), ...(isNumber ? { align: 'right' } : {}) }
}
