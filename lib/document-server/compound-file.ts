// Source of the offsets: MS-CFB, the specification of the container of .doc, .xls and .ppt.

const HEADER_BYTES = 512
const SECTOR_SHIFT = 30
const SHIFTS: readonly number[] = [9, 12]
const FIRST_DIRECTORY_SECTOR = 48
/** The sectors that list all others. */
const FIRST_LISTED = 76
/** Greater numbers stand for no sector. */
const LAST_SECTOR = 0xFFFFFFFA

/** Whether sectors that the header names are beyond the end of the file, or it has no readable header. */
export function isCutOff (start: Buffer, length: number): boolean {
  if (start.length < HEADER_BYTES) return true
  const shift = start.readUInt16LE(SECTOR_SHIFT)
  if (!SHIFTS.includes(shift)) return true
  const sectors = [start.readUInt32LE(FIRST_DIRECTORY_SECTOR)]
  for (let at = FIRST_LISTED; at < HEADER_BYTES; at += 4) sectors.push(start.readUInt32LE(at))
  return sectors.some(sector => sector <= LAST_SECTOR && (sector + 1) * 2 ** shift >= length)
}
