export const GENERAL = 'General'

/** The first number of formats defined in a file. */
export const FIRST_OWN_FORMAT = 164

/** Formats that files refer to only by number. Dates that depend on the reader's locale are displayed in ISO 8601. */
const BUILT_IN = new Map([
  [0, GENERAL],
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '#,##0'],
  [6, '#,##0'],
  [7, '#,##0.00'],
  [8, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'yyyy-mm-dd'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'yyyy-mm-dd h:mm'],
  [37, '#,##0;(#,##0)'],
  [38, '#,##0;[Red](#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;[Red](#,##0.00)'],
  [41, '#,##0'],
  [42, '#,##0'],
  [43, '#,##0.00'],
  [44, '#,##0.00'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@']
])
const EAST_ASIAN_DATES = [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]
/** These are the same in every locale. */
const UNIVERSAL = [0, 1, 2, 3, 4, 9, 10, 11, 49]

export function builtInFormat (id: number): string {
  return BUILT_IN.get(id) ?? (EAST_ASIAN_DATES.includes(id) ? 'yyyy-mm-dd' : GENERAL)
}

export function builtInNumber (format: string): number | undefined {
  return UNIVERSAL.find(id => BUILT_IN.get(id) === format)
}
