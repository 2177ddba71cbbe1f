import { SlickCellRangeSelector, SlickCellSelectionModel, SlickEditorLock, SlickGrid } from 'slickgrid'
import { widthOf } from './layout.js'
import { cellName, columnName, positionOf } from './places.js'
/** @import { Column, Editor } from 'slickgrid' */
/** @import { GridSheet, Position } from './protocol.js' */
/** @typedef {Editor & { moveTo: (container: HTMLElement) => void }} CellEditor */

const ROW_HEIGHT = 26
const HEAD_WIDTH = 52
const TOUCHED_MS = 900

/**
 * A sheet in a SlickGrid, which renders the cells in sight, moves between them and selects them. Its first column has
 * the row numbers.
 *
 * @param {HTMLElement} place
 * @param {object} parts
 * @param {GridSheet} parts.sheet
 * @param {ReturnType<typeof import('./layout.js').layoutOf>} parts.layout
 * @param {ReadonlyMap<string, { name: string, color: number }>} parts.marks by cell name
 * @param {{ new (...parts: any): CellEditor }} parts.Editor of a cell
 * @param {(position: Position, value: string) => void} parts.typed
 * @param {(position: Position) => void} parts.moved
 * @param {() => boolean} parts.mayEdit whether the current cell can be edited
 * @param {boolean} parts.viewOnly
 */
export function gridTable (place, { sheet, layout, marks, Editor, typed, moved, mayEdit, viewOnly }) {
  let current = { row: 0, column: 0 }
  let isResizing = false
  let isRendering = false

  class Sheet extends SlickGrid {
    /**
     * @override
     * @param {HTMLElement} line
     * @param {number} row
     * @param {number} cell
     * @param {[any, any, any, any]} rest
     */
    appendCellHtml (line, row, cell, ...rest) {
      super.appendCellHtml(line, row, cell, ...rest)
      line.setAttribute('aria-rowindex', String((layout.rows[row] ?? 0) + 1))
      dress(/** @type {HTMLElement} */ (line.lastElementChild), row, cell)
    }

    /** @override */
    resizeCanvas () {
      isResizing = true
      super.resizeCanvas()
      isResizing = false
    }

    /**
     * Keeps the focus if the row of the current cell, with merged cells, is rendered anew.
     * @override
     * @param {any} range
     */
    renderRows (range) {
      const hadFocus = container.contains(document.activeElement)
      super.renderRows(range)
      const at = this.getActiveCell()
      const node = at && this.getCellNode(at.row, at.cell)
      if (!node || node === this.activeCellNode) return
      this.activeCellNode = node
      if (hadFocus && !this.getCellEditor()) this.setFocus()
    }

    /** Typing goes on in a cell that is rendered anew. @override */
    render () {
      const editor = /** @type {CellEditor | null} */ (this.getCellEditor())
      isRendering = true
      super.render()
      if (this.activeCellNode) editor?.moveTo(this.activeCellNode)
      isRendering = false
    }

    /**
     * Ends typing, but not because the window has changed, or the rows in sight.
     * @override
     * @param {boolean} [refocus]
     */
    makeActiveCellNormal (refocus) {
      if (!isResizing && !isRendering) super.makeActiveCellNormal(refocus)
    }

    /** Not behind the row numbers. @override @param {number} left @param {number} right */
    internalScrollColumnIntoView (left, right) {
      super.internalScrollColumnIntoView(left - HEAD_WIDTH, right)
    }

    /** To the cell itself, so that a screen reader announces it. @override */
    setFocus () {
      this.getActiveCellNode()?.focus({ preventScroll: true })
    }
  }

  const container = document.createElement('div')
  container.className = 'grid-sheet'
  container.setAttribute('aria-label', sheet.name)
  container.setAttribute('aria-readonly', String(viewOnly))
  container.setAttribute('aria-multiselectable', 'true')
  container.setAttribute('aria-rowcount', String(sheet.rows + 1))
  container.setAttribute('aria-colcount', String(sheet.columns + 1))
  place.replaceChildren(container)

  const grid = new Sheet(
    container,
    {
      getLength: () => layout.rows.length,
      getItem: () => ({}),
      getItemMetadata: (/** @type {number} */ row) => ({ columns: layout.spans.get(row) ?? {} })
    },
    [
      column(0, 'Rows', HEAD_WIDTH, {
        focusable: false,
        selectable: false,
        resizable: false,
        alwaysRenderColumn: true,
        cellAttrs: { role: 'rowheader' },
        formatter: row => String(layout.rows[row])
      }),
      ...layout.columns.map(number =>
        column(number, columnName(number), widthOf(sheet.widths[number]), {
          editor: Editor,
          formatter: (row, cell) => layout.cellAt(layout.positionAt(row, cell)).text
        })
      )
    ],
    {
      rowHeight: ROW_HEIGHT,
      editable: !viewOnly,
      autoEdit: false,
      autoEditByKeypress: false,
      editorLock: new SlickEditorLock(),
      editCommandHandler: (_item, _column, { row, cell, serializedValue }) =>
        typed(layout.positionAt(row, cell), serializedValue),
      emulatePagingWhenScrolling: false,
      enableColumnReorder: false,
      enableCellRowSpan: true,
      enableHtmlRendering: false,
      sanitizer: text => text
    }
  )
  grid.setSelectionModel(
    new SlickCellSelectionModel({
      selectActiveCell: true,
      cellRangeSelector: new SlickCellRangeSelector({
        selectionCss: /** @type {CSSStyleDeclaration} */ ({ border: '2px solid var(--accent)' })
      })
    })
  )
  for (const stop of container.querySelectorAll('[tabindex="0"]')) stop.removeAttribute('tabindex') // the cells are
  const head = container.querySelector('.slick-header-columns')
  head?.setAttribute('role', 'row')
  head?.setAttribute('aria-rowindex', '1')
  grid.onBeforeEditCell.subscribe(mayEdit)
  grid.onActiveCellChanged.subscribe(follow)
  grid.getSelectionModel()?.onSelectedRangesChanged.subscribe(() => {
    follow()
    for (const cell of container.querySelectorAll('[role="gridcell"]')) showSelected(cell)
  })
  const sizes = new ResizeObserver(() => grid.resizeCanvas())
  sizes.observe(container)

  /**
   * @param {number} number
   * @param {string} name
   * @param {number} width
   * @param {Partial<Column>} rest
   * @returns {Column}
   */
  function column (number, name, width, rest) {
    const attributes = { 'aria-colindex': String(number + 1) }
    return {
      id: name,
      field: '',
      name,
      width,
      headerCellAttrs: attributes,
      ...rest,
      cellAttrs: { ...attributes, ...rest.cellAttrs }
    }
  }

  /** The user has gone to another cell, or has selected more than one. */
  function follow () {
    const at = grid.getActiveCell()
    if (at === null) return
    const before = current
    current = layout.positionAt(at.row, at.cell)
    for (const changed of [before, current]) redress(changed)
    for (const head of container.querySelectorAll('.slick-header-column')) {
      head.classList.toggle('here', head.getAttribute('aria-colindex') === String(current.column + 1))
    }
    if (container.contains(document.activeElement)) grid.setFocus()
    moved(current)
  }

  /** @param {HTMLElement} node @param {number} row @param {number} cell */
  function dress (node, row, cell) {
    if (cell === 0) {
      node.removeAttribute('tabindex')
      return
    }
    const position = layout.positionAt(row, cell)
    const { text, align, bold, stale } = layout.cellAt(position)
    const lock = layout.lockAt(position)
    const mark = marks.get(cellName(position))
    for (
      const [name, isOn] of Object.entries({
        right: align === 'right',
        center: align === 'center',
        bold,
        stale,
        locked: lock,
        marked: mark
      })
    ) node.classList.toggle(name, Boolean(isOn))
    node.dataset.cell = cellName(position)
    node.tabIndex = isCurrent(position) ? 0 : -1
    node.title = [
      mark?.name,
      stale ? 'Calculated when an office suite opens the file' : lock?.why,
      text.length > 12 && !stale ? text : ''
    ].filter(Boolean).join(' — ')
    if (mark !== undefined) Object.assign(node.dataset, { who: mark.name, color: String(mark.color) })
    else {
      delete node.dataset.who
      delete node.dataset.color
    }
    node.setAttribute('aria-readonly', String(viewOnly || lock !== undefined))
    showSelected(node)
  }

  /** @param {Element} node */
  function showSelected (node) {
    node.setAttribute('aria-selected', String(node.classList.contains('selected')))
  }

  /** @param {Position} position */
  function redress (position) {
    const { row, cell } = layout.indexesOf(position)
    const node = grid.getCellNode(row, cell)
    if (node) dress(node, row, cell)
  }

  /** @param {Position} position */
  function isCurrent ({ row, column }) {
    return row === current.row && column === current.column
  }

  return {
    focus: () => grid.setFocus(),
    /** Types into the current cell. */
    type: () => grid.editActiveCell(),
    commit: () => grid.getEditorLock().commitCurrentEdit(),
    cancel () {
      grid.getEditorLock().cancelCurrentEdit()
      grid.setFocus()
    },
    /** @param {Position} position */
    select (position) {
      const { row, cell } = layout.indexesOf(position)
      grid.setActiveCell(row, cell)
    },
    /** Goes to the next cell. Returns false at the edge. @param {import('./keys.js').Direction} direction */
    move (direction) {
      const hasMoved = grid[`navigate${direction}`]() === true
      grid.setFocus()
      return hasMoved
    },
    /** The rows of the selected cells, without those that a merged one covers. @returns {Position[][]} */
    selected () {
      const [range] = grid.getSelectionModel()?.getSelectedRanges() ?? []
      const { fromRow, toRow, fromCell, toCell } = range ?? { fromRow: 0, toRow: -1, fromCell: 0, toCell: 0 }
      return Array.from({ length: toRow - fromRow + 1 }, (_, down) =>
        Array.from({ length: toCell - fromCell + 1 }, (_, right) =>
          layout.positionAt(fromRow + down, fromCell + right)))
    },
    /** Updates a changed cell. @param {Position} position @param {boolean} byOther */
    changed (position, byOther) {
      const shown = layout.anchor(position)
      const { row, cell } = layout.indexesOf(shown)
      const node = grid.getCellNode(row, cell)
      if (!node) return
      if (grid.getCellEditor() === null || !isCurrent(shown)) grid.updateCell(row, cell)
      dress(node, row, cell)
      if (!byOther) return
      node.classList.add('touched')
      setTimeout(() => node.classList.remove('touched'), TOUCHED_MS)
    },
    refresh () {
      for (const node of container.querySelectorAll('[data-cell]')) {
        if (node instanceof HTMLElement) redress(positionOf(node.dataset.cell ?? ''))
      }
    },
    /** @returns {[left: number, top: number]} */
    scroll () {
      const { scrollLeft = 0, scrollTop = 0 } = grid.getViewportNode() ?? {}
      return [scrollLeft, scrollTop]
    },
    /** @param {[left: number, top: number]} to */
    scrollTo: to => grid.getViewportNode()?.scrollTo(...to),
    destroy () {
      sizes.disconnect()
      grid.destroy(true)
    }
  }
}
