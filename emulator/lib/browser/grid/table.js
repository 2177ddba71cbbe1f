import { HEAD_WIDTH, ROW_HEIGHT } from './layout.js'
import { cellName, columnName, isInRange, positionOf } from './places.js'
/** @import { GridCell, GridSheet, Position } from './protocol.js' */

const SPARE_ROWS = 12
const TOUCHED_MS = 900
const EMPTY = { value: '', text: '' }

/**
 * Renders the visible rows of a sheet and some around them, because a sheet may be long.
 *
 * @param {HTMLElement} scroller
 * @param {GridSheet} sheet
 * @param {ReturnType<typeof import('./layout.js').layoutOf>} layout
 * @param {ReadonlyMap<string, { name: string, color: number }>} marks by cell name
 */
export function gridTable (scroller, sheet, layout, marks) {
  const head = element('grid-head', 'row')
  head.style.width = `${layout.width}px`
  head.setAttribute('aria-rowindex', '1')
  const corner = element('grid-corner', 'columnheader', 'Rows')
  head.append(
    corner,
    ...layout.columns.map(column => {
      const header = element('grid-column', 'columnheader', columnName(column))
      header.setAttribute('aria-colindex', String(column + 1))
      header.dataset.column = String(column)
      return placed(header, {
        ...layout.box({ row: layout.rows[0] ?? 1, column }),
        ...widthOf(column),
        top: 0,
        height: ROW_HEIGHT
      })
    })
  )
  const body = element('grid-body', 'rowgroup')
  body.style.width = `${layout.width}px`
  body.style.height = `${layout.height}px`
  scroller.replaceChildren(head, body)
  /** @type {Map<number, HTMLElement>} by index among the displayed rows */
  const rows = new Map()
  let current = { row: 0, column: 0 }
  scroller.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true })

  /** The position and width of a column's header, which merged cells do not widen. @param {number} column */
  function widthOf (column) {
    const index = layout.columns.indexOf(column)
    const left = layout.lefts[index] ?? HEAD_WIDTH
    return { left, width: (layout.lefts[index + 1] ?? left) - left }
  }

  function draw () {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW_HEIGHT) - SPARE_ROWS)
    const end = Math.min(
      layout.rows.length,
      Math.ceil((scroller.scrollTop + (scroller.clientHeight || 600)) / ROW_HEIGHT) + SPARE_ROWS
    )
    /** @type {Set<number>} */
    const wanted = new Set([
      ...layout.rowsReaching(first, end),
      ...Array.from({ length: end - first }, (_, index) => first + index)
    ])
    for (const [index, row] of rows) {
      if (wanted.has(index)) continue
      row.remove()
      rows.delete(index)
    }
    for (const index of [...wanted].sort((a, b) => a - b)) if (!rows.has(index)) addRow(index)
  }

  /** @param {number} index */
  function addRow (index) {
    const number = layout.rows[index] ?? 0
    const row = element('grid-row', 'row')
    row.style.top = `${index * ROW_HEIGHT}px`
    row.setAttribute('aria-rowindex', String(number + 1))
    const header = element('grid-number', 'rowheader', String(number))
    header.dataset.row = String(number)
    row.append(
      header,
      ...layout.columns.flatMap(column =>
        layout.isCovered({ row: number, column }) ? [] : [cellOf({ row: number, column }, index)]
      )
    )
    const next = [...rows.keys()].filter(other => other > index).sort((a, b) => a - b)[0]
    body.insertBefore(row, rows.get(next ?? -1) ?? null)
    rows.set(index, row)
    header.classList.toggle('here', number === current.row)
  }

  /** @param {Position} position @param {number} index */
  function cellOf (position, index) {
    const cell = element('grid-cell', 'gridcell')
    const box = layout.box(position)
    placed(cell, { ...box, top: box.top - index * ROW_HEIGHT })
    if (box.height > ROW_HEIGHT) cell.classList.add('tall')
    cell.id = `cell-${cellName(position)}`
    cell.dataset.cell = cellName(position)
    cell.setAttribute('aria-colindex', String(position.column + 1))
    fill(cell, position)
    return cell
  }

  /** @param {HTMLElement} cell @param {Position} position */
  function fill (cell, position) {
    const { text, align, bold, stale } = shownAt(position)
    cell.textContent = text
    const lock = sheet.locked.find(({ range }) => isInRange(position, range))
    const mark = marks.get(cellName(position))
    cell.className = [
      'grid-cell',
      align ?? '',
      bold ? 'bold' : '',
      stale ? 'stale' : '',
      lock === undefined ? '' : 'locked',
      cell.classList.contains('tall') ? 'tall' : '',
      mark === undefined ? '' : 'marked'
    ].filter(Boolean).join(' ')
    cell.title = [
      mark?.name,
      stale ? 'Calculated when an office suite opens the file' : lock?.why,
      text.length > 12 && !stale ? text : ''
    ].filter(Boolean).join(' — ')
    if (mark !== undefined) Object.assign(cell.dataset, { who: mark.name, color: String(mark.color) })
    else {
      delete cell.dataset.who
      delete cell.dataset.color
    }
    const isCurrent = position.row === current.row && position.column === current.column
    cell.classList.toggle('current', isCurrent)
    cell.setAttribute('aria-selected', String(isCurrent))
    cell.setAttribute('aria-readonly', String(lock !== undefined))
  }

  /** @param {Position} position @returns {GridCell} */
  function shownAt (position) {
    return sheet.cells[cellName(layout.holder(position))] ?? EMPTY
  }

  /** @param {Position} position */
  function found (position) {
    const cell = document.getElementById(`cell-${cellName(position)}`)
    return cell !== null && body.contains(cell) ? cell : null
  }

  function refresh () {
    for (const cell of body.querySelectorAll('[data-cell]')) {
      if (cell instanceof HTMLElement) fill(cell, positionOf(cell.dataset.cell ?? ''))
    }
    refreshHeads()
  }

  function refreshHeads () {
    for (const header of scroller.querySelectorAll('[data-column], [data-row]')) {
      if (!(header instanceof HTMLElement)) continue
      header.classList.toggle(
        'here',
        header.dataset.column === String(current.column) || header.dataset.row === String(current.row)
      )
    }
  }

  return {
    body,
    draw,
    refresh,
    shownAt,
    /** @param {Position} position */
    setCurrent (position) {
      const before = current
      current = position
      reveal(position)
      draw()
      for (const changed of [before, position]) {
        const cell = found(changed)
        if (cell !== null) fill(cell, changed)
      }
      refreshHeads()
      scroller.setAttribute('aria-activedescendant', `cell-${cellName(position)}`)
    },
    /** Updates a changed cell. @param {Position} position @param {boolean} byOther */
    changed (position, byOther) {
      const shown = layout.anchor(position)
      const cell = found(shown)
      if (cell === null) return
      fill(cell, shown)
      if (!byOther) return
      cell.classList.add('touched')
      setTimeout(() => cell.classList.remove('touched'), TOUCHED_MS)
    }
  }

  /** @param {Position} position */
  function reveal (position) {
    const { left, top, width, height } = layout.box(position)
    const [right, bottom] = [
      scroller.scrollLeft + scroller.clientWidth,
      scroller.scrollTop + scroller.clientHeight - ROW_HEIGHT
    ]
    if (left - HEAD_WIDTH < scroller.scrollLeft) scroller.scrollLeft = left - HEAD_WIDTH
    else if (left + width > right) {
      scroller.scrollLeft = Math.min(left - HEAD_WIDTH, left + width - scroller.clientWidth)
    }
    if (top < scroller.scrollTop) scroller.scrollTop = top
    else if (top + height > bottom) {
      scroller.scrollTop = Math.min(top, top + height + ROW_HEIGHT - scroller.clientHeight)
    }
  }
}

/** @param {string} className @param {string} role @param {string} [text] */
export function element (className, role, text = '') {
  const created = document.createElement('div')
  created.className = className
  created.setAttribute('role', role)
  created.textContent = text
  return created
}

/**
 * @template {HTMLElement} E
 * @param {E} target
 * @param {{ left: number, top: number, width: number, height: number }} box
 */
export function placed (target, { left, top, width, height }) {
  Object.assign(target.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
  return target
}

/** The cell at the pointer. @param {Event} event */
export function cellAt (event) {
  const cell = event.target instanceof Element ? event.target.closest('[data-cell]') : null
  return cell instanceof HTMLElement ? positionOf(cell.dataset.cell ?? '') : null
}
