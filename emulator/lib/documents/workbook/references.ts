export interface Position {
  readonly row: number
  readonly column: number
}

/** A block of cells; rows and columns count from 1. */
export interface Range {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

export const MAX_ROW = 1_048_576
export const MAX_COLUMN = 16_384

function columnName (column: number): string {
  return column < 1 ? '' : columnName(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + (column - 1) % 26)
}

export function columnNumber (name: string): number {
  return [...name.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

export function cellName ({ row, column }: Position): string {
  return `${columnName(column)}${row}`
}

/** The position of a cell name; `undefined` if it is invalid. */
export function positionOf (name: string): Position | undefined {
  const found = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/i.exec(name)
  if (found === null) return undefined
  const position = { row: Number(found[2]), column: columnNumber(found[1]!) }
  return position.row <= MAX_ROW && position.column <= MAX_COLUMN ? position : undefined
}

/** Parses `A1:B2` or one cell. */
export function rangeOf (text: string): Range | undefined {
  const [from, to = from] = text.split(':').map(positionOf)
  return from === undefined || to === undefined ? undefined : between(from, to)
}

function between (from: Position, to: Position): Range {
  return {
    top: Math.min(from.row, to.row),
    left: Math.min(from.column, to.column),
    bottom: Math.max(from.row, to.row),
    right: Math.max(from.column, to.column)
  }
}

export function rangeName ({ top, left, bottom, right }: Range): string {
  const [from, to] = [cellName({ row: top, column: left }), cellName({ row: bottom, column: right })]
  return from === to ? from : `${from}:${to}`
}

export function isIn ({ row, column }: Position, { top, left, bottom, right }: Range): boolean {
  return row >= top && row <= bottom && column >= left && column <= right
}
