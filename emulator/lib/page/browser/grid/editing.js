import { createBatches } from '../batches.js'
import { placeOf } from './places.js'
/** @import { CellOperation, GridCell, GridCells, GridContent, GridView } from './protocol.js' */

const PAUSE_MS = 50
/** @type {GridCell} */
const EMPTY = { value: '', text: '' }

/**
 * Sends changed cells, one batch at a time, and applies the changes of others. Without a connection it waits. The last
 * value set wins, so a value on its way stays visible whatever others do to the cell meanwhile.
 *
 * @param {object} parts
 * @param {(message: object) => boolean} parts.send
 * @param {(content: GridContent, cells: GridCells) => GridView} parts.show
 * @param {(isDirty: boolean) => void} parts.dirty called when there are unsent changes, and when all have arrived
 * @param {(id: string, value: string) => boolean} [parts.takesLink] whether a value is a link to another file, whose
 *   value comes later
 */
export function createGridEditing ({ send, show, dirty, takesLink = () => false }) {
  /** @type {Map<string, GridCell>} What the document server has. */ let known = new Map()
  /** @type {Map<string, string>} Typed, not sent. */ const unsent = new Map()
  /** @type {Map<string, string>} Sent, not confirmed. */ const sent = new Map()
  /** @type {GridView | null} */ let view = null
  let isSending = false
  const isUnsent = () => isSending || unsent.size > 0

  const batches = createBatches({
    send,
    dirty,
    pause: PAUSE_MS,
    replica: {
      isSending: () => isSending,
      isUnsent,
      take () {
        const operations = [...unsent].map(([id, value]) => ({ op: 'cell', ...placeOf(id), value }))
        for (const [id, value] of unsent) sent.set(id, value)
        unsent.clear()
        isSending ||= operations.length > 0
        return operations
      },
      /** Changes that the document server did not make, to a cell that can't be set, are reverted here, too. */
      received () {
        isSending = false
        const answered = [...sent.keys()]
        sent.clear()
        for (const id of answered) view?.changed(id)
      }
    }
  })

  /** @param {string} id */
  function cellAt (id) {
    const typed = unsent.get(id) ?? sent.get(id)
    const cell = known.get(id) ?? EMPTY
    return typed === undefined || typed === cell.value ? cell : { value: typed, text: typed.replace(/^'/, '') }
  }

  /** @param {string} id @param {string} value */
  function typed (id, value) {
    if (takesLink(id, value) || value === cellAt(id).value) return
    unsent.set(id, value)
    view?.changed(id)
    batches.edited()
  }

  /** @param {GridContent} content @param {boolean} arrived whether it contains what was on its way */
  function start (content, arrived) {
    known = new Map(content.sheets.flatMap(({ name, cells }) =>
      Object.entries(cells).map(([cell, shown]) => [`${name}!${cell}`, shown])))
    if (!arrived) for (const [id, value] of sent) if (!unsent.has(id)) unsent.set(id, value)
    sent.clear()
    isSending = false
    if (view === null) view = show(content, { cellAt, typed })
    else view.renew(content)
    batches.push()
  }

  return {
    push: batches.push,
    view: () => view,
    /** @param {GridContent} content @param {string} _id @param {number} lastBatch the last batch that arrived */
    opened (content, _id, lastBatch) {
      batches.setOnline(true)
      start(content, batches.isLast(lastBatch))
    },
    /** The document was replaced. @param {GridContent} content */
    replaced: content => start(content, false),
    cut: () => batches.setOnline(false),
    /** @param {CellOperation} operation @param {boolean} own */
    apply ({ sheet, cell, value, shown = { value, text: value }, others = {} }, own) {
      if (!batches.isOnline()) return
      const id = `${sheet}!${cell}`
      if (own) sent.delete(id)
      for (const [changed, now] of Object.entries({ ...others, [id]: shown })) {
        known.set(changed, now)
        view?.changed(changed)
      }
    },
    received: batches.received,
    /** @param {() => void} action */
    whenSent (action) {
      view?.commit()
      batches.whenSent(action)
    },
    /** Only the editor knows of an open cell, until the user leaves it. */
    isTyped: () => view?.isOpen() === true || batches.isTyped(),
    /** Leaves an open cell as it was. */
    cancel: () => view?.cancel(),
    hold: batches.hold,
    /** The id of the cell where the user is. */
    cell: () => view?.cell() ?? null,
    setCell: typed,
    isUnsent
  }
}
