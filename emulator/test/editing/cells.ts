import type { GridCell, GridSheet } from '../../lib/documents/grid.js'
import type { Editable } from '../../lib/documents/types.js'

/** The sheets as an editor shows them. Throws for what is no grid. */
export function sheetsOf (editable: Editable): readonly GridSheet[] {
  const view = editable.view()
  if (view.kind !== 'grid') throw new TypeError(`not a grid: ${JSON.stringify(view).slice(0, 200)}`)
  return view.sheets
}

/** A cell of a sheet as it is shown; its sheet is the first one unless it is named: `Summary!B3`. */
export function cellAt (editable: Editable, name: string): GridCell | undefined {
  const [cell, sheet] = name.split('!').reverse()
  const sheets = sheetsOf(editable)
  return sheets.find(({ name }) => name === (sheet ?? sheets[0]!.name))?.cells[cell!]
}

/** Types into a cell. */
export function set (editable: Editable, name: string, value: string) {
  const [cell = '', sheet = sheetsOf(editable)[0]!.name] = name.split('!').reverse()
  return editable.apply({ op: 'cell', sheet, cell, value })
}
