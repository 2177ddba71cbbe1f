import type { OfficePackage } from '../office/package.js'
import type { LockedCells } from '../grid.js'
import { attributeOf, firstElement } from './markup.js'
import { relationshipsOf } from './open.js'
import { MAX_COLUMN, MAX_ROW, type Range, rangeName, rangeOf } from './references.js'
import type { SheetPart } from './sheet.js'

export interface Lock extends LockedCells {
  readonly area: Range
}

/** The cells of a sheet that can't be edited, because other parts of the file define their content. */
export function lockedCells (office: OfficePackage, part: string, sheet: SheetPart): Lock[] {
  if (sheet.isProtected) {
    return [protectedSheet()]
  }
  const locks: Lock[] = []
  for (const { type, part: other } of relationshipsOf(office, part)) {
    const xml = type === 'table' || type === 'pivotTable' ? office.text(other) : undefined
    if (xml === undefined) continue
    if (type === 'table') {
      const tag = firstElement(xml, 'table')?.tag ?? ''
      const area = rangeOf(attributeOf(tag, 'ref') ?? '')
      if (area !== undefined && attributeOf(tag, 'headerRowCount') !== '0') {
        locks.push(lock({ ...area, bottom: area.top }, 'The heads of a table are the names of its columns'))
      }
    } else {
      const area = rangeOf(attributeOf(firstElement(xml, 'location')?.tag ?? '', 'ref') ?? '')
      if (area !== undefined) locks.push(filledByPivot(area))
    }
  }
  return locks
}

/** The cells of a formula that fills several cells. */
export function filledBy (area: Range): Lock {
  return lock(area, 'One formula fills these cells')
}

export function filledByPivot (area: Range): Lock {
  return lock(area, 'A pivot table fills these cells')
}

export function protectedSheet (): Lock {
  return lock({ top: 1, left: 1, bottom: MAX_ROW, right: MAX_COLUMN }, 'This sheet is protected')
}

export function lock (area: Range, why: string): Lock {
  return { area, range: rangeName(area), why }
}
