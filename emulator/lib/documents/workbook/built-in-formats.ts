export const GENERAL = 'General'

/**
 * Formats that files refer to only by number: 0 to 22, and 37 to 49. Dates that depend on the reader's locale are
 * displayed in ISO 8601.
 */
const FROM_0 = [
  GENERAL, '0', '0.00', '#,##0', '#,##0.00', '#,##0', '#,##0', '#,##0.00', '#,##0.00', '0%', '0.00%', '0.00E+00', '# ?/?',
  '# ??/??', 'yyyy-mm-dd', 'd-mmm-yy', 'd-mmm', 'mmm-yy', 'h:mm AM/PM', 'h:mm:ss AM/PM', 'h:mm', 'h:mm:ss',
  'yyyy-mm-dd h:mm'
]
const FROM_37 = [
  '#,##0;(#,##0)', '#,##0;[Red](#,##0)', '#,##0.00;(#,##0.00)', '#,##0.00;[Red](#,##0.00)', '#,##0', '#,##0', '#,##0.00',
  '#,##0.00', 'mm:ss', '[h]:mm:ss', 'mm:ss.0', '##0.0E+0', '@'
]
const EAST_ASIAN_DATES = [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]

export function builtInFormat (id: number): string {
  return FROM_0[id] ?? FROM_37[id - 37] ?? (EAST_ASIAN_DATES.includes(id) ? 'yyyy-mm-dd' : GENERAL)
}
