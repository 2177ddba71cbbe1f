import { button, element } from '../dom.js'
import { showToast } from '../frame.js'
import { cellName, columnName, cornersOf, isInRange, placeOf } from './places.js'
/** @import { GridCells, GridContent, GridSheet, GridView } from './protocol.js' */

/** @type {GridSheet} */
const NO_SHEET = {
  name: '', rows: 0, columns: 0, cells: {}, merged: [], locked: [], hiddenRows: [], hiddenColumns: [], widths: {}
}
/** Keys that start a composition, or that only the system knows. */
const COMPOSED = ['Dead', 'Process', 'Unidentified']
/** @type {Record<string, readonly [down: number, right: number]>} */
const MOVES = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Enter: [1, 0], Tab: [0, 1]
}

/**
 * Shows one sheet at a time and edits its cells. As in the real editor, a cell with typed text stays open when the
 * focus leaves the editor, or is in a dialog.
 *
 * @param {HTMLElement} container
 * @param {GridContent} content
 * @param {boolean} viewOnly
 * @param {GridCells} cells
 * @returns {GridView}
 */
export function gridView (container, content, viewOnly, { cellAt, typed }) {
  const box = element('div', { className: 'grid', role: 'group', ariaLabel: 'Workbook' })
  box.innerHTML = `
    <div class="grid-bar">
      <output class="grid-name" aria-label="Cell"></output>
      <output class="grid-formula" aria-label="Content of the cell"></output>
      <span class="grid-hint" role="status" hidden>Underlined results are not recalculated here: an office suite does so when it opens the file</span>
    </div>
    <div class="grid-place"></div>
    <p class="grid-note"></p>
    <div class="grid-tabs" role="tablist" aria-label="Sheets"></div>`
  const [name, formula, hint, place, note, tabs] = ['name', 'formula', 'hint', 'place', 'note', 'tabs'].map(part =>
    /** @type {HTMLElement} */ (box.querySelector(`.grid-${part}`)))
  const looks = { className: 'grid-input', rows: 1, spellcheck: false, ariaLabel: 'Content of the cell' }
  const field = element('textarea', looks)

  let sheet = NO_SHEET
  /** The displayed cells by their names; those that are merged have the same one. @type {Map<string, HTMLElement>} */
  let nodes = new Map()
  /** @type {number[]} */ let rows = []
  /** @type {number[]} */ let columns = []
  let position = { row: 1, column: 1 }
  let isOpen = false
  let before = ''
  /** @type {ReadonlyMap<string, { name: string, color: number }>} */
  let marks = new Map()

  place?.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== field) go(target)
  })
  place?.addEventListener('keydown', press)
  place?.addEventListener('dblclick', () => { if (!isOpen) open() })
  field.addEventListener('blur', ({ relatedTarget: to }) => {
    if (to instanceof Element && !to.closest('dialog')) close(true)
  })
  field.addEventListener('beforeinput', event => event.stopPropagation())
  container.replaceChildren(box)
  renew(content)

  /** @param {GridContent} next */
  function renew (next) {
    content = next
    const hadFocus = box.contains(document.activeElement)
    show(content.sheets.find(({ name }) => name === sheet.name) ?? content.sheets[0] ?? NO_SHEET)
    if (isOpen) here()?.append(field)
    if (hadFocus) (isOpen ? field : here())?.focus()
  }

  /** @param {GridSheet} next */
  function show (next) {
    if (next.name !== sheet.name) {
      close(true)
      position = { row: 1, column: 1 }
    }
    sheet = next
    rows = without(sheet.rows, sheet.hiddenRows)
    columns = without(sheet.columns, sheet.hiddenColumns)
    place?.replaceChildren(tableOf())
    if (note !== undefined) [note.hidden, note.textContent] = [sheet.omitted === undefined, sheet.omitted ?? '']
    if (tabs !== undefined) tabs.hidden = content.sheets.length < 2
    tabs?.replaceChildren(...content.sheets.map(tabOf))
    const first = here() ?? nodes.values().next().value
    if (first !== undefined) go(first)
  }

  function tableOf () {
    const table = element('table', { role: 'grid', ariaLabel: sheet.name, ariaReadOnly: String(viewOnly) })
    nodes = new Map()
    const blocks = mergedBlocks()
    const head = table.createTHead().insertRow()
    head.append(element('td'), ...columns.map(column => {
      const title = element('th', { scope: 'col', textContent: columnName(column) })
      size(title, column)
      return title
    }))
    const body = table.createTBody()
    for (const row of rows) {
      const line = body.insertRow()
      line.append(element('th', { scope: 'row', textContent: String(row) }))
      for (const column of columns) {
        const name = cellName({ row, column })
        if (nodes.has(name)) continue // within a merged cell
        const alone = { holder: name, covered: [name], height: 1, width: 1 }
        const { holder, covered, height, width } = blocks.get(name) ?? alone
        const node = line.insertCell()
        if (width === 1) size(node, column)
        Object.assign(node, { rowSpan: height, colSpan: width, tabIndex: -1 })
        node.dataset.cell = holder
        for (const other of [...covered, holder]) nodes.set(other, node)
        dress(node)
      }
    }
    return table
  }

  /** Without a width in the file, the browser finds one. @param {HTMLElement} node @param {number} column */
  function size ({ style }, column) {
    const width = sheet.widths[column]
    if (width !== undefined) style.minWidth = style.maxWidth = `${width}px`
  }

  /** The merged cells by the first one that is displayed. The first one of all holds the content. */
  function mergedBlocks () {
    return new Map(sheet.merged.flatMap(range => {
      const { from, to } = cornersOf(range)
      const inRows = rows.filter(row => row >= from.row && row <= to.row)
      const inColumns = columns.filter(column => column >= from.column && column <= to.column)
      const covered = inRows.flatMap(row => inColumns.map(column => cellName({ row, column })))
      const [first] = covered
      if (first === undefined) return []
      return [[first, { holder: cellName(from), covered, height: inRows.length, width: inColumns.length }]]
    }))
  }

  /** @param {HTMLElement} node */
  function dress (node) {
    const cell = node.dataset.cell ?? ''
    const { text, align = '', bold, fill = '', stale } = cellAt(idOf(cell))
    const lock = lockAt(cell)
    const mark = marks.get(idOf(cell))
    if (node.firstChild instanceof Text) node.firstChild.data = text // the field beside it keeps the focus
    else node.prepend(text)
    const classes = [align, bold && 'bold', fill && 'filled', stale && 'stale', lock && 'locked', mark && 'marked']
    node.className = classes.filter(Boolean).join(' ')
    node.style.backgroundColor = fill
    node.title = [mark?.name, lock?.why].filter(Boolean).join(' — ')
    node.dataset.who = mark?.name ?? ''
    node.dataset.color = String(mark?.color ?? '')
  }

  /** @param {GridSheet} shown */
  function tabOf (shown) {
    return button(shown.name, () => show(shown), {
      className: 'grid-tab', role: 'tab', ariaSelected: String(shown === sheet)
    })
  }

  /** @param {string} cell */
  function idOf (cell) {
    return `${sheet.name}!${cell}`
  }

  /** @param {string} cell */
  function lockAt (cell) {
    return sheet.locked.find(({ range }) => isInRange(cell, range))
  }

  function here () {
    return nodes.get(cellName(position))
  }

  function cellHere () {
    return here()?.dataset.cell ?? 'A1'
  }

  /** The user is in a cell. @param {HTMLElement} node */
  function go (node) {
    if (node !== here()) close(true)
    const last = here()
    if (last !== undefined) last.tabIndex = -1
    node.tabIndex = 0
    position = cornersOf(node.dataset.cell ?? '').from
    showHere()
  }

  function showHere () {
    const { value } = cellAt(idOf(cellHere()))
    if (name !== undefined) name.textContent = cellHere()
    if (formula !== undefined) formula.textContent = value
    if (hint !== undefined) hint.hidden = box.querySelector('td.stale') === null
  }

  /** Goes to the next cell. Returns false at the edge. @param {number} down @param {number} right */
  function move (down, right) {
    let [row, column] = [rows.indexOf(position.row), columns.indexOf(position.column)]
    let next = here()
    while (next !== undefined && next === here()) {
      [row, column] = [row + down, column + right]
      next = nodes.get(cellName({ row: rows[row] ?? 0, column: columns[column] ?? 0 }))
    }
    next?.focus()
    return next !== undefined
  }

  /** Starts typing. @param {string} [first] instead of the cell's value */
  function open (first) {
    const lock = lockAt(cellHere())
    if (lock !== undefined) showToast(`${lock.why}.`)
    if (viewOnly || lock !== undefined) return
    before = cellAt(idOf(cellHere())).value.replace(/\r\n?/g, '\n')
    isOpen = true
    field.value = first ?? before
    here()?.append(field)
    field.focus()
  }

  /** Ends typing. @param {boolean} keeps */
  function close (keeps) {
    if (!isOpen) return
    isOpen = false
    const hadFocus = document.activeElement === field
    field.remove()
    if (keeps && field.value !== before) typed(idOf(cellHere()), field.value)
    if (hadFocus) here()?.focus()
  }

  function clear () {
    if (!viewOnly && lockAt(cellHere()) === undefined) typed(idOf(cellHere()), '')
  }

  /** @param {KeyboardEvent} event */
  function press (event) {
    const { key, shiftKey, altKey, isComposing } = event
    const control = event.ctrlKey || event.metaKey
    if (isOpen && !(control && key === 's')) event.stopPropagation() // only the field handles it
    if (isComposing) return
    const [down, right] = MOVES[key] ?? [0, 0]
    const turned = shiftKey && (key === 'Enter' || key === 'Tab') ? -1 : 1
    if (control || altKey) {
      if (!isOpen || key !== 'Enter') return
      field.setRangeText('\n', field.selectionStart, field.selectionEnd, 'end')
    } else if (isOpen) {
      if (key === 'Escape') close(false)
      else if (key === 'Enter' || key === 'Tab') {
        close(true)
        move(turned * down, turned * right)
      } else return
    } else if (key in MOVES) {
      if (!move(turned * down, turned * right) && key === 'Tab') return // at the edge the focus leaves the sheet
    } else if (key === 'F2') open()
    else if (key === 'Backspace' || key === 'Delete') clear()
    else if (key.length === 1 || COMPOSED.includes(key)) return open('') // the character itself arrives in the field
    else return
    event.preventDefault()
  }

  return {
    changed (id) {
      const at = placeOf(id)
      const node = at.sheet === sheet.name ? nodes.get(at.cell) : undefined
      if (node !== undefined) dress(node)
      showHere()
    },
    renew,
    focus: () => here()?.focus(),
    commit: () => close(true),
    isOpen: () => isOpen,
    cancel: () => close(false),
    cell: () => idOf(cellHere()),
    place: () => box.contains(document.activeElement) ? idOf(cellHere()) : null,
    mark (next) {
      marks = next
      for (const node of new Set(nodes.values())) {
        if (node.dataset.who || marks.has(idOf(node.dataset.cell ?? ''))) dress(node)
      }
    }
  }
}

/** @param {number} count @param {number[]} hidden */
function without (count, hidden) {
  return Array.from({ length: count }, (_, index) => index + 1).filter(number => !hidden.includes(number))
}
